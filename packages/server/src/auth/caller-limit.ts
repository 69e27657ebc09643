/**
 * Limits requests that need no key: one limit per caller (by user if known, otherwise by address) below a global one.
 * A request refused by the caller's own limit does not count towards the global limit, so one caller alone cannot
 * exhaust it.
 */
import type { Context } from "hono";
import type { AppEnv } from "../http/define-route.ts";
import type { Settings } from "../settings/settings.ts";
import { callerAddresses } from "./caller-address.ts";
import { NOBODY } from "./known-callers.ts";
import { rateLimiter } from "./rate-limiter.ts";

export interface LimitPerMinute {
  readonly ofOne: number;
  readonly ofAll: number;
}

/** The limit that was reached; undefined when the request may pass. */
export interface LimitReached {
  readonly perMinute: number;
  readonly retryAfterSeconds: number;
}

export function callerLimit({ ofOne, ofAll }: LimitPerMinute, now: () => number) {
  const one = rateLimiter(now);
  const all = rateLimiter(now);
  return (caller: string): LimitReached | undefined =>
    reached(one(caller, ofOne), ofOne) ?? reached(all("all", ofAll), ofAll);
}

const reached = (wait: number, perMinute: number): LimitReached | undefined =>
  wait > 0 ? { perMinute, retryAfterSeconds: wait } : undefined;

/** The name to count a request by. */
export function callerNames(settings: Settings): (c: Context<AppEnv>) => string {
  const addressOf = callerAddresses(settings);
  return (c) => {
    const caller = c.get("caller") ?? NOBODY;
    return caller === NOBODY ? `address ${addressOf(c)}` : `user ${caller.email}`;
  };
}

/** The limit of a route that anyone may call. */
export function requestLimit(limit: LimitPerMinute, settings: Settings) {
  const nameOf = callerNames(settings);
  const check = callerLimit(limit, () => performance.now());
  return (c: Context<AppEnv>) => check(nameOf(c));
}
