/**
 * A remote server that wants a login (MCP authorization): its protected-resource metadata (RFC 9728) names the
 * authorization server, whose metadata names the addresses. A server's metadata is untrusted: its `resource` must be
 * its own address, and its token is only sent to its own host.
 */
import { createHash } from "node:crypto";
import { fail, type GuardedFetch, ok, type Result } from "@capstan/core";
import { z } from "zod";
import { type AuthorizationServer, readAuthorizationServer, readDocument } from "./authorization-server.ts";

const METADATA_PATH = "/.well-known/oauth-protected-resource";
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,300}$/; // RFC 6749, scope-token
const MOST_SCOPES = 50;

const ResourceMetadata = z.looseObject({
  resource: z.url({ protocol: /^https?$/ }).max(2000),
  authorization_servers: z
    .array(z.url({ protocol: /^https?$/ }).max(2000))
    .min(1)
    .max(20),
  scopes_supported: z.array(z.string()).max(1000).optional().catch(undefined),
});

export interface ProtectedServer {
  /** The same for every package that names this server, and another one when its address or its login changes. */
  readonly providerId: string;
  readonly host: string;
  readonly resource: string;
  readonly server: AuthorizationServer;
  /** Scopes that the server requires: an account without them is useless. */
  readonly scopes: readonly string[];
  /** Also asked for; the person may grant less. */
  readonly offered: readonly string[];
}

/** `challenge`: the `WWW-Authenticate` of its 401. */
export async function discoverProtectedServer(
  fetch: GuardedFetch,
  url: string,
  challenge: string,
): Promise<Result<ProtectedServer>> {
  const address = new URL(url);
  const refuse = (why: string) => fail("mcp_login_unusable", { server: url, why });
  const metadata = await readResource(fetch, address, challenge);
  if (metadata === "foreign") return refuse("its metadata is about another address");
  // Before RFC 9728, servers were their own authorization servers.
  const { resource, authorization_servers, scopes_supported } = metadata ?? {
    resource: address.href,
    authorization_servers: [address.origin],
  };
  const [issuer = address.origin] = authorization_servers;
  const server = await readAuthorizationServer(fetch, issuer);
  if (!server.ok) return refuse(server.failure.message);
  const fault = serverFault(server.value, address);
  if (fault !== undefined) return refuse(fault);
  const scopes = listed(parameter(challenge, "scope")?.split(/\s+/));
  return ok({
    providerId: idOf(address, resource, server.value.issuer),
    host: address.host,
    resource,
    server: server.value,
    scopes,
    offered: scopes.length > 0 ? scopes : listed(scopes_supported),
  });
}

const listed = (scopes: readonly string[] = []): string[] =>
  [...new Set(scopes)].filter((scope) => SCOPE.test(scope)).slice(0, MOST_SCOPES);

/** The document that the challenge names, then the well-known ones. */
async function readResource(
  fetch: GuardedFetch,
  address: URL,
  challenge: string,
): Promise<z.infer<typeof ResourceMetadata> | "foreign" | undefined> {
  const named = parameter(challenge, "resource_metadata");
  const path = address.pathname.replace(/\/$/, "");
  const places = [
    ...(named !== undefined && /^https?:/.test(named) && URL.canParse(named) ? [named] : []),
    ...(path === "" ? [] : [address.origin + METADATA_PATH + path]),
    address.origin + METADATA_PATH,
  ];
  for (const place of places) {
    const read = ResourceMetadata.safeParse(await readDocument(fetch, place));
    if (read.success) return isOwn(new URL(read.data.resource), address) ? read.data : "foreign";
  }
  return undefined;
}

/** The resource itself, or a parent path on the same host. */
function isOwn(resource: URL, address: URL): boolean {
  if (resource.origin !== address.origin) return false;
  const above = resource.pathname.replace(/\/?$/, "/");
  return address.pathname.replace(/\/?$/, "/").startsWith(above);
}

/** A login over plain http is only for a server that the operator allowed over http. */
function serverFault(server: AuthorizationServer, address: URL): string | undefined {
  const { authorization_endpoint, token_endpoint, registration_endpoint, revocation_endpoint } = server;
  const all = [authorization_endpoint, token_endpoint, registration_endpoint, revocation_endpoint];
  const isPlain = all.some((each) => each?.startsWith("http:"));
  if (isPlain && address.protocol === "https:") return "its authorization server is not reached over TLS";
  return server.code_challenge_methods_supported?.includes("S256")
    ? undefined
    : "its authorization server does not offer PKCE with S256";
}

/** RFC 9110: quoted or not. */
export const parameter = (challenge: string, name: string): string | undefined => {
  const [, quoted, plain] =
    new RegExp(`(?:^|[\\s,])${name}=(?:"([^"]{0,10000})"|([^\\s,"]{1,2000}))`, "i").exec(challenge) ?? [];
  return quoted ?? plain;
};

/** Bound to the server and its authorization server: tokens of one server are never used for another. */
function idOf({ hostname }: URL, resource: string, issuer: string): string {
  const hash = createHash("sha256").update(`${resource} ${issuer}`).digest("hex").slice(0, 12);
  const shown = hostname.toLowerCase().replaceAll(/[^a-z0-9.]+/g, "-");
  return `mcp.${shown.slice(0, 60)}.${hash}`;
}
