/** Runs of a session: stop, fork, list, and one with its trace. */
import { fail } from "@capstan/core";
import { type Database, type Runs, type SessionStore, type Telemetry, traceOf } from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import { ownSession } from "../auth/ownership.ts";
import { json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { SessionDto, sessionDto } from "../sessions/session-routes.ts";
import { RunDto, runDto } from "./run-dto.ts";

const Id = z.object({ id: z.string() });

const cancel = createRoute({
  ...needs("run"),
  method: "post",
  path: "/v1/sessions/{id}/cancel",
  tags: ["runs"],
  summary: "Stop the run that is on",
  request: { params: Id },
  responses: {
    200: json(z.object({ cancelled: z.boolean(), run_id: z.string().optional() }), "Whether there was one."),
  },
});

const fork = createRoute({
  ...needs("run"),
  method: "post",
  path: "/v1/sessions/{id}/fork",
  tags: ["runs"],
  summary: "A copy of the session up to a message, with its files",
  request: { params: Id, body: jsonBody(z.object({ message_id: z.string().max(200).optional() })) },
  responses: { 201: json(SessionDto, "The copy.") },
});

const listRuns = createRoute({
  ...needs("read"),
  method: "get",
  path: "/v1/sessions/{id}/runs",
  tags: ["runs"],
  summary: "The session's runs",
  request: { params: Id },
  responses: { 200: json(z.object({ items: z.array(RunDto), total: z.int() }), "Oldest first.") },
});

const getRun = createRoute({
  ...needs("read"),
  method: "get",
  path: "/v1/runs/{id}",
  tags: ["runs"],
  summary: "One run with its trace: model calls and tool calls, with time, tokens and cost",
  request: { params: Id },
  responses: {
    200: json(
      RunDto.extend({ trace: z.array(z.record(z.string(), z.unknown())) }).openapi("RunWithTrace"),
      "The run.",
    ),
  },
});

export interface RunRouteParts {
  readonly runs: Runs;
  readonly sessions: SessionStore;
  readonly database: Database;
  readonly telemetry: Telemetry;
}

export function runRoutes(services: RunRouteParts) {
  const { runs, sessions } = services;
  const routes = newRoutes();
  routes.openapi(cancel, async (c) => {
    const { id } = c.req.valid("param");
    const found = await sessions.get(id);
    if (!found.ok) return problem(c, found.failure);
    const stopped = await runs.cancel(id, { by: c.get("caller").email });
    return c.json({ cancelled: stopped.ok, ...(stopped.ok && { run_id: stopped.value.runId }) }, 200);
  });
  routes.openapi(fork, async (c) => {
    const made = await runs.fork(c.req.valid("param").id, c.req.valid("json").message_id);
    if (!made.ok) return problem(c, made.failure);
    const session = await sessions.get(made.value.sessionId);
    return session.ok ? c.json(sessionDto(session.value), 201) : problem(c, session.failure);
  });
  routes.openapi(listRuns, async (c) => {
    const items = (await runs.runsOf(c.req.valid("param").id)).map(runDto);
    return c.json({ items, total: items.length }, 200);
  });
  routes.openapi(getRun, async (c) => {
    const found = await runs.run(c.req.valid("param").id);
    if (!found.ok) return problem(c, found.failure);
    const session = await ownSession(sessions, found.value.sessionId, c.get("caller"));
    if (!session.ok) return problem(c, fail("not_found", { what: "run", id: found.value.id }).failure);
    return c.json({ ...runDto(found.value), trace: await traceOf(services, found.value) }, 200);
  });
  return routes;
}
