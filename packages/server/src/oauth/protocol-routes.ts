/**
 * What OAuth clients call: the two metadata documents, /authorize, /token, /register and /revoke, at the origin because
 * clients build them from it. Answers have OAuth's shapes. /authorize decides nothing: it hands over to the studio's page.
 */
import { type Fault, readInput } from "@capstan/core/internal";
import type { ClientLogins, GrantRefusal, IssuedTokens } from "@capstan/runtime";
import type { Context } from "hono";
import { z } from "zod";
import { requestLimit } from "../auth/caller-limit.ts";
import { EVERY_TOOL, OFFERED_SCOPES } from "../auth/client-scopes.ts";
import { metadataPath, publicOrigin, resourceAt } from "../auth/resources.ts";
import { newRoutes } from "../http/define-route.ts";
import { readJson } from "../http/read-json.ts";
import type { Settings } from "../settings/settings.ts";
import { faultInSignature, namedClient, SIGNATURE_TYPE, SIGNING_ALGORITHMS } from "./client-signature.ts";
import { type Clients, Registration, SIGNATURE } from "./known-client.ts";
import type { ReadPublished } from "./published-json.ts";

export interface OAuthRouteParts {
  readonly settings: Settings;
  readonly clients: Clients;
  readonly clientLogins: ClientLogins;
  readonly read: ReadPublished;
}

const REGISTRATIONS_PER_MINUTE = { ofOne: 60, ofAll: 600 }; // anyone may register; each is one signature
const NO_STORE = { "cache-control": "no-store" };

export function oauthProtocolRoutes(parts: OAuthRouteParts) {
  const { settings, clients, clientLogins } = parts;
  const routes = newRoutes();
  const limit = requestLimit(REGISTRATIONS_PER_MINUTE, settings);
  routes.get("/.well-known/oauth-authorization-server", (c) =>
    c.json(serverMetadata(publicOrigin(c, settings), settings), 200, NO_STORE),
  );
  routes.get("/.well-known/oauth-protected-resource", (c) => resourceMetadata(c, settings));
  routes.get("/.well-known/oauth-protected-resource/*", (c) => resourceMetadata(c, settings));
  routes.get("/authorize", (c) => c.redirect(`/consent${new URL(c.req.url).search}`, 302));
  routes.post("/register", async (c) => {
    const reached = limit(c);
    if (reached)
      return c.json(oauthError("slow_down", "Too many registrations; wait a minute."), 429, {
        "retry-after": String(reached.retryAfterSeconds),
      });
    const read = await readJson(c, Registration);
    if (!read.ok) return c.json(oauthError("invalid_client_metadata", read.failure.message), 400, NO_STORE);
    return c.json(registered(clients.register(read.value), read.value), 201, NO_STORE);
  });
  routes.post("/token", (c) => answerToken(c, parts));
  routes.post("/revoke", async (c) => {
    const form = await readForm(c, z.object({ token: text, client_id: text }));
    if (!form.ok) return c.json(oauthError("invalid_request", form.where), 400);
    await clientLogins.revokeByToken(form.value.token, form.value.client_id);
    return c.body(null, 200); // also for an unknown token: RFC 7009
  });
  return routes;
}

/** A server without a way to the internet cannot read clients' documents: then they register instead. */
const serverMetadata = (issuer: string, { CAPSTAN_CLIENT_DOCUMENTS }: Settings) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  registration_endpoint: `${issuer}/register`,
  revocation_endpoint: `${issuer}/revoke`,
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  code_challenge_methods_supported: ["S256"],
  token_endpoint_auth_methods_supported: ["none", ...(CAPSTAN_CLIENT_DOCUMENTS === "on" ? [SIGNATURE] : [])],
  token_endpoint_auth_signing_alg_values_supported: SIGNING_ALGORITHMS,
  revocation_endpoint_auth_methods_supported: ["none"],
  scopes_supported: OFFERED_SCOPES,
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: CAPSTAN_CLIENT_DOCUMENTS === "on",
  resource_indicators_supported: true,
});

function resourceMetadata(c: Context, settings: Settings): Response {
  const origin = publicOrigin(c, settings);
  const { pathname, search } = new URL(c.req.url);
  const resource = resourceAt(origin, `${metadataPath(pathname) ?? ""}${search}`);
  if (!resource) return c.json(oauthError("invalid_target", "Nothing here takes a login."), 404, NO_STORE);
  const document = {
    resource: resource.url,
    authorization_servers: [origin],
    scopes_supported: [EVERY_TOOL],
    bearer_methods_supported: ["header"],
    resource_name: "Capstan",
  };
  return c.json(document, 200, NO_STORE);
}

