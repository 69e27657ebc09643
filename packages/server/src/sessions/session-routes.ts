/** /v1/sessions: conversations. Their files are in session-files.ts, their messages and events in runs.ts. */

import { Session, SessionCreate, SessionPage, SessionPatch, SessionQuery } from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import {
  type AgentStore,
  allowedTool,
  readCursor,
  type SessionRecord,
  type SessionStore,
} from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import { isTheirs, ownerFilter } from "../auth/ownership.ts";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { checkOwnEntries, sessionChanges } from "./session-patch.ts";

const createSession = createRoute({
  operationId: "createSession",
  ...needs("session", "change"),
  method: "post",
  path: "/v1/sessions",
  tags: ["sessions"],
  summary: "Start a session",
  request: { body: jsonBody(SessionCreate) },
  responses: { 201: json(Session, "The session.") },
});

const listSessions = createRoute({
  operationId: "listSessions",
  ...needs("session", "see"),
  method: "get",
  path: "/v1/sessions",
  tags: ["sessions"],
  summary: "List sessions, newest first",
  request: {
    query: SessionQuery,
  },
  responses: {
    200: json(SessionPage, "A page of sessions."),
  },
});

const getSession = createRoute({
  operationId: "getSession",
  ...needs("session", "see"),
  method: "get",
  path: "/v1/sessions/{id}",
  tags: ["sessions"],
  summary: "One session",
  request: { params: Id },
  responses: { 200: json(Session, "The session.") },
});

const patchSession = createRoute({
  operationId: "updateSession",
  ...needs("session", "change"),
  method: "patch",
  path: "/v1/sessions/{id}",
  tags: ["sessions"],
  summary: "Rename a session or change its agent",
  request: { params: Id, body: jsonBody(SessionPatch) },
  responses: { 200: json(Session, "The updated session.") },
});

const deleteSession = createRoute({
  operationId: "deleteSession",
  ...needs("session", "change"),
  method: "delete",
  path: "/v1/sessions/{id}",
  tags: ["sessions"],
  summary: "Delete a session with its messages and files",
  request: { params: Id },
  responses: { 204: { description: "Deleted." } },
});

export interface SessionRouteParts {
  readonly sessions: SessionStore;
  readonly agents: AgentStore;
}

export function sessionRoutes({ sessions, agents }: SessionRouteParts) {
  const routes = newRoutes();
  routes.openapi(createSession, async (c) => {
    const { agent_id, ...body } = c.req.valid("json");
    const agent = await knownAgent(agents, agent_id);
    if (!agent.ok) return problem(c, agent.failure);
    const own = checkOwnEntries({}, body.metadata ?? {});
    if (!own.ok) return problem(c, own.failure);
    const caller = c.get("caller");
    const session = await sessions.create({ ...body, agentId: agent_id, owner: caller.email });
    if (!isTheirs(caller, session.owner))
      return problem(c, fail("not_found", { what: "session", id: session.id }).failure);
    return c.json(sessionDto(session), 201);
  });
  routes.openapi(listSessions, async (c) => {
    const { cursor, limit, agent_id, archived, pinned, status, q, thread_id } = c.req.valid("query");
    const after = readCursor(cursor);
    if (!after.ok) return problem(c, after.failure);
    const { items, nextCursor } = await sessions.list({
      limit,
      after: after.value,
      agentId: agent_id,
      archived: archived && archived === "true",
      pinned: pinned && pinned === "true",
      status,
      text: q,
      threadId: thread_id,
      owner: ownerFilter(c.get("caller")),
    });
    return c.json({ items: items.map(sessionDto), ...(nextCursor && { next_cursor: nextCursor }) }, 200);
  });
  routes.openapi(getSession, async (c) => {
    const found = await sessions.get(c.req.valid("param").id);
    return found.ok ? c.json(sessionDto(found.value), 200) : problem(c, found.failure);
  });
  routes.openapi(patchSession, async (c) => {
    const { id } = c.req.valid("param");
    const patch = c.req.valid("json");
    const found = await sessions.get(id);
    if (!found.ok) return problem(c, found.failure);
    const changes = sessionChanges(sessionDto(found.value), patch);
    if (!changes.ok) return problem(c, changes.failure);
    const agent = await knownAgent(agents, changes.value.agentId ?? undefined);
    if (!agent.ok) return problem(c, agent.failure);
    if (Object.keys(changes.value).length === 0) return c.json(sessionDto(found.value), 200);
    const changed = await sessions.update(id, changes.value);
    return changed.ok ? c.json(sessionDto(changed.value), 200) : problem(c, changed.failure);
  });
  routes.openapi(deleteSession, async (c) => {
    const gone = await sessions.delete(c.req.valid("param").id);
    return gone.ok ? c.body(null, 204) : problem(c, gone.failure);
  });
  return routes;
}

/** An agent that a body names must be there; that is a fault of the body, not of the path. */
async function knownAgent(agents: AgentStore, id: string | undefined): Promise<Result<unknown>> {
  const found = id === undefined ? ok(undefined) : await agents.get(id);
  return found.ok ? found : { ok: false, failure: { ...found.failure, status: 422 } };
}

export function sessionDto(session: SessionRecord): Session {
  return {
    id: session.id,
    agent_id: session.agentId,
    owner: session.owner,
    title: session.title,
    status: session.status,
    state: session.state,
    metadata: session.metadata as Record<string, unknown>,
    forked_from: session.forkedFrom,
    fork_position: session.forkPosition,
    conversation_id: session.conversationId,
    allowed_tools: [...new Set(session.allowedTools.map(allowedTool))],
    pinned: session.pinnedAt !== null,
    archived: session.archivedAt !== null,
    created_at: session.createdAt.toISOString(),
    updated_at: session.updatedAt.toISOString(),
  };
}
