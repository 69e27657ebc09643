/** Identifies the caller. A key names its owner; without one, on loopback only, it is the user who runs the server. */
import { createHash, timingSafeEqual } from "node:crypto";
import { fail } from "@capstan/core";
import { isTokenText, type KeyRecord, type KeyStore, LOCAL_USER, type TokenStore } from "@capstan/runtime";
import type { Context, MiddlewareHandler } from "hono";
import type { Caller } from "../http/caller.ts";
import type { AppEnv } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import type { Settings } from "../settings/settings.ts";
import { clientCaller, isClientToken } from "./client-caller.ts";
import { hostName, isLoopback } from "./guard-origin.ts";
import type { LocalCallers } from "./local-caller.ts";
import { isOwnerToken } from "./owner-token.ts";
import { rateLimiter } from "./rate-limiter.ts";
import { challenge } from "./resources.ts";

/** Requires a key: everything that reads or does something. The studio's own files, health and docs are public. */
const CLOSED = /^\/(v1|api|openai|mcp|a2a|metrics)(\/|$)/;
/** An agent's A2A card tells a client that it needs a key: the protocol makes it public. */
const PUBLIC = /^\/v1\/agents\/[^/]+\/a2a\/(\.well-known\/)?agent-card\.json$/;
const KEY_KEPT_MS = 1000; // a revoked key stops working within this time, on every process

export interface AuthParts {
  readonly settings: Settings;
  readonly keys: KeyStore;
  readonly tokens: Pick<TokenStore, "find">;
  readonly localCallers: LocalCallers;
  /** For the owner of the data folder; absent where no key is required. */
  readonly ownerToken?: string | undefined;
  readonly now?: () => number;
}

const monotonicNow = (): number => performance.now(); // the system's clock may jump back, and a revoked key would stay valid

export function authenticate({
  settings,
  keys,
  tokens,
  localCallers,
  ownerToken,
  now = monotonicNow,
}: AuthParts): MiddlewareHandler<AppEnv> {
  const keyless = isLoopback(settings.HOST);
  const local: Caller = {
    email: LOCAL_USER,
    rights: ["admin"],
    key: "loopback",
    perMinute: settings.CAPSTAN_RATE_LIMIT_PER_MINUTE,
  };
  const owner =
    ownerToken === undefined ? undefined : { token: ownerToken, caller: { ...local, key: "owner" } };
  const find = keptBriefly(keys, now);
  const ofClient = async (token: string, path: string): Promise<Identity> => {
    if (path === "/mcp") return NOBODY; // checked there
    const record = await tokens.find(token);
    if (!record) return "unknown key";
    return clientCaller(record, path, settings.CAPSTAN_RATE_LIMIT_PER_MINUTE) ?? NOBODY;
  };
  const limiter = rateLimiter(now);
  return async (c, next) => {
    const sent = bearer(c.req.header("authorization"));
    const who = await identify(sent, {
      find,
      ofClient: (token) => ofClient(token, c.req.path),
      local: keyless && cameStraight(c) && localCallers.isLocal(c, sent) ? local : undefined,
      owner,
    });
    const why = refusal(who, c.req.path);
    if (why)
      return problem(c, fail("unauthenticated", { why }).failure, {
        "www-authenticate": challenge(c, settings),
      });
    const caller = typeof who === "string" ? NOBODY : who;
    c.set("caller", caller);
    const wait = caller === NOBODY ? 0 : limiter(caller.key, caller.perMinute);
    if (wait === 0) return next();
    const facts = { perMinute: caller.perMinute, retryAfterSeconds: wait };
    return problem(c, fail("rate_limited", facts).failure, { "retry-after": String(wait) });
  };
}

/** A proxy on this machine also connects from loopback, with requests from anywhere: forwarded requests need a key. */
const PROXIED = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-forwarded-port",
  "x-forwarded-server",
  "x-real-ip",
  "x-client-ip",
  "x-original-host",
  "x-original-forwarded-for",
  "true-client-ip",
  "cf-connecting-ip",
  "cf-ray",
  "fastly-client-ip",
  "fly-client-ip",
  "x-cluster-client-ip",
  "x-amzn-trace-id",
];

const cameStraight = (c: Context): boolean =>
  isLoopback(hostName(c.req.header("host") ?? "")) &&
  PROXIED.every((name) => c.req.header(name) === undefined);

function refusal(who: Identity, path: string): string | undefined {
  if (who === "unknown key") return "the key is unknown or revoked";
  return who === "no key" && CLOSED.test(path) && !PUBLIC.test(path)
    ? "no key was sent, and the connection is not from the user who runs the server"
    : undefined;
}

const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other)); // fixed length, whatever was sent
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

type Identity = Caller | "unknown key" | "no key";

interface Known {
  readonly find: (key: string) => Promise<KeyRecord | undefined>;
  readonly ofClient: (token: string) => Promise<Identity>;
  readonly local: Caller | undefined;
  readonly owner: { readonly token: string; readonly caller: Caller } | undefined;
}

async function identify(
  sent: string | undefined,
  { find, ofClient, local, owner }: Known,
): Promise<Identity> {
  if (sent === undefined || sent.startsWith("local_")) return local ?? "no key";
  if (isOwnerToken(sent)) return owner && isSame(sent, owner.token) ? owner.caller : (local ?? "no key");
  if (isClientToken(sent)) return ofClient(sent);
  if (isTokenText(sent)) return NOBODY; // also on loopback: a program with a token is not the local user
  const record = await find(sent);
  return record ? callerOf(record) : "unknown key";
}

const NOBODY: Caller = { email: "nobody@localhost", rights: [], key: "none", perMinute: 0 };

export function bearer(header: string | undefined): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(header ?? "")?.[1];
}

const callerOf = ({ owner, rights, id, perMinute }: KeyRecord): Caller => ({
  email: owner,
  rights,
  key: id,
  perMinute,
});

/** A key is looked up at most once a second, not once per request. */
function keptBriefly(keys: KeyStore, now: () => number): (key: string) => Promise<KeyRecord | undefined> {
  const kept = new Map<string, { until: number; record: Promise<KeyRecord | undefined> }>();
  return (key) => {
    const known = kept.get(key);
    if (known && known.until > now()) return known.record;
    if (kept.size > 10_000) kept.clear(); // someone is guessing keys; clear rather than grow
    const record = keys.find(key);
    kept.set(key, { until: now() + KEY_KEPT_MS, record });
    return record;
  };
}
