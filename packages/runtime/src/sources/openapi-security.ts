/** The security schemes of an OpenAPI document: what an agent must set, and how each operation sends it. */
import type { ConnectionNeed } from "@capstan/core";
import type { Credentials } from "./http-request.ts";
import { isRecord, type JsonRecord, listOf, type OpenApiDocument, textOf } from "./openapi-document.ts";
import { short } from "./openapi-schema.ts";

export interface SecurityScheme extends Credentials {
  readonly fields: readonly { readonly name: string; readonly description: string }[];
  /** The authorization server's address; empty for keys and passwords, which are for the API's own. */
  readonly authority?: string | undefined;
  readonly kind?: ConnectionNeed["kind"];
}

export interface OperationSecurity {
  /** Any one of them is enough; an empty one means that none is required. */
  readonly alternatives: readonly Credentials[];
  readonly schemes: readonly string[];
  readonly scopes: readonly string[];
  /** Accounts of the user that would do instead of a secret, at this server. */
  readonly accounts: (server: string) => ConnectionNeed[];
}

/** The supported ones, by name; signature schemes and client certificates are left out. */
export function securitySchemes(document: OpenApiDocument): Map<string, SecurityScheme> {
  const components = document.resolve(document.root.components);
  const declared = isRecord(components?.securitySchemes) ? components.securitySchemes : {};
  const schemes = new Map<string, SecurityScheme>();
  for (const [name, value] of Object.entries(declared)) {
    const scheme = document.resolve(value);
    const read = scheme && readScheme(secretName(name), scheme);
    if (scheme && read) schemes.set(name, { ...read, authority: authorityOf(scheme), kind: kindOf(scheme) });
  }
  if (schemes.size === 0) schemes.set(UNDECLARED, ANY_AUTHORIZATION);
  return schemes;
}

/** Large documents (such as GitHub's) do not declare authentication; an agent can still set the header. */
const UNDECLARED = "";
const ANY_AUTHORIZATION: SecurityScheme = {
  headers: { Authorization: `\${AUTHORIZATION}` },
  query: {},
  fields: [
    {
      name: "AUTHORIZATION",
      description: "The whole Authorization header, such as: Bearer <token>. Optional.",
    },
  ],
};

const secretName = (name: string) =>
  name
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .replace(/^(\d)/, "_$1")
    .toUpperCase()
    .slice(0, 50);

function readScheme(name: string, scheme: JsonRecord): SecurityScheme | undefined {
  const about = short(textOf(scheme.description) ?? "", 200);
  const key = (field: string, what: string) => ({ name: field, description: about || what });
  const wireName = textOf(scheme.name) ?? "";
  if (scheme.type === "apiKey" && /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(wireName)) {
    const fields = [key(name, `The API key, sent as ${wireName}.`)];
    const value = `\${${name}}`;
    if (scheme.in === "query") return { headers: {}, query: { [wireName]: value }, fields };
    if (scheme.in === "cookie") return { headers: { Cookie: `${wireName}=${value}` }, query: {}, fields };
    return { headers: { [wireName]: value }, query: {}, fields };
  }
  const http = textOf(scheme.scheme)?.toLowerCase();
  if (scheme.type === "http" && http === "basic") {
    const fields = [key(`${name}_USER`, "The user name."), key(`${name}_PASSWORD`, "The password.")];
    const Authorization = `Basic \${base64(${name}_USER:${name}_PASSWORD)}`;
    return { headers: { Authorization }, query: {}, fields };
  }
  const bearer = scheme.type === "oauth2" || scheme.type === "openIdConnect" || http === "bearer";
  if (!bearer) return undefined;
  return {
    headers: { Authorization: `Bearer \${${name}}` },
    query: {},
    fields: [key(name, "An access token.")],
  };
}

function kindOf({ type, scheme }: JsonRecord): ConnectionNeed["kind"] {
  if (type === "oauth2" || type === "openIdConnect") return "oauth2";
  return textOf(scheme)?.toLowerCase() === "basic" ? "basic" : "api_key";
}

/** Where the user consents: the document only names it, the operator's provider decides where tokens go. */
function authorityOf(scheme: JsonRecord): string | undefined {
  if (scheme.type === "openIdConnect") return textOf(scheme.openIdConnectUrl);
  if (scheme.type !== "oauth2") return "";
  const flows = isRecord(scheme.flows) ? scheme.flows : {};
  const named = [flows.authorizationCode, flows.implicit].filter(isRecord);
  return named.map((flow) => textOf(flow.authorizationUrl)).find((url) => url !== undefined);
}

/** The scopes of the first alternative, which is the author's preferred one. */
export function operationSecurity(
  document: OpenApiDocument,
  operation: JsonRecord,
  schemes: ReadonlyMap<string, SecurityScheme>,
): OperationSecurity {
  if (schemes.has(UNDECLARED)) {
    const undeclared = together([UNDECLARED], schemes);
    return {
      alternatives: [undeclared, { headers: {}, query: {} }],
      schemes: [UNDECLARED],
      scopes: [],
      accounts: () => [],
    };
  }
  const demanded = listOf(operation.security ?? document.root.security).filter(isRecord);
  const usable = demanded.filter((demand) => Object.keys(demand).every((name) => schemes.has(name)));
  const [first = {}] = usable;
  return {
    alternatives: usable.map((demand) => together(Object.keys(demand), schemes)),
    schemes: [...new Set(usable.flatMap((demand) => Object.keys(demand)))],
    scopes: Object.values(first)
      .flatMap(listOf)
      .filter((scope): scope is string => typeof scope === "string" && scope !== ""),
    accounts: (server) =>
      Object.entries(first).flatMap(([name, scopes]) => needOf(schemes.get(name), listOf(scopes), server)),
  };
}

/** A server whose address has variables has no host that an operator could have meant. */
function needOf(
  scheme: SecurityScheme | undefined,
  scopes: readonly unknown[],
  server: string,
): ConnectionNeed[] {
  const provider = scheme?.authority === "" ? server : scheme?.authority;
  if (provider === undefined || !URL.canParse(provider) || provider.includes("{")) return [];
  const named = scopes.filter((scope): scope is string => typeof scope === "string" && scope !== "");
  const scopesThere = scheme?.authority === "" ? [] : named;
  return [{ provider: provider.slice(0, 500), scopes: scopesThere, optional: true, kind: scheme?.kind }];
}

function together(names: readonly string[], schemes: ReadonlyMap<string, SecurityScheme>): Credentials {
  const parts = names.map((name) => schemes.get(name));
  return {
    headers: Object.assign({}, ...parts.map((part) => part?.headers)) as Record<string, string>,
    query: Object.assign({}, ...parts.map((part) => part?.query)) as Record<string, string>,
  };
}
