/**
 * The cookie of a signed-in browser. On https its name starts with `__Host-`: browsers accept that only from this host
 * over https, so neither a sibling domain nor plain http can set one. It counts only for requests of our own pages.
 */
import type { Context } from "hono";

/** One of three: the login, the sign-in under way, or the chosen organisation. */
type CookieName = "login" | "attempt" | "organisation";

const cookieName = (name: CookieName, origin: string): string =>
  origin.startsWith("https:") ? `__Host-capstan-${name}` : `capstan-${name}`;

/** Undefined when there is none, or two: a browser sends one, so the other was set by someone else. */
export const readCookie = (c: Context, name: CookieName, origin: string): string | undefined =>
  cookieIn(c.req.header("cookie") ?? "", name, origin);

export function cookieIn(header: string, name: CookieName, origin: string): string | undefined {
  const wanted = `${cookieName(name, origin)}=`;
  const values = header
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(wanted));
  return values.length === 1 ? values[0]?.slice(wanted.length) || undefined : undefined;
}

/** Lax: the browser comes back from the provider with it, and sends it with no request that another site makes. */
export function cookieText(name: CookieName, value: string, origin: string, seconds: number): string {
  const secure = origin.startsWith("https:") ? "; Secure" : "";
  return `${cookieName(name, origin)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${Math.floor(seconds)}${secure}`;
}

export const endedCookie = (name: CookieName, origin: string): string => cookieText(name, "", origin, 0);

const SAFE = new Set(["GET", "HEAD"]);

/**
 * Against requests that another site makes with the visitor's cookie: what changes something must name our own origin;
 * a read must not come from another site, as far as the browser tells.
 */
export function isOwnPage(c: Context, origin: string): boolean {
  const sent = c.req.header("origin");
  if (sent !== undefined && sent !== origin) return false;
  if (!SAFE.has(c.req.method)) return sent === origin;
  const site = c.req.header("sec-fetch-site");
  return site === undefined || site === "same-origin" || site === "none";
}
