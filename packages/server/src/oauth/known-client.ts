/**
 * Which client wants to log in. A client id is either the address of a document that describes the client (it is fetched),
 * or one that we gave out: then it is the description itself, signed, so that registering stores nothing.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { fail, ok, type Result } from "@capstan/core";
import { readInput } from "@capstan/core/internal";
import { z } from "zod";
import type { Published, ReadPublished } from "./published-json.ts";
import { isUsableRedirect } from "./redirect-uris.ts";

export interface KnownClient {
  readonly id: string;
  /** Its own name for itself, not verified. */
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** The host of its document, which it controls; a registered client has none. */
  readonly host?: string;
  readonly homePage?: string;
  /** Whether it only ever asks for tokens with a signature (RFC 7523); a client without a secret proves itself by PKCE alone. */
  readonly mustSign: boolean;
  /** Where its public keys are. */
  readonly keysAt?: string;
}

const PREFIX = "client_";
export const SIGNATURE = "private_key_jwt";
const MOST_REDIRECTS = 20;
const DOCUMENT_KEPT_SECONDS = { usual: 300, most: 3600 };
const MOST_DOCUMENTS = 500;

const RedirectUris = z
  .array(z.string())
  .min(1)
  .max(MOST_REDIRECTS)
  .refine((uris) => uris.every(isUsableRedirect), {
    message: "redirect_uris must be https, loopback http, or a program's own scheme",
  });
const name = z.string().trim().min(1).max(200);
const homePage = z.url({ protocol: /^https$/ }).max(1000);

/** RFC 7591; its secret method is answered with "none", because every client here is public. */
export const Registration = z.object({
  redirect_uris: RedirectUris,
  client_name: name.default("An unnamed client"),
  client_uri: homePage.optional().catch(undefined),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
});
export type Registration = z.output<typeof Registration>;

const ClientDocument = z.object({
  client_id: z.string(),
  redirect_uris: RedirectUris,
  client_name: name,
  client_uri: homePage.optional().catch(undefined),
  token_endpoint_auth_method: z.string().default("none"),
  token_endpoint_auth_methods_supported: z.array(z.string()).default([]),
  jwks_uri: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .optional(),
});

const Signed = z.object({ n: z.string(), r: z.array(z.string()), u: z.string().optional() });

export interface Clients {
  register(registration: Registration): string;
  find(clientId: string, userEmail: string): Promise<Result<KnownClient>>;
}

export interface ClientParts {
  readonly signingKey: Buffer;
  readonly read: ReadPublished;
  /** Hosts the operator opened; only there may a client's document be without TLS. */
  readonly allowHosts: readonly string[];
  readonly readsDocuments: boolean;
}

export function openClients({ signingKey, read, allowHosts, readsDocuments }: ClientParts): Clients {
  const sign = (body: string) => createHmac("sha256", signingKey).update(body).digest("base64url");
  const documents = documentReader(read, allowHosts);
  return {
    register({ client_name, redirect_uris, client_uri }) {
      const facts = { n: client_name, r: redirect_uris, ...(client_uri && { u: client_uri }) };
      const body = Buffer.from(JSON.stringify(facts)).toString("base64url");
      return `${PREFIX}${body}.${sign(body)}`;
    },
    async find(clientId, userEmail) {
      if (!clientId.startsWith(PREFIX))
        return readsDocuments
          ? documents(clientId, userEmail)
          : fail("client_unknown", { why: "clients' documents are off here (CAPSTAN_CLIENT_DOCUMENTS)" });
      const [body = "", signature = ""] = clientId.slice(PREFIX.length).split(".");
      const [given, own] = [Buffer.from(signature), Buffer.from(sign(body))];
      if (given.length !== own.length || !timingSafeEqual(given, own))
        return fail("client_unknown", { why: "this server did not register it" });
      const { n, r, u } = Signed.parse(JSON.parse(Buffer.from(body, "base64url").toString("utf8")));
      return ok({ id: clientId, name: n, redirectUris: r, mustSign: false, ...(u && { homePage: u }) });
    },
  };
}

