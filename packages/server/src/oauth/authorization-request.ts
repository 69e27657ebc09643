/** A client's request to log in, as it arrives in the browser's address: read, and checked against the client. */
import { fail, ok, type Result } from "@capstan/core";
import { readInput } from "@capstan/core/internal";
import { z } from "zod";
import { readScopes } from "../auth/client-scopes.ts";
import { type Resource, resourceAt } from "../auth/resources.ts";
import type { Clients, KnownClient } from "./known-client.ts";
import { isRegistered } from "./redirect-uris.ts";

export interface AuthorizationRequest {
  readonly client: KnownClient;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly codeChallenge: string;
  readonly resource: Resource;
  readonly scopes: readonly string[];
}

/** Other parameters belong to extensions and are ignored, as OAuth requires. */
const Query = z.object({
  response_type: z.literal("code", { error: 'response_type must be "code"' }),
  client_id: z.string({ error: "client_id is missing" }).min(1).max(10_000),
  redirect_uri: z.string({ error: "redirect_uri is missing" }).min(1).max(2000),
  state: z.string().max(4000).optional(),
  code_challenge: z
    .string({ error: "code_challenge is missing: PKCE is required" })
    .regex(/^[\w-]{43}$/, "code_challenge is not the hash of a verifier"),
  code_challenge_method: z.literal("S256", { error: 'code_challenge_method must be "S256"' }),
  resource: z.string().max(2000).optional(),
  scope: z.string().max(4000).optional(),
});

export async function readRequest(
  clients: Pick<Clients, "find">,
  { origin, userEmail }: { readonly origin: string; readonly userEmail: string },
  query: Readonly<Record<string, string>>,
): Promise<Result<AuthorizationRequest>> {
  const read = readInput(Query, query);
  if (!read.ok) return invalid(read.where);
  const { client_id, redirect_uri, state, code_challenge, resource, scope } = read.value;
  const client = await clients.find(client_id, userEmail);
  if (!client.ok) return client;
  if (!isRegistered(redirect_uri, client.value.redirectUris))
    return invalid("redirect_uri is not one that the client registered");
  const wanted = resourceAt(origin, resource ?? "/mcp");
  if (!wanted) return invalid(`resource is not an address of this server (${origin})`);
  const scopes = readScopes(scope);
  if (!scopes) return invalid("scope names something else than tools, tools:read or tool:<name>");
  return ok({
    client: client.value,
    redirectUri: redirect_uri,
    state,
    codeChallenge: code_challenge,
    resource: wanted,
    scopes,
  });
}

const invalid = (where: string) => fail("login_request_invalid", { where });
