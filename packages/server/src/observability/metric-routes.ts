/** /metrics: for Prometheus, in its text format. */
import { createRoute, z } from "@hono/zod-openapi";
import { needs, newRoutes } from "../http/define-route.ts";
import { type MetricParts, serverMetrics } from "./server-metrics.ts";

const metrics = createRoute({
  operationId: "getMetrics",
  ...needs("server", "see"),
  method: "get",
  path: "/metrics",
  summary: "Counts, latencies, tokens and cost for Prometheus",
  responses: {
    200: { description: "Metrics.", content: { "text/plain": { schema: z.string() } } },
  },
});

export function metricRoutes(parts: MetricParts) {
  const routes = newRoutes("health");
  routes.openapi(metrics, async (c) =>
    c.text(await serverMetrics(parts), 200, {
      "content-type": "text/plain; version=0.0.4; charset=utf-8",
    }),
  );
  return routes;
}
