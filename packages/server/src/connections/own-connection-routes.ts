/** /v1/connections/{id}: ending a connection, revoking an agent's permission, and which calls used it. */
import { ConnectionConsentId, ConnectionRevoked, ConnectionUseList, listQueries } from "@capstan/client/wire";
import { fail, type Result } from "@capstan/core";
import {
  type AuditLog,
  type ConnectAccounts,
  type ConnectionRecord,
  type ConnectionStore,
  type Database,
  readCursor,
  subjectNames,
} from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import { isTheirs } from "../auth/ownership.ts";
import type { Caller } from "../http/caller.ts";
import { Id, json, needs, newRoutes } from "../http/define-route.ts";
import { wirePage } from "../http/list-page.ts";
import { problem } from "../http/problem.ts";
import { agentName } from "./connection-dto.ts";

const revoke = createRoute({
  operationId: "revokeConnection",
  ...needs("connection", "change"),
  method: "delete",
  path: "/v1/connections/{id}",
  summary: "End a connection: here at once, then at the provider",
  request: { params: Id },
  responses: { 200: json(ConnectionRevoked, "It is gone here.") },
});
const disallow = createRoute({
  operationId: "disallowConnection",
  ...needs("connection", "change"),
  method: "delete",
  path: "/v1/connections/{id}/consents/{agent_id}",
  summary: "Revoke what one agent was allowed; it asks again",
  request: { params: ConnectionConsentId },
  responses: { 204: { description: "Taken back." } },
});
const uses = createRoute({
  operationId: "listConnectionUses",
  ...needs("connection", "see"),
  method: "get",
  path: "/v1/connections/{id}/uses",
  summary: "Which agent used it when, for which tool; kept for 90 days",
  request: { params: Id, query: listQueries.ConnectionUseQuery },
  responses: { 200: json(ConnectionUseList, "Newest first.") },
});

export interface OwnConnectionParts {
  readonly database: Database;
  readonly connections: ConnectionStore;
  readonly connectAccounts: ConnectAccounts;
  readonly audit: AuditLog;
}

export const connectionNote =
  (audit: AuditLog) =>
  (caller: Caller, action: string, { id, provider, userEmail, scopes }: ConnectionRecord): Promise<void> =>
    audit.add({
      actor: caller.email,
      action: `connection.${action}`,
      subject: id,
      details: { provider, user: userEmail, scopes },
    });

export function ownConnectionRoutes(parts: OwnConnectionParts) {
  const { connections, connectAccounts: accounts, audit } = parts;
  const routes = newRoutes("connections");
  const note = connectionNote(audit);
  const own = (id: string, caller: Caller) => ownConnection(connections, id, caller);
  routes.openapi(revoke, async (c) => {
    const caller = c.get("caller");
    const found = await own(c.req.valid("param").id, caller);
    const gone = found.ok ? await accounts.revoke(found.value.id) : found;
    if (!gone.ok) return problem(c, gone.failure);
    await note(caller, "revoked", gone.value.connection);
    return c.json({ revoked_at_provider: gone.value.atProvider ?? null }, 200);
  });
  routes.openapi(disallow, async (c) => {
    const caller = c.get("caller");
    const { id, agent_id } = c.req.valid("param");
    const found = await own(id, caller);
    if (!found.ok) return problem(c, found.failure);
    if (!(await connections.disallow(id, agent_id)))
      return problem(c, fail("not_found", { what: "consent", id: agent_id }).failure);
    await note(caller, "disallowed", found.value);
    return c.body(null, 204);
  });
  routes.openapi(uses, async (c) => {
    const { limit, cursor, agent_id: agentId, q: text } = c.req.valid("query");
    const after = readCursor(cursor);
    if (!after.ok) return problem(c, after.failure);
    const found = await own(c.req.valid("param").id, c.get("caller"));
    if (!found.ok) return problem(c, found.failure);
    const page = await connections.uses(found.value.id, { limit, after: after.value, agentId, text });
    const agents = await subjectNames(
      parts.database,
      page.items.map(({ agentId }) => agentId),
    );
    const body = wirePage(page, (row) => ({
      used_at: row.usedAt.toISOString(),
      agent_id: row.agentId,
      agent_name: agentName({ agents }, row.agentId),
      capability_id: row.capabilityId,
      tool: row.tool,
      session_id: row.sessionId,
      run_id: row.runId,
    }));
    return c.json(body, 200);
  });
  return routes;
}

async function ownConnection(
  connections: ConnectionStore,
  id: string,
  caller: Caller,
): Promise<Result<ConnectionRecord>> {
  const found = await connections.get(id);
  if (!found.ok || isTheirs(caller, found.value.userEmail)) return found;
  return fail("not_found", { what: "connection", id });
}
