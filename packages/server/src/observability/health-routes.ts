/** /health: the process is alive. /ready: it can serve requests. */

import { Alive } from "@capstan/client/wire";
import { fail } from "@capstan/core";
import type { Database } from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import { json, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";

const READY_MS = 5000;

const health = createRoute({
  operationId: "getHealth",
  method: "get",
  path: "/health",
  summary: "Whether the process is alive",
  "x-capstan-right": "none",
  responses: { 200: json(Alive, "It lives.") },
});

const ready = createRoute({
  operationId: "getReady",
  method: "get",
  path: "/ready",
  summary: "Whether requests can be served",
  "x-capstan-right": "none",
  responses: { 200: json(Alive, "It can.") },
});

export interface HealthRouteParts {
  readonly database: Database;
  readonly draining: () => boolean;
}

export function healthRoutes({ database, draining }: HealthRouteParts) {
  const routes = newRoutes("health");
  routes.openapi(health, (c) => c.json({ status: "ok" as const }, 200));
  routes.openapi(ready, async (c) => {
    if (draining()) return problem(c, notReady("it is stopping").failure);
    try {
      await Promise.race([database.pool.query("select 1"), late()]);
      return c.json({ status: "ok" as const }, 200);
    } catch {
      return problem(c, notReady("the database does not answer").failure);
    }
  });
  return routes;
}

/** A store that stopped during a statement never answers again; monitoring must notice. */
const late = (): Promise<never> =>
  new Promise((_, reject) => setTimeout(() => reject(new Error("late")), READY_MS).unref());

const notReady = (why: string) =>
  fail("not_available", { what: "The server", why, nextStep: "Wait, or check the database." });
