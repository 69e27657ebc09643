/**
 * /v1/sessions/{id}/compatibility: which parts of a session another program would receive, checked before the switch.
 */
import { Compatibility, CompatibilityQuery } from "@capstan/client/wire";
import type { SessionStore } from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import { Id, json, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { continueDto } from "../sessions/session-routes.ts";
import { type ContinueParts, continueReport } from "./continue-session.ts";

const getCompatibility = createRoute({
  operationId: "getCompatibility",
  ...needs("session", "see"),
  method: "get",
  path: "/v1/sessions/{id}/compatibility",
  summary: "What would be carried over if the session continued in another program, and what would not",
  request: { params: Id, query: CompatibilityQuery },
  responses: { 200: json(Compatibility, "Nothing has changed.") },
});

export function compatibilityRoutes(services: ContinueParts & { readonly sessions: SessionStore }) {
  const { sessions } = services;
  const routes = newRoutes("sessions");
  routes.openapi(getCompatibility, async (c) => {
    const { in: harness, model } = c.req.valid("query");
    const found = await sessions.get(c.req.valid("param").id);
    if (!found.ok) return problem(c, found.failure);
    const wanted = { harness, ...(model && { model }) };
    const report = await continueReport(services, found.value, wanted, c.get("caller"));
    if (!report.ok) return problem(c, report.failure);
    const { from, to, comesAlong, leftBehind, settled } = report.value;
    return c.json(
      {
        from: continueDto(from),
        to: continueDto(to),
        comes_along: [...comesAlong],
        left_behind: [...leftBehind],
        refusal: settled.ok ? null : settled.failure,
      },
      200,
    );
  });
  return routes;
}
