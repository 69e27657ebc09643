/** /api: tasks as in the specification, telemetry, and one generic route that serves the catalog's own routes through the gate. */

import {
  RankAnswer,
  RankRequest,
  RouteAnswer,
  RouteRequest,
  SeriesQuery,
  TaskAnswer,
  TaskRequest,
  TaskStarted,
  TaskState,
  TelemetryAnswer,
  TelemetryQuery,
  TelemetrySeries,
} from "@capstan/client/wire";
import type { CapabilityRegistry } from "@capstan/core";
import { type Capability, type Failure, fail, ok, type Result } from "@capstan/core";
import { summarise, type TaskResponse } from "@capstan/core/internal";
import type { RouteTier, TaskRunner, Telemetry } from "@capstan/runtime";
import { chatMatch, rankPosted, servingRoute, type TaskEvent } from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { isTheirs } from "../auth/ownership.ts";
import type { OneToolParts } from "../capabilities/run-one-tool.ts";
import { CALL_ID_HEADER, runOneTool } from "../capabilities/run-one-tool.ts";
import {
  type AppEnv,
  answer,
  asWire,
  authority,
  Id,
  json,
  jsonBody,
  needs,
  newRoutes,
  requireRight,
} from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { readJson } from "../http/read-json.ts";
import { sseEvent, sseResponse, streamStop } from "../http/sse.ts";
import { traceParent } from "../http/trace-parent.ts";

const TELEMETRY_DEFAULT = 25;
const TELEMETRY_MOST = 200;
/** As in the specification: nothing is refused, a large limit is capped. */
const TelemetryLimit = z.coerce
  .number()
  .int()
  .min(1)
  .catch(TELEMETRY_DEFAULT)
  .transform((limit) => Math.min(limit, TELEMETRY_MOST));

const telemetry = createRoute({
  operationId: "getExecutionTelemetry",
  ...needs("server", "see"),
  method: "get",
  path: "/api/execution-telemetry",
  tags: ["tasks"],
  summary: "The last calls: a summary and the newest records, no payloads",
  request: { query: TelemetryQuery },
  responses: { 200: json(TelemetryAnswer, "Summary and records.") },
});

const series = createRoute({
  operationId: "getTelemetrySeries",
  ...needs("server", "see"),
  method: "get",
  path: "/v1/telemetry/series",
  tags: ["tasks"],
  summary: "Calls over time: counts and latency percentiles",
  request: { query: SeriesQuery },
  responses: { 200: json(TelemetrySeries, "One point per bucket.") },
});

const explain = createRoute({
  operationId: "explainRoute",
  ...needs("capability", "see"),
  method: "post",
  path: "/v1/route",
  tags: ["tasks"],
  summary: "Which capability would serve a task, and why; near matches; nothing is called",
  request: { body: jsonBody(RouteRequest) },
  responses: { 200: json(RouteAnswer, "Intent, matches, rejected and plan.") },
});

const rankCatalog = createRoute({
  operationId: "rankCatalog",
  ...needs("capability", "see"),
  method: "post",
  path: "/v1/route/rank",
  tags: ["tasks"],
  summary: "Rank a posted catalog",
  request: { body: jsonBody(RankRequest) },
  responses: { 200: json(RankAnswer, "The matches of each task.") },
});

const IdempotencyKey = z.string().min(1).max(255).optional();

const execute = createRoute({
  operationId: "executeTask",
  ...needs("task", "use"),
  method: "post",
  path: "/api/execute-task",
  tags: ["tasks"],
  summary: "Find the capability for a task, plan, and execute it",
  request: {
    body: jsonBody(TaskRequest),
    headers: z.object({ "idempotency-key": IdempotencyKey }),
  },
  responses: {
    200: json(TaskAnswer, "The answer."),
    202: json(TaskStarted, "With `async`: where to poll it."),
  },
});

const getTask = createRoute({
  operationId: "getTask",
  ...needs("task", "see"),
  method: "get",
  path: "/api/tasks/{id}",
  tags: ["tasks"],
  summary: "A task that was started with `async`",
  request: { params: Id },
  responses: { 200: json(TaskState, "Its state, and its answer once done.") },
});

