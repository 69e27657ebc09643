/** Shared handling of SCIM requests: the token, the body, and responses in SCIM's format. */
import type { Directory } from "@capstan/runtime";
import type { Context } from "hono";
import { z } from "zod";
import { bearer } from "../auth/authenticate.ts";
import { publicOrigin } from "../auth/resources.ts";
import { readJson } from "../http/read-json.ts";
import type { Settings } from "../settings/settings.ts";
import type { DirectoryToken } from "./directory-types.ts";
import type { PatchOperation } from "./patch-user.ts";
import { invalid, SCIM_JSON, type Scim, scimRefused } from "./scim-refusal.ts";
import type { Json } from "./scim-user.ts";

export const SCIM_PATH = "/scim/v2";

export interface ScimRequestParts {
  readonly settings: Settings;
  readonly directory: Pick<Directory, "tokens">;
}

export interface ScimRequest {
  readonly c: Context;
  /** Behind the kind of resource; empty for all of them. */
  readonly id: string;
  readonly by: DirectoryToken;
  /** Where resources are. */
  readonly base: string;
  readonly query: (name: string) => string | undefined;
}

export type ScimHandler = (request: ScimRequest) => Promise<Response>;

/** Nothing but a directory's token is let in, not even the server's own user. */
export const answering =
  ({ settings, directory }: ScimRequestParts, handler: ScimHandler) =>
  async (c: Context): Promise<Response> => {
    const sent = bearer(c.req.header("authorization"));
    const by = sent === undefined ? undefined : await directory.tokens.find(sent);
    if (by === undefined)
      return scimRefused(
        { status: 401, detail: "Send a token from `capstan scim create` as Authorization: Bearer." },
        { "www-authenticate": "Bearer" },
      );
    const base = `${publicOrigin(c, settings)}${SCIM_PATH}`;
    const id = c.req.path.split("/")[4] ?? "";
    return handler({ c, by, base, id: decoded(id), query: (name) => c.req.query(name) });
  };

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What every kind of resource answers; each takes the whole request. */
export interface ResourceHandlers {
  readonly list: ScimHandler;
  readonly create: ScimHandler;
  readonly get: ScimHandler;
  readonly replace: ScimHandler;
  readonly patch: ScimHandler;
  readonly remove: ScimHandler;
}

export const scimAnswer = (body: Json, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { ...SCIM_JSON, ...headers } });

export const noContent = (): Response => new Response(null, { status: 204 });

export const missing = (what: string, id: string): Response =>
  scimRefused({ status: 404, detail: `There is no ${what} ${id.slice(0, 100)}.` });

export const taken = (what: string): Response =>
  scimRefused({ status: 409, scimType: "uniqueness", detail: `Another one has this ${what}.` });

const Body = z.record(z.string(), z.unknown());
const MOST_OPERATIONS = 1000;
const Operations = z
  .array(
    z.object({
      op: z
        .string()
        .toLowerCase()
        .pipe(z.enum(["add", "remove", "replace"])),
      path: z.string().max(1000).optional(),
      value: z.unknown().optional(),
    }),
  )
  .min(1)
  .max(MOST_OPERATIONS);

export async function bodyOf(c: Context): Promise<Scim<Json>> {
  const read = await readJson(c, Body);
  return read.ok ? { value: read.value } : invalid("invalidSyntax", read.failure.message);
}

export async function operationsOf(c: Context): Promise<Scim<PatchOperation[]>> {
  const body = await bodyOf(c);
  if ("refusal" in body) return body;
  const sent = Object.entries(body.value).find(([key]) => key.toLowerCase() === "operations")?.[1];
  const read = Operations.safeParse(sent);
  if (read.success) return { value: read.data };
  return invalid(
    "invalidSyntax",
    `Operations must be a list of 1 to ${MOST_OPERATIONS} add, remove or replace.`,
  );
}
