/**
 * Which client wants to log in. A client id is either the address of a document that describes the client (it is fetched),
 * or one that we gave out: then it is the description itself, signed, so that registering stores nothing.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { fail, type GuardedFetch, ok, type Result } from "@capstan/core";
import { readInput } from "@capstan/core/internal";
import { z } from "zod";
import { callerLimit } from "../auth/caller-limit.ts";
import { isUsableRedirect } from "./redirect-uris.ts";

export interface KnownClient {
  readonly id: string;
  /** What it calls itself; nobody verified it. */
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** The host of its document, which it controls; a registered client has none. */
  readonly host?: string;
  readonly homePage?: string;
}

const PREFIX = "client_";
const MOST_REDIRECTS = 20;
const MOST_DOCUMENT_BYTES = 64 * 1024;
const DOCUMENT_KEPT_MS = 5 * 60_000;
const MOST_DOCUMENTS = 500;
const FETCHES_PER_MINUTE = { ofOne: 30, ofAll: 600 }; // every user can make the server fetch one

const RedirectUris = z
  .array(z.string())
  .min(1)
  .max(MOST_REDIRECTS)
  .refine((uris) => uris.every(isUsableRedirect), {
    message: "redirect_uris must be https, loopback http, or a program's own scheme",
  });
const name = z.string().trim().min(1).max(200);
const homePage = z.url({ protocol: /^https$/ }).max(1000);

/** RFC 7591; what it says of secrets is answered with "none", as every client here is a public one. */
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
  client_name: name.optional(),
  client_uri: homePage.optional().catch(undefined),
  token_endpoint_auth_method: z.literal("none").default("none"),
});

const Signed = z.object({ n: z.string(), r: z.array(z.string()), u: z.string().optional() });

export interface Clients {
  register(registration: Registration): string;
  /** For whom: what one user makes the server fetch must not keep it from fetching for others. */
  find(clientId: string, userEmail: string): Promise<Result<KnownClient>>;
}

export interface ClientParts {
  readonly signingKey: Buffer;
  readonly fetch: GuardedFetch;
  /** Hosts the operator opened; only there may a client's document be without TLS. */
  readonly allowHosts: readonly string[];
  readonly readsDocuments: boolean;
}

export function openClients({ signingKey, fetch, allowHosts, readsDocuments }: ClientParts): Clients {
  const sign = (body: string) => createHmac("sha256", signingKey).update(body).digest("base64url");
  const documents = documentReader(fetch, allowHosts);
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
      return ok({ id: clientId, name: n, redirectUris: r, ...(u && { homePage: u }) });
    },
  };
}

/** Failures are kept as well: a client id is free text of anyone. */
function documentReader(fetch: GuardedFetch, allowHosts: readonly string[]) {
  const kept = new Map<string, { until: number; client: Promise<Result<KnownClient>> }>();
  const limit = callerLimit(FETCHES_PER_MINUTE, () => performance.now());
  return (clientId: string, userEmail: string): Promise<Result<KnownClient>> => {
    const known = kept.get(clientId);
    if (known && known.until > performance.now()) return known.client;
    const fault = addressFault(clientId, allowHosts);
    if (fault !== undefined) return Promise.resolve(fail("client_unknown", { why: fault }));
    const reached = limit(userEmail);
    if (reached) return Promise.resolve(fail("rate_limited", reached));
    if (kept.size >= MOST_DOCUMENTS) kept.clear();
    const client = readDocument(fetch, clientId);
    kept.set(clientId, { until: performance.now() + DOCUMENT_KEPT_MS, client });
    return client;
  };
}

function addressFault(clientId: string, allowHosts: readonly string[]): string | undefined {
  if (clientId.length > 2000 || !URL.canParse(clientId))
    return "its client_id is neither one that this server gave out nor an https address";
  const { protocol, pathname, host, hostname, hash, username } = new URL(clientId);
  const isOpened = allowHosts.includes(host) || allowHosts.includes(hostname);
  if (protocol !== "https:" && !(protocol === "http:" && isOpened))
    return "its client_id is not an https address";
  if (pathname === "/" || hash !== "" || username !== "") return "its client_id does not name a document";
  return undefined;
}

async function readDocument(fetch: GuardedFetch, clientId: string): Promise<Result<KnownClient>> {
  const unknown = (why: string) => fail("client_unknown", { why: `${why} (${clientId})` });
  const options = { redirects: "refuse" as const, headers: { accept: "application/json" } };
  const answer = await fetch(clientId, options);
  if (!answer.ok) return unknown(`its document could not be read: ${answer.failure.message}`);
  if (!answer.value.ok) return unknown(`its document answered ${answer.value.status}`);
  const text = await answer.value.text().catch(() => "");
  if (text.length > MOST_DOCUMENT_BYTES) return unknown("its document is too large");
  const read = readInput(ClientDocument, parsedOr(text));
  if (!read.ok) return unknown(`its document is not valid: ${read.where}`);
  const { client_id, client_name, client_uri, redirect_uris } = read.value;
  if (client_id !== clientId) return unknown("its document names another client_id");
  const { host } = new URL(clientId);
  return ok({
    id: clientId,
    name: client_name ?? host,
    host,
    redirectUris: redirect_uris,
    ...(client_uri && { homePage: client_uri }),
  });
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