/** A missing or invalid document is not cached: its client may be about to repair it. */
function documentReader(read: ReadPublished, allowHosts: readonly string[]) {
  const kept = new Map<string, { until: number; client: Promise<Result<KnownClient>> }>();
  return (clientId: string, userEmail: string): Promise<Result<KnownClient>> => {
    const known = kept.get(clientId);
    if (known && known.until > performance.now()) return known.client;
    const fault = addressFault(clientId, allowHosts);
    if (fault !== undefined) return Promise.resolve(fail("client_unknown", { why: fault }));
    if (kept.size >= MOST_DOCUMENTS) kept.clear();
    const reading = read(clientId, userEmail).then((found) => readDocument(found, clientId, allowHosts));
    const client = reading.then((each) => each.client);
    kept.set(clientId, { until: Number.POSITIVE_INFINITY, client }); // one request for all concurrent callers
    void reading.then(({ client: { ok: isValid }, seconds }) => {
      if (isValid) kept.set(clientId, { until: performance.now() + seconds * 1000, client });
      else kept.delete(clientId);
    });
    return client;
  };
}

function addressFault(clientId: string, allowHosts: readonly string[]): string | undefined {
  if (clientId.length > 2000 || !URL.canParse(clientId))
    return "its client_id is neither one that this server gave out nor an https address";
  const { pathname, hash, username } = new URL(clientId);
  if (!isReadable(clientId, allowHosts)) return "its client_id is not an https address";
  const isPlain = !/\/(\.|%2e){1,2}(\/|$)/i.test(clientId.replace(/[?#].*/, ""));
  if (pathname === "/" || hash !== "" || username !== "" || !isPlain)
    return "its client_id does not name a document";
  return undefined;
}

/** Over TLS, or at a host that the operator opened. */
function isReadable(url: string, allowHosts: readonly string[]): boolean {
  const { protocol, host, hostname } = new URL(url);
  const isOpened = allowHosts.includes(host) || allowHosts.includes(hostname);
  return protocol === "https:" || (protocol === "http:" && isOpened);
}

interface ReadDocument {
  readonly client: Result<KnownClient>;
  readonly seconds: number;
}

function readDocument(
  found: Result<Published>,
  clientId: string,
  allowHosts: readonly string[],
): ReadDocument {
  const unknown = (why: string) => ({
    client: fail("client_unknown", { why: `${why} (${clientId})` }),
    seconds: 0,
  });
  if (!found.ok)
    return found.failure.code === "rate_limited"
      ? { client: found, seconds: 0 }
      : unknown(`its document could not be read: ${found.failure.message}`);
  const { json, headers } = found.value;
  const read = readInput(ClientDocument, json);
  if (!read.ok) return unknown(`its document is not valid: ${read.where}`);
  const { client_id: id, client_name, client_uri, redirect_uris, jwks_uri: keysAt } = read.value;
  if (id !== clientId) return unknown("its document names another client_id");
  const proofs = proofsOf(read.value);
  const signs = proofs.includes(SIGNATURE) && keysAt !== undefined && isReadable(keysAt, allowHosts);
  if (!proofs.includes("none") && !signs)
    return unknown(`its document offers neither "none" nor "${SIGNATURE}" with a jwks_uri over https`);
  const { host } = new URL(clientId);
  const client = ok({
    id,
    name: client_name,
    host,
    redirectUris: redirect_uris,
    mustSign: !proofs.includes("none"),
    ...(signs && { keysAt }),
    ...(client_uri && { homePage: client_uri }),
  });
  return { client, seconds: freshSeconds(headers.get("cache-control") ?? "") };
}

/** ChatGPT names its preferred method and lists the others. */
const proofsOf = (document: z.output<typeof ClientDocument>): string[] => [
  document.token_endpoint_auth_method,
  ...document.token_endpoint_auth_methods_supported,
];

/** As the document's server says (RFC 9111), within limits. */
function freshSeconds(cacheControl: string): number {
  if (/\bno-(store|cache)\b/i.test(cacheControl)) return 0;
  const [, said = DOCUMENT_KEPT_SECONDS.usual] = /\bmax-age=(\d+)/i.exec(cacheControl) ?? [];
  return Math.min(Number(said), DOCUMENT_KEPT_SECONDS.most);
}
