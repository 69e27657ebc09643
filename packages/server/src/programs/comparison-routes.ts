/** /v1/sessions/{id}/comparisons: the same message to several programs or models, side by side. */
import { Comparison, ComparisonCreate, ComparisonKeep, Session } from "@capstan/client/wire";
import { createRoute, z } from "@hono/zod-openapi";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { sessionDto } from "../sessions/session-routes.ts";
import { type CompareParts, keepBranch, readComparison, startComparison } from "./compare-programs.ts";

const OfSession = Id.extend({ comparison_id: z.uuid() });

const startRoute = createRoute({
  operationId: "startComparison",
  ...needs("session", "use"),
  method: "post",
  path: "/v1/sessions/{id}/comparisons",
  summary: "Send one message to several programs or models, each in a branch with its own copy of the files",
  request: { params: Id, body: jsonBody(ComparisonCreate) },
  responses: { 201: json(Comparison, "The branches, which have begun to answer.") },
});

const readRoute = createRoute({
  operationId: "getComparison",
  ...needs("session", "see"),
  method: "get",
  path: "/v1/sessions/{id}/comparisons/{comparison_id}",
  summary: "Answers, changed files, time and cost of the branches, as far as they are",
  request: { params: OfSession },
  responses: { 200: json(Comparison, "The branches.") },
});

const keepRoute = createRoute({
  operationId: "keepBranch",
  ...needs("session", "change"),
  method: "post",
  path: "/v1/sessions/{id}/comparisons/{comparison_id}/keep",
  summary: "Continue in one branch; the others and the session they came from are archived",
  request: { params: OfSession, body: jsonBody(ComparisonKeep) },
  responses: { 200: json(Session, "The branch, in which the conversation continues.") },
});

export function comparisonRoutes(services: CompareParts) {
  const { sessions } = services;
  const routes = newRoutes("sessions");
  routes.openapi(startRoute, async (c) => {
    const found = await sessions.get(c.req.valid("param").id);
    if (!found.ok) return problem(c, found.failure);
    const { content, in: programs } = c.req.valid("json");
    const started = await startComparison(services, found.value, { content, programs }, c.get("caller"));
    return started.ok ? c.json(started.value, 201) : problem(c, started.failure);
  });
  routes.openapi(readRoute, async (c) => {
    const { id, comparison_id } = c.req.valid("param");
    const found = await sessions.get(id);
    if (!found.ok) return problem(c, found.failure);
    const read = await readComparison(services, found.value, comparison_id);
    return read.ok ? c.json(read.value, 200) : problem(c, read.failure);
  });
  routes.openapi(keepRoute, async (c) => {
    const { id, comparison_id } = c.req.valid("param");
    const found = await sessions.get(id);
    if (!found.ok) return problem(c, found.failure);
    const kept = await keepBranch(services, found.value, comparison_id, c.req.valid("json").session_id);
    return kept.ok ? c.json(sessionDto(kept.value), 200) : problem(c, kept.failure);
  });
  return routes;
}
