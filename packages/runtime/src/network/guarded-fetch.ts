/**
 * The only network access of tools. Every hop of every request is checked: the URL, then the address the connection
 * is opened to. The result is a standard `Response` whose body is decoded and bounded in size and time; reading it throws
 * `BodyLimitError` at the size limit. Redirects are followed here and not by undici, because each is a new decision.
 */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { fail, type GuardedFetch, type GuardedFetchOptions, ok, type Result } from "@capstan/core";
import type { Agent, Dispatcher } from "undici";
import { ACCEPT_ENCODING } from "./bounded-body.ts";
import type { JudgeAddress, Resolve } from "./checked-connector.ts";
import { guardedResponse } from "./guarded-response.ts";
import { networkFault } from "./network-fault.ts";
import { type Hop, nextHop } from "./redirect.ts";
import { AddressRefusedError, refusedAddress } from "./refused-address.ts";
import { RequestClock } from "./request-clock.ts";
import { type AllowedHost, allowList, checkUrl, portOf, shownUrl } from "./url-policy.ts";

export interface GuardedFetchSettings {
  /** Hosts (`host` or `host:port`) that may be reached although their address is not public. */
  allowHosts?: readonly string[];
  /** Of a decoded body. */
  maxBytes?: number;
  /** From the call to the last byte of the body, redirects included. */
  timeoutMs?: number;
  /** Until the headers of each response, including DNS and connecting; a call may set less. */
  firstByteTimeoutMs?: number;
  maxRedirects?: number;
  userAgent?: string;
  /** How names are resolved; default: by the system. */
  resolve?: Resolve;
  /** Which addresses are refused; default: everything that is not public. */
  judge?: JudgeAddress;
}

/** `close` ends its connections, so that a process can end. `check` tells in advance whether an address would be refused. */
export type ClosableFetch = GuardedFetch & {
  check(url: string): Promise<Result<URL>>;
  close(): Promise<void>;
};

const DEFAULTS = {
  maxBytes: 20 * 1024 * 1024,
  timeoutMs: 60_000,
  firstByteTimeoutMs: 30_000,
  maxRedirects: 10,
  userAgent: "Capstan/0.1",
};
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** Set by the connection itself; a caller who sets them can smuggle a second request. */
const OWN_HEADERS =
  /^(host|connection|keep-alive|transfer-encoding|content-length|upgrade|te|trailer|expect|proxy-.*)$/i;

export function createGuardedFetch(settings: GuardedFetchSettings = {}): ClosableFetch {
  const limits = { ...DEFAULTS, ...settings };
  const allowed = allowList(settings.allowHosts ?? []);
  let opened: Promise<Agent> | undefined;
  // A megabyte of code, loaded by the first request.
  const open = async () => {
    const { checkedAgent } = await import("./checked-connector.ts");
    return checkedAgent(allowed, settings.resolve ?? systemResolve, settings.judge, limits.timeoutMs);
  };
  const agent = () => (opened ??= open());
  const guard: Guard = { agent, allowed, limits, judge: settings.judge };
  const guardedFetch: GuardedFetch = (url, options = {}) => follow(guard, url, options);
  return Object.assign(guardedFetch, {
    check: (url: string) => checkAddress(url, guard, settings.resolve ?? systemResolve),
    close: async () => (await opened)?.destroy(),
  });
}

/** A name that does not resolve now may resolve later, so only what the guard would refuse is refused. */
async function checkAddress(text: string, guard: Guard, resolve: Resolve): Promise<Result<URL>> {
  const { allowed, judge = refusedAddress } = guard;
  const url = checkUrl(text, allowed, judge);
  if (!url.ok || isIP(url.value.hostname) !== 0 || allowed(url.value.hostname, portOf(url.value))) return url;
  const addresses = await resolve(url.value.hostname).catch(() => []);
  const [first = ""] = addresses;
  if (addresses.length === 0 || addresses.some((address) => judge(address) === undefined)) return url;
  const why = `${url.value.hostname} leads to ${first}, which is ${judge(first)}`;
  return fail("url_refused", { url: shownUrl(url.value), why });
}

