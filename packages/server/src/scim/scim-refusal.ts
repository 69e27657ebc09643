/** SCIM error responses (RFC 7644, section 3.12), and the two kinds of results that lead to them. */

export const SCIM_JSON = {
  "content-type": "application/scim+json; charset=utf-8",
  "cache-control": "no-store",
};

export const ERROR_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:Error";

export type ScimType =
  | "invalidFilter"
  | "tooMany"
  | "uniqueness"
  | "mutability"
  | "invalidSyntax"
  | "invalidPath"
  | "noTarget"
  | "invalidValue";

export interface ScimRefusal {
  readonly status: number;
  readonly scimType?: ScimType;
  readonly detail: string;
}

export type Scim<T> = { readonly value: T } | { readonly refusal: ScimRefusal };

export const invalid = (scimType: ScimType, detail: string): { readonly refusal: ScimRefusal } => ({
  refusal: { status: 400, scimType, detail },
});

export const scimRefused = (refusal: ScimRefusal, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify({ schemas: [ERROR_SCHEMA], ...refusal, status: String(refusal.status) }), {
    status: refusal.status,
    headers: { ...SCIM_JSON, ...headers },
  });
