/** The response where no route matches: 405 with the allowed methods, otherwise 404. Always a problem; a browser gets the studio's page before this. */
import { fail } from "@capstan/core";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { AppEnv } from "./define-route.ts";
import { problem } from "./problem.ts";

const NEXT_STEP = "GET /openapi.json and the page at /docs list every route.";

export function notServed(app: OpenAPIHono<AppEnv>): (c: Context) => Response {
  let patterns: readonly { method: string; matches: RegExp }[] | undefined; // created on first use: routes do not change
  return (c) => {
    patterns ??= app.routes
      .filter(isSpecific)
      .map(({ method, path }) => ({ method, matches: patternOf(path) }));
    const { method, path } = c.req;
    const taken = patterns.filter(({ matches }) => matches.test(path)).map((each) => each.method);
    const allowed = [...new Set(taken)].sort();
    if (allowed.length === 0 || allowed.includes(method))
      return problem(
        c,
        fail("not_found", { what: "route", id: `${method} ${path}`, nextStep: NEXT_STEP }).failure,
      );
    return problem(c, fail("method_not_allowed", { method, path, allowed }).failure, {
      allow: allowed.join(", "),
    });
  };
}

/** Middleware matches every path and method; the studio's files are looked up by name. */
const isSpecific = ({ method, path }: { method: string; path: string }): boolean =>
  method !== "ALL" && path !== "*" && path !== "/*";

const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .replace(/[.+?^$()|[\]\\]/g, "\\$&")
      .replace(/:[^/{]+(\{[^}]*\})?/g, "[^/]+")
      .replace(/\*/g, ".*")}$`,
  );
