/**
 * What the guard decides from a URL before any name is resolved: scheme, userinfo, port, and literal
 * addresses. `new URL` already reads 2130706433, 0x7f.1 and 0177.0.0.1 as 127.0.0.1, so spellings need no code here.
 */
import { isIP } from "node:net";
import { fail, ok, type Result } from "@capstan/core";
import { refusedAddress } from "./refused-address.ts";

const MAX_URL_CHARS = 8_000; // what servers accept in a request line

/** Ports blocked by the fetch standard: an HTTP request there talks to mail or a database. */
const REFUSED_PORTS = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** Whether an operator listed this host, with or without its port. */
export type AllowedHost = (hostname: string, port: number) => boolean;

/** Parses `host`, `host:port`, `[::1]` and `[::1]:port`. An invalid entry is a configuration error, so it throws. */
export function allowList(entries: readonly string[]): AllowedHost {
  const allowed = new Set(entries.map(normalEntry));
  return (hostname, port) => {
    const host = normalHost(hostname);
    return allowed.has(host) || allowed.has(`${host}:${port}`);
  };
}

/** Ports of this machine among the entries; a host without a port names none. */
export function loopbackPortsOf(entries: readonly string[]): number[] {
  const ports = entries.map(normalEntry).flatMap((entry) => {
    const [, port] = /^(?:localhost|127(?:\.\d+){3}|::1):(\d+)$/.exec(entry) ?? [];
    return port === undefined ? [] : [Number(port)];
  });
  return [...new Set(ports)].sort((a, b) => a - b);
}

export function checkUrl(text: string, allowed: AllowedHost, judge = refusedAddress): Result<URL> {
  const url = text.length <= MAX_URL_CHARS ? URL.parse(text) : null;
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:"))
    return fail("url_invalid", { url: text.slice(0, 200) });
  const why = urlFault(url, allowed, judge);
  return why ? fail("url_refused", { url: shownUrl(url), why }) : ok(url);
}

export function portOf(url: URL): number {
  return Number(url.port) || (url.protocol === "https:" ? 443 : 80);
}

/** A URL for messages: without userinfo. */
export function shownUrl(url: URL): string {
  const shown = new URL(url);
  shown.username = "";
  shown.password = "";
  return shown.href;
}

function urlFault(url: URL, allowed: AllowedHost, judge: typeof refusedAddress): string | undefined {
  if (url.username || url.password) return "it contains a user name or password";
  const port = portOf(url);
  if (allowed(url.hostname, port)) return undefined;
  if (REFUSED_PORTS.has(port)) return `port ${port} is not used for the web`;
  const host = normalHost(url.hostname);
  const what = isIP(host) === 0 ? undefined : judge(host);
  return what && `${host} is ${what}`;
}

/** Without brackets and the trailing dot: `localhost.` is `localhost`. */
function normalHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
}

function normalEntry(entry: string): string {
  const [, host = "", port] = /^(\[[^\]]+\]|[^:/@?#\s]+)(?::(\d{1,5}))?$/.exec(entry.trim()) ?? [];
  const url = URL.parse(`http://${host}/`);
  if (!url || !host || Number(port ?? 1) > 65_535)
    throw new Error(`"${entry}" is not a host or host:port (an IPv6 address needs brackets: [::1]:8080)`);
  return port === undefined ? normalHost(url.hostname) : `${normalHost(url.hostname)}:${Number(port)}`;
}