const registered = (clientId: string, { redirect_uris, client_name, client_uri }: Registration) => ({
  client_id: clientId,
  client_id_issued_at: Math.floor(Date.now() / 1000),
  client_name,
  ...(client_uri && { client_uri }),
  redirect_uris,
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
});

const text = z.string().min(1).max(20_000);
const ofClient = {
  client_id: text,
  client_assertion: text.optional(),
  client_assertion_type: z.literal(SIGNATURE_TYPE).optional(),
};
const TokenRequest = z.discriminatedUnion("grant_type", [
  z.object({
    grant_type: z.literal("authorization_code"),
    ...ofClient,
    code: text,
    redirect_uri: text,
    code_verifier: z.string().regex(/^[\w.~-]{43,128}$/, "is not a PKCE verifier"),
    resource: text.optional(),
  }),
  z.object({
    grant_type: z.literal("refresh_token"),
    ...ofClient,
    refresh_token: text,
    resource: text.optional(),
  }),
]);

async function answerToken(c: Context, parts: OAuthRouteParts): Promise<Response> {
  const form = await readForm(c, TokenRequest);
  if (!form.ok) return c.json(tokenFault(form), 400, NO_STORE);
  const fault = await faultInProof(parts, form.value, publicOrigin(c, parts.settings));
  if (fault !== undefined) return c.json(oauthError("invalid_client", fault), 401, NO_STORE);
  const issued = await issue(form.value, parts.clientLogins);
  if ("refused" in issued) {
    // OpenID Connect's word; version 1 of MCP's SDK then opens the page for the scopes that a call lacked.
    const error = issued.needsPerson ? "interaction_required" : "invalid_grant";
    return c.json(oauthError(error, issued.refused), 400, NO_STORE);
  }
  const body = {
    access_token: issued.accessToken,
    token_type: "Bearer",
    expires_in: issued.expiresInSeconds,
    refresh_token: issued.refreshToken,
    scope: issued.scopes.join(" "),
  };
  return c.json(body, 200, NO_STORE);
}

/** Checked only for an existing code or refresh token: otherwise anyone could make the server fetch documents. */
async function faultInProof(
  { clients, clientLogins, read }: OAuthRouteParts,
  asked: z.output<typeof TokenRequest>,
  origin: string,
): Promise<string | undefined> {
  const { client_id: clientId, client_assertion: signature } = asked;
  const holder = await clientLogins.holderOf(
    asked.grant_type === "refresh_token" ? { refreshToken: asked.refresh_token } : { code: asked.code },
  );
  if (holder?.clientId !== clientId) return undefined; // refused by the grant itself
  if (signature === undefined) return holder.mustSign ? "client_assertion is missing" : undefined;
  const client = await clients.find(clientId, holder.userEmail);
  if (!client.ok) return client.failure.message;
  const audience = [origin, `${origin}/token`];
  return faultInSignature(read, client.value, signature, { userEmail: holder.userEmail, audience });
}

function issue(
  asked: z.output<typeof TokenRequest>,
  logins: ClientLogins,
): Promise<IssuedTokens | GrantRefusal> {
  const { client_id: clientId, resource, client_assertion } = asked;
  if (asked.grant_type === "refresh_token")
    return logins.refresh({ refreshToken: asked.refresh_token, clientId, resource });
  const { code, redirect_uri: redirectUri, code_verifier: verifier } = asked;
  const hasSigned = client_assertion !== undefined; // and correctly, or this is not reached
  return logins.exchangeCode({ code, verifier, clientId, redirectUri, resource, hasSigned });
}

function tokenFault({ where, faults }: { readonly where: string; readonly faults: readonly Fault[] }) {
  const isGrantType = faults.some(({ path }) => path === "grant_type");
  return oauthError(isGrantType ? "unsupported_grant_type" : "invalid_request", where);
}

/** A field that is sent twice is refused: one of the two would be ignored. */
async function readForm<Schema extends z.ZodType>(c: Context, schema: Schema) {
  const isForm = (c.req.header("content-type") ?? "").startsWith("application/x-www-form-urlencoded");
  const pairs = isForm ? [...new URLSearchParams(await c.req.text())] : [];
  const isRepeated = new Set(pairs.map(([name]) => name)).size < pairs.length;
  const form: Record<string, string> = Object.fromEntries(pairs);
  const { client_id, client_assertion } = form;
  const named = client_id ?? (client_assertion && (await namedClient(client_assertion))); // RFC 7521, 4.2
  return readInput(schema, isRepeated ? undefined : { ...form, ...(named && { client_id: named }) });
}

const oauthError = (error: string, description: string) => ({ error, error_description: description });
