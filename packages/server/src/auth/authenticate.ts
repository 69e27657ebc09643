/** Who is asking? On loopback without a key: the local user, who may do everything. Elsewhere: the owner of a key. */
import { fail } from "@capstan/core";
import { LOCAL_USER } from "@capstan/runtime";
import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../define-route.ts";
import { problem } from "../problem.ts";
import type { Services } from "../services.ts";
import type { Caller } from "./caller.ts";
import { isLoopback } from "./guard-origin.ts";

const OPEN_PATHS = new Set(["/health", "/ready", "/openapi.json", "/docs"]);

export function authenticate({ settings }: Services): MiddlewareHandler<AppEnv> {
  const local: Caller = {
    email: LOCAL_USER,
    rights: ["admin"],
    key: "loopback",
    perMinute: settings.CAPSTAN_RATE_LIMIT_PER_MINUTE,
  };
  const open = isLoopback(settings.HOST);
  return async (c, next) => {
    if (!open && !OPEN_PATHS.has(c.req.path))
      return problem(c, fail("unauthenticated", { why: "no key was sent" }).failure);
    c.set("caller", local);
    return next();
  };
}
