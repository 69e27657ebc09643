/**
 * Identifies the caller. A key identifies its owner, a cookie or a login's token the person who signed in. Without
 * any, on loopback only and if sign-in is not configured, the caller is the user who runs the server. No credential
 * grants more than its owner's current rights.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { fail } from "@capstan/core";
import { isLoginText, isTokenText, LOCAL_USER } from "@capstan/runtime";
import type { Context, MiddlewareHandler, Next } from "hono";
import type { Caller } from "../http/caller.ts";
import type { AppEnv } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import type { Settings } from "../settings/settings.ts";
import { isClientToken } from "./client-caller.ts";
import { hostName, isLoopback } from "./guard-origin.ts";
import {
  type Identity,
  type KnownCallerParts,
  type KnownCallers,
  knownCallers,
  NOBODY,
  type SignedIn,
} from "./known-callers.ts";
import type { LocalCallers } from "./local-caller.ts";
import { cookieText, isOwnPage, readCookie } from "./login-cookie.ts";
import { isOwnerToken } from "./owner-token.ts";
import { rateLimiter } from "./rate-limiter.ts";
import { challenge, publicOrigin } from "./resources.ts";

/** Requires a key: everything that reads or does something. The studio's own files, health and docs are public. */
const CLOSED = /^\/(v1|api|openai|mcp|a2a|metrics)(\/|$)/;
/** An agent's A2A card is public, as the protocol requires. Callers that log in have no credential yet. */
const PUBLIC =
  /^\/v1\/(agents\/[^/]+\/a2a\/(\.well-known\/)?agent-card\.json|me|shared(\/file)?|logins\/(device(\/poll)?|end))$/;

const SCIM = /^\/scim\/v2(\/|$)/;

/** With a provider even the server's own user signs in, because a proxy on this machine also connects from loopback. */
export const isKeyless = ({ HOST, CAPSTAN_OIDC_ISSUER }: Settings): boolean =>
  isLoopback(HOST) && CAPSTAN_OIDC_ISSUER === undefined;

export interface AuthParts extends Omit<KnownCallerParts, "perMinute" | "now"> {
  readonly settings: Settings;
  readonly localCallers: LocalCallers;
  /** For the owner of the data folder; absent where no key is required. */
  readonly ownerToken?: string | undefined;
  readonly now?: () => number;
}

const monotonicNow = (): number => performance.now(); // the system's clock may jump back, and a revoked key would stay valid

export function authenticate(parts: AuthParts): MiddlewareHandler<AppEnv> {
  const { settings, localCallers, ownerToken, now = monotonicNow } = parts;
  const keyless = isKeyless(settings);
  const perMinute = settings.CAPSTAN_RATE_LIMIT_PER_MINUTE;
  const local: Caller = { email: LOCAL_USER, rights: ["admin"], key: "loopback", perMinute };
  const owner =
    ownerToken === undefined ? undefined : { token: ownerToken, caller: { ...local, key: "owner" } };
  const known = knownCallers({ ...parts, perMinute, now });
  const limiter = rateLimiter(now);
  return async (c, next) => {
    const sent = bearer(c.req.header("authorization"));
    const browser = await browserOf(c, settings, known);
    const who =
      browser ??
      (await identify(sent, {
        known,
        path: c.req.path,
        local: keyless && cameStraight(c) && (await localCallers.isLocal(c, sent)) ? local : undefined,
        owner,
      }));
    const why = refusal(c, who, sent, keyless);
    if (why) return refused(c, settings, why);
    const caller = typeof who === "string" ? NOBODY : who;
    c.set("caller", caller);
    const wait = caller === NOBODY ? 0 : limiter(caller.key, caller.perMinute);
    if (wait === 0) return answerCaller(c, next, browser, settings);
    const facts = { perMinute: caller.perMinute, retryAfterSeconds: wait };
    return problem(c, fail("rate_limited", facts).failure, { "retry-after": String(wait) });
  };
}

