/** /v1/sessions/{id}/trajectory: a conversation in ATIF, for tools that train and evaluate agents. */
import { Trajectory, TrajectoryQuery } from "@capstan/client/wire";
import { type Database, readTrajectory } from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import { asWire, Id, json, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";

const trajectory = createRoute({
  operationId: "getTrajectory",
  ...needs("session", "see"),
  method: "get",
  path: "/v1/sessions/{id}/trajectory",
  summary: "The conversation, or one of its runs, as an ATIF trajectory (version 1.7)",
  request: { params: Id, query: TrajectoryQuery },
  responses: { 200: json(Trajectory, "The trajectory.") },
});

export function trajectoryRoutes({ database }: { readonly database: Pick<Database, "pool"> }) {
  const routes = newRoutes("sessions");
  routes.openapi(trajectory, async (c) => {
    const { run_id: runId } = c.req.valid("query");
    const read = await readTrajectory(database.pool, c.req.valid("param").id, runId);
    return read.ok ? c.json(asWire<Trajectory>(read.value), 200) : problem(c, read.failure);
  });
  return routes;
}