interface Guard {
  agent: () => Promise<Agent>;
  allowed: AllowedHost;
  limits: typeof DEFAULTS;
  judge: JudgeAddress | undefined;
}

async function follow(guard: Guard, text: string, options: GuardedFetchOptions): Promise<Result<Response>> {
  const first = firstHop(guard, text, options);
  if (!first.ok) return first;
  const { maxRedirects, maxBytes } = guard.limits;
  const rules = { follow: options.redirects !== "refuse", maxRedirects };
  const firstByteTimeoutMs = options.firstByteTimeoutMs ?? guard.limits.firstByteTimeoutMs;
  const clock = new RequestClock(guard.limits.timeoutMs, options.signal);
  let hop = first.value;
  for (let redirects = 0; ; redirects++) {
    const answer = await send(guard, hop, clock, firstByteTimeoutMs);
    if (!answer.ok) return answer;
    const next = nextHop(hop, answer.value, redirects, rules);
    if (!next) return guardedResponse(answer.value, hop, maxBytes, clock);
    drain(answer.value);
    if (!next.ok) return clock.end(next);
    const checked = checkUrl(next.value.url.href, guard.allowed, guard.judge);
    if (!checked.ok) return clock.end(checked);
    hop = next.value;
  }
}

function firstHop(guard: Guard, text: string, options: GuardedFetchOptions): Result<Hop> {
  const method = (options.method ?? "GET").toUpperCase();
  if (!METHODS.has(method))
    return fail("input_invalid", { where: `the method ${method.slice(0, 20)} is not allowed` });
  const url = checkUrl(text, guard.allowed, guard.judge);
  if (!url.ok) return url;
  const headers = ownHeaders(options.headers ?? {}, guard.limits.userAgent);
  return ok({ url: url.value, method, headers, body: options.body ?? null });
}

async function send(
  { agent, limits }: Guard,
  { url, method, headers, body }: Hop,
  clock: RequestClock,
  firstByteTimeoutMs: number,
): Promise<Result<Dispatcher.ResponseData>> {
  const opened = await agent();
  const firstByte = clock.firstByte(firstByteTimeoutMs);
  try {
    const request = { origin: url.origin, path: url.pathname + url.search, method, headers, body };
    return ok(await opened.request({ ...request, signal: clock.signal } as Dispatcher.RequestOptions));
  } catch (error) {
    const shown = shownUrl(url);
    if (clock.stopped === "first-byte")
      return clock.end(fail("first_byte_timeout", { url: shown, timeoutMs: firstByteTimeoutMs }));
    if (clock.stopped === "total")
      return clock.end(fail("response_timeout", { url: shown, timeoutMs: limits.timeoutMs }));
    if (clock.stopped === "caller") return clock.end(fail("cancelled", { what: `Fetching ${shown}` }));
    if (error instanceof AddressRefusedError)
      return clock.end(fail("url_refused", { url: shown, why: error.why }));
    return clock.end(fail("network_error", { url: shown, why: networkFault(error) }));
  } finally {
    clearTimeout(firstByte);
  }
}

/** Reads the short body of a redirect, so that its connection can be reused; nobody waits for it. */
function drain({ body }: Dispatcher.ResponseData): void {
  body.dump({ limit: 65_536, signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
}

function ownHeaders(headers: Record<string, string>, userAgent: string): Record<string, string> {
  const kept = Object.entries(headers).filter(
    ([name]) => !OWN_HEADERS.test(name) && !/^accept-encoding$/i.test(name),
  );
  const lower = Object.fromEntries(kept.map(([name, value]) => [name.toLowerCase(), value]));
  return { "user-agent": userAgent, accept: "*/*", ...lower, "accept-encoding": ACCEPT_ENCODING };
}

async function systemResolve(hostname: string): Promise<string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}
