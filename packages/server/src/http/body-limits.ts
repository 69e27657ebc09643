/** How large a request's body may be. Uploads into a session's files are bounded where they are read; all else is JSON. */
import { fail } from "@capstan/core";
import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { AppEnv } from "./define-route.ts";
import { problem } from "./problem.ts";
import { readAway } from "./read-body.ts";

const MEGABYTE = 1024 * 1024;
const JSON_BYTES = 4 * MEGABYTE;
/** Routes whose bodies carry a whole catalog or a package's archive. */
const LARGER: Readonly<Record<string, number>> = {
  "/v1/route/rank": 64 * MEGABYTE,
  "/v1/packages": 96 * MEGABYTE,
  "/v1/packages/review": 96 * MEGABYTE,
};

const limits = new Map<number, MiddlewareHandler<AppEnv>>();

export const limitBody: MiddlewareHandler<AppEnv> = (c, next) => {
  const { method, path } = c.req;
  if (method === "PUT" && path.includes("/files/")) return next();
  return limitOf(LARGER[path] ?? JSON_BYTES)(c, next);
};

function limitOf(maxSize: number): MiddlewareHandler<AppEnv> {
  const known = limits.get(maxSize);
  if (known) return known;
  const limit: MiddlewareHandler<AppEnv> = bodyLimit({
    maxSize,
    async onError(c) {
      await readAway(c.req.raw);
      return problem(c, fail("body_too_large", { limitBytes: maxSize }).failure);
    },
  });
  limits.set(maxSize, limit);
  return limit;
}