const followTask = createRoute({
  operationId: "followTask",
  ...needs("task", "see"),
  method: "get",
  path: "/api/tasks/{id}/events",
  tags: ["tasks"],
  summary: "Progress of a task: planned, step-started, step-ended, done (server-sent events)",
  request: { params: Id },
  responses: {
    200: { description: "The events.", content: { "text/event-stream": { schema: z.string() } } },
  },
});

export interface TaskRouteParts extends OneToolParts {
  readonly taskRunner: TaskRunner;
  readonly telemetry: Telemetry;
  readonly registry: CapabilityRegistry;
  readonly routeTier: RouteTier;
  /** Fires when the server stops: streams end with a hint to reconnect. */
  readonly stopping: AbortSignal;
}

export function taskRoutes(services: TaskRouteParts) {
  const routes = newRoutes();
  routes.openapi(telemetry, (c) => {
    const limit = TelemetryLimit.parse(c.req.valid("query").limit ?? TELEMETRY_DEFAULT);
    const records = services.telemetry.recent(limit);
    return c.json(asWire<TelemetryAnswer>({ summary: summarise(services.telemetry.all()), records }), 200);
  });
  routes.openapi(series, async (c) => {
    const { hours, bucket_seconds } = c.req.valid("query");
    await services.telemetry.flush();
    const from = new Date(Date.now() - hours * 3_600_000);
    const items = await services.telemetry.series({ from, bucketSeconds: bucket_seconds });
    return c.json({ items }, 200);
  });
  routes.openapi(explain, async (c) => {
    const { task, agent_id, top_k } = c.req.valid("json");
    const request = TaskRequest.parse({ task, topK: top_k, agentId: agent_id });
    const explained = await services.taskRunner.explain(request, c.get("caller").email);
    if (!explained.ok) return problem(c, explained.failure);
    const { intent, matchedCapabilities, plan, diagnostics, status } = explained.value.response;
    const matches = matchedCapabilities.map(({ capability, score, reasons }) => ({
      ...capability,
      score,
      reasons,
    }));
    const body = {
      intent,
      matches,
      rejected: diagnostics.rejected ?? [],
      plan,
      status,
      clauses: explained.value.clauses,
      chat: chatMatch(services.registry, task),
    };
    return c.json(asWire<RouteAnswer>(body), 200);
  });
  routes.openapi(rankCatalog, async (c) => {
    const { top_k, ...catalog } = c.req.valid("json");
    const { results, tier } = await rankPosted(
      { ...catalog, topK: top_k },
      services.routeTier,
      c.req.raw.signal,
    );
    c.header("x-capstan-route-tier", tier);
    return c.json(asWire<z.input<typeof RankAnswer>>({ results }), 200);
  });
  addTasks(routes, services);
  describeCatalog(routes.openAPIRegistry);
  routes.all("/api/*", requireRight("capability", "use"), (c) => catalogRoute(c, services));
  return routes;
}

function addTasks(routes: ReturnType<typeof newRoutes>, { taskRunner, stopping }: TaskRouteParts): void {
  routes.openapi(getTask, async (c) => {
    const found = await taskRunner.get(c.req.valid("param").id);
    if (!found.ok) return problem(c, found.failure);
    const { id, status, response, owner } = found.value;
    if (!isTheirs(c.get("caller"), owner)) return problem(c, fail("not_found", { what: "task", id }).failure);
    const state = status === "done" ? { response: response as TaskResponse } : { progress: response };
    return c.json(asWire<TaskState>({ taskId: id, status, ...state }), 200);
  });
  routes.openapi(followTask, async (c) => {
    const { id } = c.req.valid("param");
    const found = await taskRunner.get(id);
    if (!found.ok || !isTheirs(c.get("caller"), found.value.owner))
      return problem(c, fail("not_found", { what: "task", id }).failure);
    const stop = streamStop(stopping);
    return answer(sseResponse(eventTexts(taskRunner.follow(id, stop.signal)), stop));
  });
  routes.openapi(execute, async (c) => {
    const request = c.req.valid("json");
    const email = taskUser(c, request.context.userId);
    if (email === undefined) return problem(c, NOT_FOR_OTHERS);
    const options = { key: c.req.header("idempotency-key"), traceparent: traceParent(c) };
    if (!request.async) {
      const named = (id: string) => c.header("x-capstan-task", id); // the answer's shape has no place for it
      const done = await taskRunner.run(request, email, c.req.raw.signal, { ...options, named });
      return done.ok ? c.json(asWire<TaskAnswer>(done.value), 200) : problem(c, done.failure);
    }
    const started = await taskRunner.start(request, email, options);
    if (!started.ok) return problem(c, started.failure);
    const { id, status } = started.value;
    const statusUrl = `/api/tasks/${id}`;
    return c.json({ taskId: id, status, statusUrl, eventsUrl: `${statusUrl}/events` }, 202);
  });
}

