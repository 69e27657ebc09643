/** Runs of a session: stop, fork, list, and one with its trace. */

import {
  PageQuery,
  Run,
  RunCancelled,
  RunList,
  RunPage,
  RunQuery,
  SentPrompt,
  Session,
  SessionFork,
} from "@capstan/client/wire";
import { fail } from "@capstan/core";
import type { Database, Runs, SessionStore, Telemetry } from "@capstan/runtime";
import { findRuns as findStoredRuns, isUuid, promptOf, traceOf, webhookOf } from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import { ownerFilter, ownSession } from "../auth/ownership.ts";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { wirePage } from "../http/list-page.ts";
import { problem } from "../http/problem.ts";
import { sessionDto } from "../sessions/session-routes.ts";
import { runDto, traceDto, webhookDto } from "./run-dto.ts";

const cancel = createRoute({
  operationId: "cancelRun",
  ...needs("run", "use"),
  method: "post",
  path: "/v1/sessions/{id}/cancel",
  summary: "Stop the active run",
  request: { params: Id },
  responses: {
    200: json(RunCancelled, "Whether there was one."),
  },
});

const fork = createRoute({
  operationId: "forkSession",
  ...needs("run", "use"),
  method: "post",
  path: "/v1/sessions/{id}/fork",
  summary: "A copy of the session up to a message, with its files and tasks",
  request: { params: Id, body: jsonBody(SessionFork) },
  responses: { 201: json(Session, "The copy.") },
});

const listRuns = createRoute({
  operationId: "listRuns",
  ...needs("run", "see"),
  method: "get",
  path: "/v1/sessions/{id}/runs",
  summary: "The session's runs, oldest first, as its messages are",
  request: { params: Id, query: PageQuery },
  responses: { 200: json(RunList, "A page of runs.") },
});

const findRuns = createRoute({
  operationId: "findRuns",
  ...needs("run", "see"),
  method: "get",
  path: "/v1/runs",
  summary: "Runs, newest first; `client_run_id` finds the one that an AG-UI client started",
  request: { query: RunQuery },
  responses: { 200: json(RunPage, "A page of runs.") },
});

const getRun = createRoute({
  operationId: "getRun",
  ...needs("run", "see"),
  method: "get",
  path: "/v1/runs/{id}",
  summary: "One run with its trace: model calls and tool calls, with time, tokens and cost",
  request: { params: Id },
  responses: {
    200: json(Run, "The run."),
  },
});

const getPrompt = createRoute({
  operationId: "getSentPrompt",
  ...needs("run", "see"),
  method: "get",
  path: "/v1/runs/{id}/prompts/{prompt_id}",
  summary: "The system prompt and the tools sent with a model call of the run",
  request: { params: Id.extend({ prompt_id: z.string().max(100) }) },
  responses: { 200: json(SentPrompt, "As sent.") },
});

export interface RunRouteParts {
  readonly runs: Runs;
  readonly sessions: SessionStore;
  readonly database: Database;
  readonly telemetry: Telemetry;
}

export function runRoutes(services: RunRouteParts) {
  const { runs, sessions } = services;
  const routes = newRoutes("runs");
  routes.openapi(cancel, async (c) => {
    const { id } = c.req.valid("param");
    const found = await sessions.get(id);
    if (!found.ok) return problem(c, found.failure);
    const stopped = await runs.cancel(id, { by: c.get("caller").email });
    return c.json({ cancelled: stopped.ok, ...(stopped.ok && { run_id: stopped.value.runId }) }, 200);
  });
  routes.openapi(fork, async (c) => {
    const { message_id: id, before } = c.req.valid("json");
    const place = id === undefined ? undefined : before ? { before: id } : { after: id };
    const made = await runs.fork(c.req.valid("param").id, place);
    if (!made.ok) return problem(c, made.failure);
    const session = await sessions.get(made.value.sessionId);
    return session.ok ? c.json(sessionDto(session.value), 201) : problem(c, session.failure);
  });
  routes.openapi(listRuns, async (c) => {
    const { id } = c.req.valid("param");
    const found = await sessions.get(id);
    if (!found.ok) return problem(c, found.failure);
    const { limit, cursor } = c.req.valid("query");
    const all = await runs.runsOf(id);
    const last = all.findIndex((run) => run.id === cursor);
    if (cursor !== undefined && last === -1) return problem(c, fail("cursor_invalid", { cursor }).failure);
    const rest = all.slice(last + 1);
    const items = rest.slice(0, limit);
    const next = rest.length > limit ? items.at(-1) : undefined;
    return c.json(wirePage({ items, total: all.length, ...(next && { nextCursor: next.id }) }, runDto), 200);
  });
  routes.openapi(findRuns, async (c) => {
    const { cursor, limit, client_run_id, agent_id, session_id, status, q } = c.req.valid("query");
    if (cursor !== undefined && !isUuid(cursor))
      return problem(c, fail("cursor_invalid", { cursor }).failure);
    const { items, nextCursor } = await findStoredRuns(services.database.pool, {
      owner: ownerFilter(c.get("caller")),
      clientRunId: client_run_id,
      agentId: agent_id,
      sessionId: session_id,
      status,
      text: q,
      before: cursor,
      limit,
    });
    return c.json({ items: items.map(runDto), ...(nextCursor && { next_cursor: nextCursor }) }, 200);
  });
  routes.openapi(getRun, async (c) => {
    const found = await runs.run(c.req.valid("param").id);
    if (!found.ok) return problem(c, found.failure);
    const session = await ownSession(sessions, found.value.sessionId, c.get("caller"));
    if (!session.ok) return problem(c, fail("not_found", { what: "run", id: found.value.id }).failure);
    const trace = await traceOf(services, found.value);
    const webhook = webhookDto(await webhookOf(services.database.pool, found.value.id));
    return c.json({ ...runDto(found.value), webhook, trace: trace.map(traceDto) }, 200);
  });
  routes.openapi(getPrompt, async (c) => {
    const { id, prompt_id } = c.req.valid("param");
    const found = await runs.run(id);
    if (!found.ok) return problem(c, found.failure);
    const session = await ownSession(sessions, found.value.sessionId, c.get("caller"));
    if (!session.ok) return problem(c, fail("not_found", { what: "run", id }).failure);
    const prompt = await promptOf(services.database.pool, found.value, prompt_id);
    if (!prompt) return problem(c, fail("not_found", { what: "prompt", id: prompt_id }).failure);
    return c.json({ system_prompt: prompt.system, tools: prompt.tools }, 200);
  });
  return routes;
}
