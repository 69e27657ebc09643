/** Limits how many event streams one key may keep open: a client that never disconnects must not exhaust the process. */
import { fail } from "@capstan/core";
import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./define-route.ts";
import { problem } from "./problem.ts";
import { whenStreamEnds } from "./sse.ts";

const LOCAL = "loopback"; // the person who runs the server

export function limitStreams(mostPerKey: number): MiddlewareHandler<AppEnv> {
  const open = new Map<string, number>();
  return async (c, next) => {
    await next();
    const { key } = c.get("caller") ?? { key: LOCAL };
    if (key === LOCAL) return;
    const count = open.get(key) ?? 0;
    const isStream = whenStreamEnds(c.res, () => release(open, key));
    if (!isStream) return;
    open.set(key, count + 1);
    if (count < mostPerKey) return;
    await c.res.body?.cancel();
    c.res = problem(c, fail("rate_limited", { perMinute: mostPerKey, retryAfterSeconds: 1 }).failure, {
      "retry-after": "1",
    });
  };
}

function release(open: Map<string, number>, key: string): void {
  const left = (open.get(key) ?? 1) - 1;
  if (left > 0) open.set(key, left);
  else open.delete(key);
}