const NOT_FOR_OTHERS = fail("forbidden", {
  message: "Only an admin may run a task for another user.",
  nextStep: "Leave context.userId out.",
}).failure;

/** Whose rights apply: the caller's, or those of the user an admin names. */
function taskUser(c: Context<AppEnv>, asked: string | undefined): string | undefined {
  const { email, rights } = c.get("caller");
  return asked === undefined || asked === email || rights.includes("admin") ? (asked ?? email) : undefined;
}

async function* eventTexts(events: AsyncIterable<TaskEvent>): AsyncGenerator<string> {
  for await (const event of events) yield sseEvent(JSON.stringify(event));
}

/** The routes declared by capabilities: matched by route, method and constant fields, called through the gate. */
async function catalogRoute(c: Context<AppEnv>, services: TaskRouteParts): Promise<Response> {
  const { path } = c.req;
  const method = c.req.method;
  const given = await inputOf(c);
  if (!given.ok) return problem(c, given.failure);
  const input = given.value;
  const key = IdempotencyKey.safeParse(c.req.header("idempotency-key"));
  if (!key.success)
    return problem(
      c,
      fail("input_invalid", { where: "header.idempotency-key: is empty or too long" }).failure,
    );
  const { serving, owner: capability } = servingRoute(services.registry.list(), { method, path, input });
  const tool = capability?.tools[0];
  if (!capability || !tool) return problem(c, notServed(method, path, serving));
  const answer = await runOneTool(
    services,
    c.get("caller"),
    { capabilityId: capability.id, tool: tool.name, input, traceparent: traceParent(c), key: key.data },
    c.req.raw.signal,
  );
  if (answer.callId !== undefined) c.header(CALL_ID_HEADER, answer.callId);
  if (answer.kind === "refused") return problem(c, answer.failure);
  return answer.kind === "approval"
    ? c.json({ approval_id: answer.approvalId }, 202)
    : c.json(answer.output as never);
}

const CatalogInput = z.record(z.string(), z.unknown());

async function inputOf(c: Context<AppEnv>): Promise<Result<z.output<typeof CatalogInput>>> {
  if (c.req.method === "GET") return ok(c.req.query());
  return (await c.req.text()).trim() === "" ? ok({}) : readJson(c, CatalogInput);
}

/** Several share a route and differ by a constant field: then that field is wrong. */
function notServed(method: string, path: string, serving: readonly Capability[]): Failure {
  const [name] = serving.flatMap(({ routing }) => Object.keys(routing?.payload ?? {}));
  if (name === undefined) return fail("route_unknown", { method, path }).failure;
  const values = serving.map(({ routing }) => JSON.stringify(routing?.payload?.[name]));
  return fail("input_invalid", { where: `${name} must be one of ${values.join(", ")}` }).failure;
}

function describeCatalog(registry: ReturnType<typeof newRoutes>["openAPIRegistry"]): void {
  registry.registerPath({
    operationId: "callCatalogRoute",
    method: "post",
    path: "/api/{route}",
    tags: ["tasks"],
    summary: "A route declared by a capability, served by its tool through the gate",
    ...authority("capability", "use"),
    request: { params: z.object({ route: z.string() }), body: jsonBody(CatalogInput) },
    responses: { 200: json(CatalogInput, "The tool's output.") },
  });
}
