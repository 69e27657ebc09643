/** /v1/status: an overview of the server. Never which keys it has. */

import { type SecurityLine, ServerStatus } from "@capstan/client/wire";
import type { Database, RouteTier } from "@capstan/runtime";
import { countStore } from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import { json, needs, newRoutes } from "../http/define-route.ts";
import type { ServerModels } from "../models/models.ts";
import { VERSION } from "../settings/version.ts";

const status = createRoute({
  operationId: "getStatus",
  ...needs("server", "see"),
  method: "get",
  path: "/v1/status",
  summary: "Version, model, and counts of active and waiting work",
  responses: { 200: json(ServerStatus, "The server.") },
});

export interface StatusRouteParts {
  readonly database: Database;
  readonly models: ServerModels;
  readonly notes: () => readonly string[];
  readonly routeTier: RouteTier;
  readonly security: () => Promise<SecurityLine[]>;
}

export function statusRoutes({ database, models, notes, routeTier, security }: StatusRouteParts) {
  const routes = newRoutes("health");
  const startedAt = Date.now();
  routes.openapi(status, async (c) => {
    const [model, counts, lines] = await Promise.all([
      models.defaultModel(),
      countStore(database),
      security(),
    ]);
    return c.json(
      {
        version: VERSION,
        url: new URL(c.req.url).origin,
        data: database.location,
        model,
        counts,
        uptime_seconds: Math.round((Date.now() - startedAt) / 1000),
        routing: { tier: routeTier.model() ? routeTier.name : "static", waiting: routeTier.waiting() },
        security: lines,
        notes: [...notes()],
      },
      200,
    );
  });
  return routes;
}
