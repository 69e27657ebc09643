/** /v1/sessions/search: full-text search over sessions. */
import { FoundSessions, SessionSearchQuery } from "@capstan/client/wire";
import { type Database, readCursor, searchSessions } from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import { ownerFilter } from "../auth/ownership.ts";
import { json, needs, newRoutes } from "../http/define-route.ts";
import { wirePage } from "../http/list-page.ts";
import { problem } from "../http/problem.ts";

const search = createRoute({
  operationId: "searchSessions",
  ...needs("session", "see"),
  method: "get",
  path: "/v1/sessions/search",
  summary: "Search the text of sessions, last changed first",
  request: { query: SessionSearchQuery },
  responses: { 200: json(FoundSessions, "The matching sessions.") },
});

export function sessionSearchRoutes({ database }: { readonly database: Database }) {
  const routes = newRoutes("sessions");
  routes.openapi(search, async (c) => {
    const { q, limit, cursor } = c.req.valid("query");
    const after = readCursor(cursor);
    if (!after.ok) return problem(c, after.failure);
    const owner = ownerFilter(c.get("caller"));
    const found = await searchSessions(database, { text: q, limit, owner, after: after.value });
    const body = wirePage(found, ({ id, title, agentId, status, updatedAt, archivedAt, excerpt }) => ({
      id,
      title,
      agent_id: agentId,
      status,
      updated_at: updatedAt.toISOString(),
      archived: archivedAt !== null,
      excerpt,
    }));
    return c.json(body, 200);
  });
  return routes;
}