/** A client refreshes a token that is reported as invalid, and logs in if it has none. */
function refused(c: Context, settings: Settings, why: string): Response {
  const isNamed = bearer(c.req.header("authorization")) !== undefined;
  const facts = isNamed ? { error: "invalid_token", error_description: why } : {};
  return problem(c, fail("unauthenticated", { why }).failure, {
    "www-authenticate": challenge(c, settings, facts),
  });
}

/** The person signed in in this browser. An Authorization header takes precedence; an unknown cookie is ignored. */
async function browserOf(
  c: Context,
  settings: Settings,
  { ofLogin }: KnownCallers,
): Promise<SignedIn | undefined> {
  if (c.req.header("authorization") !== undefined) return undefined;
  const origin = publicOrigin(c, settings);
  const cookie = readCookie(c, "login", origin);
  if (cookie === undefined || !isOwnPage(c, origin)) return undefined;
  const found = await ofLogin(cookie);
  return typeof found === "string" ? undefined : found;
}

async function answerCaller(
  c: Context,
  next: Next,
  browser: SignedIn | undefined,
  settings: Settings,
): Promise<void> {
  await next();
  if (browser?.replacedBy === undefined) return;
  const { token, expiresAt } = browser.replacedBy;
  const seconds = (expiresAt.getTime() - Date.now()) / 1000;
  c.res.headers.append("set-cookie", cookieText("login", token, publicOrigin(c, settings), seconds));
}

/** A proxy on this machine also connects from loopback, with requests from anywhere: forwarded requests need a key. */
const PROXIED =
  /^(via|forwarded(-.+)?|cdn-loop|front-end-https|x-(url-)?scheme|cloudfront-.+|(x-)?(original|proxy|nginx|rewrite|cluster|envoy|varnish|azure|vercel|appengine)-.*|x-forwarded.*|(.+-)?(client|connecting|connection|real|remote|(proxy)?user|source|peer)-?(ip|addr|address)|cf-.+|fastly-.+|fly-.+|tailscale-.+|x-amzn-.+|x-amz-cf-.+|x-host)$/;

const cameStraight = (c: Context): boolean =>
  isLoopback(hostName(c.req.header("host") ?? "")) &&
  Object.keys(c.req.header()).every((name) => !PROXIED.test(name));

/** A request with a key is never the local user's, even if the key is unreadable. */
function refusal(
  { req }: Context,
  who: Identity,
  sent: string | undefined,
  keyless: boolean,
): string | undefined {
  if (who === "unknown key") return "the key is unknown or revoked";
  if (!CLOSED.test(req.path) || PUBLIC.test(req.path)) return undefined;
  if (sent === undefined && req.header("authorization") !== undefined)
    return "the header Authorization is not `Bearer <key>`";
  if (who !== "no key") return undefined;
  return keyless
    ? "no key was sent, and the connection is not from the user who runs the server"
    : "no key was sent";
}

const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other)); // fixed length, whatever was sent
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

interface Asked {
  readonly known: KnownCallers;
  readonly path: string;
  readonly local: Caller | undefined;
  readonly owner: { readonly token: string; readonly caller: Caller } | undefined;
}

async function identify(sent: string | undefined, { known, path, local, owner }: Asked): Promise<Identity> {
  if (SCIM.test(path)) return NOBODY; // directories' tokens are checked there; nothing else is accepted
  if (sent === undefined || sent.startsWith("local_")) return local ?? "no key";
  if (isOwnerToken(sent)) return owner && isSame(sent, owner.token) ? owner.caller : (local ?? "no key");
  if (isClientToken(sent)) return known.ofClient(sent, path);
  if (isTokenText(sent)) return NOBODY; // also on loopback: a program with a token is not the local user
  return isLoginText(sent) ? known.ofLogin(sent) : known.ofKey(sent);
}

export function bearer(header: string | undefined): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(header ?? "")?.[1];
}
