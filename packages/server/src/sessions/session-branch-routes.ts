/** The branches of a conversation, and the tools allowed for the rest of a session. */
import { AllowedToolsQuery, BranchPoints, Session } from "@capstan/client/wire";
import type { AuditLog, SessionStore } from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import { Id, json, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { sessionDto } from "./session-routes.ts";

const disallowTools = createRoute({
  operationId: "disallowTools",
  ...needs("session", "change"),
  method: "delete",
  path: "/v1/sessions/{id}/allowed-tools",
  summary: "Revoke what was allowed for the rest of the session",
  request: { params: Id, query: AllowedToolsQuery },
  responses: { 200: json(Session, "The session as it is now.") },
});

const listBranches = createRoute({
  operationId: "listBranches",
  ...needs("session", "see"),
  method: "get",
  path: "/v1/sessions/{id}/branches",
  summary: "Where the conversation went other ways, and in which sessions",
  request: { params: Id },
  responses: { 200: json(BranchPoints, "First to last.") },
});

export interface SessionBranchRouteParts {
  readonly sessions: SessionStore;
  readonly audit: AuditLog;
}

export function sessionBranchRoutes({ sessions, audit }: SessionBranchRouteParts) {
  const routes = newRoutes("sessions");
  routes.openapi(disallowTools, async (c) => {
    const { id } = c.req.valid("param");
    const { tool } = c.req.valid("query");
    const changed = await sessions.disallow(id, tool);
    if (!changed.ok) return problem(c, changed.failure);
    await audit.add({
      actor: c.get("caller").email,
      action: "session.disallowed",
      subject: id,
      details: { tool: tool ?? "all" },
    });
    return c.json(sessionDto(changed.value), 200);
  });
  routes.openapi(listBranches, async (c) => {
    const points = await sessions.branches(c.req.valid("param").id);
    if (!points.ok) return problem(c, points.failure);
    const items = points.value.map(({ position, sessionIds }) => ({
      position,
      session_ids: [...sessionIds],
    }));
    return c.json({ items }, 200);
  });
  return routes;
}
