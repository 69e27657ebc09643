/**
 * /login, /login/callback, /logout: a browser signs in at the OpenID provider and comes back. What the sign-in must
 * match is sealed in a cookie of that browser, so an answer that belongs to another browser is refused.
 */
import { randomBytes } from "node:crypto";
import type { AuditLog, LoginStore, PeopleStore, SecretBox } from "@capstan/runtime";
import type { Context } from "hono";
import { z } from "zod";
import { cookieText, endedCookie, isOwnPage, readCookie } from "../auth/login-cookie.ts";
import { publicOrigin } from "../auth/resources.ts";
import { newRoutes } from "../http/define-route.ts";
import type { Log } from "../settings/log.ts";
import type { Settings } from "../settings/settings.ts";
import type { IdentityChecks } from "./identity-types.ts";
import type { Attempt, OpenIdProvider } from "./openid-provider.ts";
import { returnPath } from "./return-path.ts";
import { startLogin } from "./start-login.ts";

export interface LoginRouteParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly provider: OpenIdProvider;
  readonly people: PeopleStore;
  readonly logins: LoginStore;
  readonly audit: AuditLog;
  readonly identityChecks: IdentityChecks;
  /** Seals sign-ins that are under way. */
  readonly attemptBox: SecretBox;
}

/** Codes for the studio, which has the texts, so that an address cannot put text on the page. */
type Problem = "expired" | "refused" | "unavailable" | "denied" | "not_allowed";

const ATTEMPT_SECONDS = 600;
const MOST_LOGOUT_CHARS = 20_000;
const NO_STORE = { "cache-control": "no-store" };

const StoredAttempt = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
  startedAt: z.number(),
});

export function loginRoutes(parts: LoginRouteParts) {
  const routes = newRoutes();
  routes.get("/login", (c) => begin(c, parts));
  routes.get("/login/callback", (c) => finish(c, parts));
  routes.post("/logout", (c) => signOut(c, parts));
  routes.post("/login/backchannel", (c) => signedOutThere(c, parts));
  return routes;
}

async function begin(
  c: Context,
  { settings, log, provider, attemptBox }: LoginRouteParts,
): Promise<Response> {
  const origin = publicOrigin(c, settings);
  const attempt = newAttempt(returnPath(c.req.query("return_to")));
  const there = await provider.begin(`${origin}/login/callback`, attempt);
  if (!there.ok) return failed(c, log, "unavailable", there.failure.message);
  const sealed = encodeURIComponent(attemptBox.seal(JSON.stringify(attempt)));
  c.header("set-cookie", cookieText("attempt", sealed, origin, ATTEMPT_SECONDS));
  c.header("cache-control", "no-store");
  return c.redirect(there.value.href, 302);
}

async function finish(c: Context, parts: LoginRouteParts): Promise<Response> {
  const { settings, log, provider, logins, attemptBox } = parts;
  const origin = publicOrigin(c, settings);
  const attempt = readAttempt(readCookie(c, "attempt", origin), attemptBox);
  c.header("set-cookie", endedCookie("attempt", origin)); // an attempt is answered once
  if (attempt === undefined) return failed(c, log, "expired", "no sign-in of this browser is under way");
  const { pathname, search } = new URL(c.req.url);
  const done = await provider.finish(new URL(`${origin}${pathname}${search}`), attempt);
  if (!done.ok) {
    const isDenied = c.req.query("error") === "access_denied" && c.req.query("state") === attempt.state;
    return failed(c, log, isDenied ? "denied" : "refused", done.failure.message);
  }
  const device = c.req.header("user-agent") ?? "";
  const made = await startLogin(parts, done.value, { kind: "browser", device });
  if (!made.ok) return failed(c, log, "not_allowed", made.failure.message);
  await endPrevious(c, origin, logins); // a token from before the sign-in is invalid after it
  const seconds = settings.CAPSTAN_LOGIN_HOURS * 3600;
  c.header("set-cookie", cookieText("login", made.value.token, origin, seconds), { append: true });
  c.header("cache-control", "no-store");
  return c.redirect(attempt.returnTo, 302);
}

async function signOut(c: Context, { settings, logins, audit }: LoginRouteParts): Promise<Response> {
  const origin = publicOrigin(c, settings);
  if (!isOwnPage(c, origin)) return c.json({ error: "cross-origin" }, 403, NO_STORE);
  const ended = await endPrevious(c, origin, logins);
  if (ended) await audit.add({ actor: ended.userEmail, action: "login.ended", subject: ended.id });
  c.header("set-cookie", endedCookie("login", origin));
  return c.body(null, 204, NO_STORE);
}

/** Back-channel logout: the provider tells us. */
async function signedOutThere(
  c: Context,
  { log, provider, logins, audit }: LoginRouteParts,
): Promise<Response> {
  const token = await logoutToken(c);
  const read = token === undefined ? undefined : await provider.readLogout(token);
  if (!read?.ok) {
    log.info(`A back-channel logout was refused: ${read?.failure.message ?? "it has no logout_token"}`);
    return c.json({ error: "invalid_request" }, 400, NO_STORE);
  }
  const ended = await logins.revokeAt({ issuer: provider.issuer, ...read.value });
  const subject = read.value.subject ?? read.value.sid ?? "";
  await audit.add({ actor: provider.issuer, action: "login.ended_by_provider", subject, details: { ended } });
  return c.body(null, 200, NO_STORE);
}

const newAttempt = (returnTo: string): Attempt => ({
  state: randomBytes(32).toString("base64url"),
  nonce: randomBytes(32).toString("base64url"),
  verifier: randomBytes(32).toString("base64url"),
  returnTo,
  startedAt: Date.now(),
});

function readAttempt(cookie: string | undefined, box: SecretBox): Attempt | undefined {
  const opened = cookie === undefined ? undefined : box.open(decoded(cookie));
  if (opened === undefined) return undefined;
  const attempt = StoredAttempt.parse(JSON.parse(opened)); // sealed by us
  return Date.now() - attempt.startedAt < ATTEMPT_SECONDS * 1000 ? attempt : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

async function endPrevious(c: Context, origin: string, logins: LoginStore) {
  const sent = readCookie(c, "login", origin);
  const found = sent === undefined ? undefined : await logins.find(sent);
  if (found) await logins.revoke(found.login.id);
  return found?.login;
}

/** The reason goes to the log; the page gets a code. */
function failed(c: Context, log: Log, problem: Problem, why: string): Response {
  log.info(`A sign-in failed (${problem}): ${why}`);
  c.header("cache-control", "no-store");
  return c.redirect(`/?sign_in=${problem}`, 302);
}

async function logoutToken(c: Context): Promise<string | undefined> {
  const isForm = (c.req.header("content-type") ?? "").startsWith("application/x-www-form-urlencoded");
  const values = isForm ? new URLSearchParams(await c.req.text()).getAll("logout_token") : [];
  const [token] = values;
  return values.length === 1 && token !== undefined && token.length <= MOST_LOGOUT_CHARS ? token : undefined;
}
