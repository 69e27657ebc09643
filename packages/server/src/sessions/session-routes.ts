/** /v1/sessions: conversations. Their files are in session-files.ts, their messages and events in runs.ts. */

import { isDeepStrictEqual } from "node:util";
import {
  type ContinueIn,
  Session,
  SessionCreate,
  SessionPage,
  SessionPatch,
  SessionQuery,
} from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import type { ContinueIn as Continued } from "@capstan/core/internal";
import {
  type AgentSharings,
  type AgentStore,
  allowedTool,
  type RevisionStore,
  readCursor,
  type SessionChanges,
  type SessionRecord,
  type SessionStore,
} from "@capstan/runtime";
import { createRoute, type z } from "@hono/zod-openapi";
import { checkedFollows, followsDto } from "../auth/follows.ts";
import { isTheirs, ownerFilter, seesAll } from "../auth/ownership.ts";
import type { Caller } from "../http/caller.ts";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { checkOwnEntries, sessionChanges } from "./session-patch.ts";

const createSession = createRoute({
  operationId: "createSession",
  ...needs("session", "change"),
  method: "post",
  path: "/v1/sessions",
  summary: "Start a session",
  request: { body: jsonBody(SessionCreate) },
  responses: { 201: json(Session, "The session.") },
});

const listSessions = createRoute({
  operationId: "listSessions",
  ...needs("session", "see"),
  method: "get",
  path: "/v1/sessions",
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
  summary: "One session",
  request: { params: Id },
  responses: { 200: json(Session, "The session.") },
});

const patchSession = createRoute({
  operationId: "updateSession",
  ...needs("session", "change"),
  method: "patch",
  path: "/v1/sessions/{id}",
  summary: "Rename a session, give it another agent, or continue it in another program",
  request: { params: Id, body: jsonBody(SessionPatch) },
  responses: { 200: json(Session, "The updated session.") },
});

const deleteSession = createRoute({
  operationId: "deleteSession",
  ...needs("session", "change"),
  method: "delete",
  path: "/v1/sessions/{id}",
  summary: "Delete a session with its messages and files",
  request: { params: Id },
  responses: { 204: { description: "Deleted." } },
});

export interface SessionRouteParts {
  /** How a session continues in another program, or why it cannot. */
  readonly continueSession: (
    session: SessionRecord,
    to: Continued,
    caller: Caller,
  ) => Promise<Result<Continued>>;
  readonly sessions: SessionStore;
  readonly agents: AgentStore;
  readonly sharing: AgentSharings;
  readonly revisions: RevisionStore;
  /** What is kept of a session outside the database goes with it. */
  readonly harnesses: { sweep(): void };
}

export function sessionRoutes(services: SessionRouteParts) {
  const { sessions } = services;
  const routes = newRoutes("sessions");
  routes.openapi(createSession, async (c) => {
    const { agent_id, follows: wanted, ...body } = c.req.valid("json");
    const agent = await knownAgent(services.sharing, c.get("caller"), agent_id);
    if (!agent.ok) return problem(c, agent.failure);
    const own = checkOwnEntries({}, body.metadata ?? {});
    if (!own.ok) return problem(c, own.failure);
    const caller = c.get("caller");
    const follows = await checkedFollows(services, caller, agent_id, wanted);
    if (!follows.ok) return problem(c, follows.failure);
    const started = { ...body, agentId: agent_id, owner: caller.email, follows: follows.value };
    const session = await sessions.create(started);
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
    const all = await wholeChange(services, found.value, changes.value, patch, c.get("caller"));
    if (!all.ok) return problem(c, all.failure);
    if (Object.keys(all.value).length === 0) return c.json(sessionDto(found.value), 200);
    const changed = await sessions.update(id, all.value);
    return changed.ok ? c.json(sessionDto(changed.value), 200) : problem(c, changed.failure);
  });
  routes.openapi(deleteSession, async (c) => {
    const gone = await sessions.delete(c.req.valid("param").id);
    services.harnesses.sweep();
    return gone.ok ? c.body(null, 204) : problem(c, gone.failure);
  });
  return routes;
}

/** An agent that a body names must be there. */
async function knownAgent(
  sharing: AgentSharings,
  caller: Caller,
  id: string | undefined,
): Promise<Result<unknown>> {
  const { email } = caller;
  const rights = id === undefined ? [] : await sharing.rightsOf(id, { email, isAdmin: seesAll(caller) });
  const isKnown = id === undefined || rights.includes("use");
  return isKnown ? ok(undefined) : fail("not_found", { what: "agent", id });
}

/** With the program that answers from then on; the agent and the program are checked before anything counts. */
async function wholeChange(
  services: SessionRouteParts,
  session: SessionRecord,
  changes: SessionChanges,
  patch: z.output<typeof SessionPatch>,
  caller: Caller,
): Promise<Result<SessionChanges>> {
  const agent = await knownAgent(services.sharing, caller, changes.agentId ?? undefined);
  if (!agent.ok) return agent;
  const program = await programChange(services, session, changes, patch, caller);
  return program.ok ? ok({ ...changes, ...program.value }) : program;
}

/** Another agent runs in its own program. */
async function programChange(
  { continueSession }: SessionRouteParts,
  session: SessionRecord,
  { agentId = session.agentId }: SessionChanges,
  { continue_in }: z.output<typeof SessionPatch>,
  caller: Caller,
): Promise<Result<SessionChanges>> {
  const movesAgent = agentId !== session.agentId;
  const isSame = isDeepStrictEqual(continue_in, sessionDto(session).continue_in);
  if (continue_in === undefined || (isSame && !movesAgent)) return ok(movesAgent ? { continueIn: null } : {});
  if (continue_in === null) return ok({ continueIn: null });
  const continued = await continueSession({ ...session, agentId }, continue_in, caller);
  return continued.ok ? ok({ continueIn: continued.value }) : continued;
}

export const continueDto = ({ harness, model }: Continued): ContinueIn => ({
  harness,
  ...(model !== undefined && { model }),
});

const labelsDto = (labels: SessionRecord["labels"]): Session["labels"] =>
  Object.fromEntries(
    Object.entries(labels).map(([label, { tool, runId, at }]) => [
      label,
      { tool, ...(runId !== undefined && { run_id: runId }), at },
    ]),
  );

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
    labels: labelsDto(session.labels),
    continue_in: session.continueIn && continueDto(session.continueIn),
    follows: followsDto(session.follows),
    comparison_id: session.comparisonId,
    pinned: session.pinnedAt !== null,
    archived: session.archivedAt !== null,
    created_at: session.createdAt.toISOString(),
    updated_at: session.updatedAt.toISOString(),
  };
}
