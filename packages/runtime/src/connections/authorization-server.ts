/**
 * An authorization server's metadata: RFC 8414, or OpenID Connect Discovery. A response that names another issuer is
 * ignored.
 */
import { fail, type GuardedFetch, ok, type Result } from "@capstan/core";
import { z } from "zod";

const METADATA_MS = 10_000;

const endpoint = z.url({ protocol: /^https?$/ }).max(2000);
const words = z.array(z.string().max(300)).max(1000).optional().catch(undefined);
const Metadata = z.looseObject({
  issuer: endpoint,
  authorization_endpoint: endpoint,
  token_endpoint: endpoint,
  registration_endpoint: endpoint.optional(),
  revocation_endpoint: endpoint.optional(),
  userinfo_endpoint: endpoint.optional(),
  scopes_supported: words,
  code_challenge_methods_supported: words,
  token_endpoint_auth_methods_supported: words,
  authorization_response_iss_parameter_supported: z.boolean().optional().catch(undefined),
  client_id_metadata_document_supported: z.boolean().optional().catch(undefined),
});
export type AuthorizationServer = z.infer<typeof Metadata>;

export async function readAuthorizationServer(
  fetch: GuardedFetch,
  issuer: string,
): Promise<Result<AuthorizationServer>> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    ...(path === "" ? [] : [`${origin}/.well-known/openid-configuration${path}`]),
    `${origin}${path}/.well-known/openid-configuration`,
  ]; // in the order that MCP requires of clients: the first may offer less than the others
  const others = new Set<string>();
  let refused: Result<never> | undefined;
  for (const place of places) {
    const document = await fetchDocument(fetch, place);
    if (!document.ok) {
      refused ??= document; // the next address may answer: some servers redirect what they do not have
      continue;
    }
    const read = Metadata.safeParse(document.value);
    if (read.success && withoutSlash(read.data.issuer) === withoutSlash(issuer)) return ok(read.data);
    if (read.success) others.add(read.data.issuer);
  }
  if (refused !== undefined && others.size === 0) return refused;
  const named = others.size > 0 ? `; there is metadata of ${[...others].join(" and ")}` : "";
  return fail("input_invalid", {
    where: `issuer: no metadata of ${issuer} is found at ${places.join(" or ")}${named}`,
  });
}

const withoutSlash = (url: string): string => url.replace(/\/$/, "");

/** Undefined when it is missing, unreachable or not JSON. */
export async function readDocument(fetch: GuardedFetch, url: string): Promise<unknown> {
  const document = await fetchDocument(fetch, url);
  return document.ok ? document.value : undefined;
}

/** Refused or unreachable is a failure; undefined is a response without JSON. */
async function fetchDocument(fetch: GuardedFetch, url: string): Promise<Result<unknown>> {
  const signal = AbortSignal.timeout(METADATA_MS);
  const answer = await fetch(url, { headers: { accept: "application/json" }, signal, redirects: "refuse" });
  if (!answer.ok) return answer;
  if (answer.value.ok) return ok(await answer.value.json().catch(() => undefined));
  await answer.value.body?.cancel();
  return ok(undefined);
}
