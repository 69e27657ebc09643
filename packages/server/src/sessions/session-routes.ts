/** /v1/sessions: conversations. Their files are in session-files.ts, their messages and events in runs.ts. */

import { fail } from "@capstan/core";
import type { AgentStore, SessionRecord, SessionStore } from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import { isTheirs, ownerFilter } from "../auth/ownership.ts";
import { json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";

export const SessionDto = z
  .object({
    id: z.string(),
    agent_id: z.string().nullable(),
    owner: z.string(),
    title: z.string(),
    status: z.string(),
    state: z.unknown(),
    metadata: z.record(z.string(), z.unknown()),
    forked_from: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("Session");

const Id = z.object({ id: z.string() });
const NewSession = z.object({
  id: z.uuid().optional().openapi({ description: "Yours to choose: the same id twice is one session." }),
  agent_id: z.uuid().optional(),
  title: z.string().max(500).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  state: z.record(z.string(), z.unknown()).optional(),
});
const SessionPatch = NewSession.pick({ title: true, agent_id: true, metadata: true });

const createSession = createRoute({
  ...needs("run"),
  method: "post",
  path: "/v1/sessions",
  tags: ["sessions"],
  summary: "Start a session",
  request: { body: jsonBody(NewSession) },
  responses: { 201: json(SessionDto, "The session.") },
});

const listSessions = createRoute({
  ...needs("read"),
  method: "get",
  path: "/v1/sessions",
  tags: ["sessions"],
  summary: "List sessions, newest first",
  request: {
    query: z.object({
      limit: z.coerce.number().int().min(1).max(200).default(50),
      cursor: z.string().max(100).optional(),
      agent_id: z.uuid().optional(),
    }),
  },
  responses: {
    200: json(
      z.object({ items: z.array(SessionDto), next_cursor: z.string().optional() }),
      "A page of sessions.",
    ),
  },
});

const getSession = createRoute({
  ...needs("read"),
  method: "get",
  path: "/v1/sessions/{id}",
  tags: ["sessions"],
  summary: "One session",
  request: { params: Id },
  responses: { 200: json(SessionDto, "The session.") },
});

const patchSession = createRoute({
  ...needs("run"),
  method: "patch",
  path: "/v1/sessions/{id}",
  tags: ["sessions"],
  summary: "Rename a session or give it another agent",
  request: { params: Id, body: jsonBody(SessionPatch) },
  responses: { 200: json(SessionDto, "The session as it is now.") },
});

const deleteSession = createRoute({
  ...needs("run"),
  method: "delete",
  path: "/v1/sessions/{id}",
  tags: ["sessions"],
  summary: "Delete a session with its messages and files",
  request: { params: Id },
  responses: { 204: { description: "It is gone." } },
});

export interface SessionRouteParts {
  readonly sessions: SessionStore;
  readonly agents: AgentStore;
}

export function sessionRoutes({ sessions, agents }: SessionRouteParts) {
  const routes = newRoutes();
  routes.openapi(createSession, async (c) => {
    const { agent_id, ...body } = c.req.valid("json");
    if (agent_id !== undefined) {
      const agent = await agents.get(agent_id);
      if (!agent.ok) return problem(c, { ...agent.failure, status: 422 });
    }
    const caller = c.get("caller");
    const session = await sessions.create({ ...body, agentId: agent_id, owner: caller.email });
    if (!isTheirs(caller, session.owner))
      return problem(c, fail("not_found", { what: "session", id: session.id }).failure);
    return c.json(sessionDto(session), 201);
  });
  routes.openapi(listSessions, async (c) => {
    const { agent_id, ...page } = c.req.valid("query");
    const { items, nextCursor } = await sessions.list({
      ...page,
      agentId: agent_id,
      owner: ownerFilter(c.get("caller")),
    });
    return c.json({ items: items.map(sessionDto), ...(nextCursor && { next_cursor: nextCursor }) }, 200);
  });
  routes.openapi(getSession, async (c) => {
    const found = await sessions.get(c.req.valid("param").id);
    return found.ok ? c.json(sessionDto(found.value), 200) : problem(c, found.failure);
  });
  routes.openapi(patchSession, async (c) => {
    const { title, agent_id, metadata } = c.req.valid("json");
    const changed = await sessions.update(c.req.valid("param").id, {
      ...(title !== undefined && { title }),
      ...(agent_id !== undefined && { agentId: agent_id }),
      ...(metadata !== undefined && { metadata }),
    });
    return changed.ok ? c.json(sessionDto(changed.value), 200) : problem(c, changed.failure);
  });
  routes.openapi(deleteSession, async (c) => {
    const gone = await sessions.delete(c.req.valid("param").id);
    return gone.ok ? c.body(null, 204) : problem(c, gone.failure);
  });
  return routes;
}

export function sessionDto(session: SessionRecord): z.input<typeof SessionDto> {
  return {
    id: session.id,
    agent_id: session.agentId,
    owner: session.owner,
    title: session.title,
    status: session.status,
    state: session.state,
    metadata: session.metadata as Record<string, unknown>,
    forked_from: session.forkedFrom,
    created_at: session.createdAt.toISOString(),
    updated_at: session.updatedAt.toISOString(),
  };
}
