/** /v1/status: what a person wants to know of a server at a glance. Never which keys it has. */
import { countStore, type Database, type RouteTier } from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import { json, needs, newRoutes } from "../http/define-route.ts";
import type { ServerModels } from "../models/models.ts";
import { VERSION } from "../settings/version.ts";

const Status = z
  .object({
    version: z.string(),
    url: z.string(),
    data: z.string().openapi({ description: "Where the data lies, without a password." }),
    model: z
      .object({ name: z.string(), label: z.string(), demo: z.boolean() })
      .openapi({ description: "What answers for agents that name no model." }),
    counts: z.object({
      running: z.int(),
      pending_approvals: z.int(),
      sessions: z.int(),
      agents: z.int(),
    }),
    uptime_seconds: z.int(),
    routing: z
      .object({
        tier: z.enum(["static", "minilm"]),
        waiting: z.int().openapi({
          description: "Texts the model still has to read; until then the static table answers.",
        }),
      })
      .openapi({ description: "What tasks are ranked by, beside their words." }),
    notes: z
      .array(z.string())
      .openapi({ description: "What the sandbox lacks on this system, and documents that cannot be used." }),
  })
  .openapi("ServerStatus");

const status = createRoute({
  ...needs("read"),
  method: "get",
  path: "/v1/status",
  tags: ["health"],
  summary: "Version, model, and how much runs and waits",
  responses: { 200: json(Status, "The server.") },
});

export interface StatusRouteParts {
  readonly database: Database;
  readonly models: ServerModels;
  readonly notes: () => readonly string[];
  readonly routeTier: RouteTier;
}

export function statusRoutes({ database, models, notes, routeTier }: StatusRouteParts) {
  const routes = newRoutes();
  const startedAt = Date.now();
  routes.openapi(status, async (c) => {
    const [model, counts] = await Promise.all([models.defaultModel(), countStore(database)]);
    return c.json(
      {
        version: VERSION,
        url: new URL(c.req.url).origin,
        data: database.location,
        model,
        counts,
        uptime_seconds: Math.round((Date.now() - startedAt) / 1000),
        routing: { tier: routeTier.model() ? routeTier.name : "static", waiting: routeTier.waiting() },
        notes: [...notes()],
      },
      200,
    );
  });
  return routes;
}
