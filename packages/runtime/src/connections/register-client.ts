/**
 * Registers as a client of an authorization server without manual setup: with the URL of our client metadata document
 * if the server supports it, otherwise by dynamic registration (RFC 7591).
 */
import { fail, type GuardedFetch, ok, type Result } from "@capstan/core";
import { z } from "zod";
import type { AuthorizationServer } from "./authorization-server.ts";
import { ownRedirectPath } from "./redirect-uris.ts";

const REGISTER_MS = 10_000;

/** One for each provider: they differ in where the browser is sent back to. */
export const clientDocumentPath = (provider: string): string =>
  `/connections/clients/${encodeURIComponent(provider)}`;

/** In the order we prefer them. */
const METHODS = ["none", "client_secret_post", "client_secret_basic"] as const;
type Method = (typeof METHODS)[number];

export interface RegisteredClient {
  readonly clientId: string;
  readonly secret?: string | undefined;
  readonly proof: "body" | "header";
}

const Registered = z.looseObject({
  client_id: z.string().min(1).max(500),
  client_secret: z.string().min(1).max(2000).optional(),
  token_endpoint_auth_method: z.enum(METHODS).optional().catch(undefined),
});

/** Our client metadata; at `clientDocumentPath` with its own address as the id. */
export const clientDocument = (origin: string, provider: string) => ({
  client_id: origin + clientDocumentPath(provider),
  client_uri: origin,
  ...clientFacts(origin, provider),
  token_endpoint_auth_method: "none",
});

const clientFacts = (origin: string, provider: string) => ({
  client_name: "Capstan",
  application_type: isLoopback(new URL(origin)) ? "native" : "web", // without it, OpenID servers refuse loopback addresses
  redirect_uris: redirectUris(origin, provider),
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
});

const LOOPBACK = ["127.0.0.1", "localhost"];
const isLoopback = ({ hostname }: URL): boolean => LOOPBACK.includes(hostname);

/** People open a server on loopback by either name. */
function redirectUris(origin: string, provider: string): string[] {
  const url = new URL(origin);
  const hosts = isLoopback(url) ? LOOPBACK : [url.hostname];
  const port = url.port === "" ? "" : `:${url.port}`;
  return hosts.map((host) => `${url.protocol}//${host}${port}${ownRedirectPath(provider)}`);
}

/** `byHand`: what an admin does if the server offers no registration. */
export async function registerClient(
  fetch: GuardedFetch,
  server: AuthorizationServer,
  origin: string,
  { provider, byHand }: { readonly provider: string; readonly byHand: string },
): Promise<Result<RegisteredClient>> {
  if (server.client_id_metadata_document_supported && origin.startsWith("https:"))
    return ok({ clientId: origin + clientDocumentPath(provider), proof: "body" });
  const { issuer, registration_endpoint: url } = server;
  const refuse = (why: string) => fail("mcp_login_unusable", { server: issuer, why });
  if (url === undefined)
    return refuse(`it registers no clients by itself; register one there, then run: ${byHand}`);
  const offered = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const method = METHODS.find((each) => offered.includes(each));
  if (method === undefined) return refuse(`it takes clients by ${offered.slice(0, 5).join(", ")} only`);
  const answer = await fetch(url, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json" },
    body: JSON.stringify({ ...clientFacts(origin, provider), token_endpoint_auth_method: method }),
    signal: AbortSignal.timeout(REGISTER_MS),
    redirects: "refuse",
  });
  if (!answer.ok) return answer;
  const read = Registered.safeParse(await answer.value.json().catch(() => undefined));
  if (!answer.value.ok || !read.success)
    return refuse(`it did not register a client; it answered ${answer.value.status}`);
  return ok(clientOf(read.data, method));
}

function clientOf(given: z.infer<typeof Registered>, asked: Method): RegisteredClient {
  const { client_id: clientId, client_secret: secret, token_endpoint_auth_method: method = asked } = given;
  return { clientId, secret, proof: method === "client_secret_basic" ? "header" : "body" };
}
