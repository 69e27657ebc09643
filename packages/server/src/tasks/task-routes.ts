/** /api: tasks by the specification, telemetry, and one generic route that serves the catalog's own routes through the gate. */
import { type Capability, type CapabilityRegistry, type Failure, fail } from "@capstan/core";
import { rankCatalogRequest, summarise, TaskRequest, whatIsWrong } from "@capstan/core/internal";
import {
  chatMatch,
  type RouteTier,
  rankPosted,
  servingRoute,
  type TaskEvent,
  type TaskRunner,
  type Telemetry,
} from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { isTheirs } from "../auth/ownership.ts";
import { type OneToolParts, runOneTool } from "../capabilities/run-one-tool.ts";
import { type AppEnv, json, jsonBody, needs, newRoutes, requireRight } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { sseEvent, sseResponse, streamStop } from "../http/sse.ts";

const AnyObject = z.record(z.string(), z.unknown());

const TELEMETRY_DEFAULT = 25;
const TELEMETRY_MOST = 200;
/** As the specification has it: nothing is refused, too much is cut. */
const TelemetryLimit = z.coerce
  .number()
  .int()
  .min(1)
  .catch(TELEMETRY_DEFAULT)
  .transform((limit) => Math.min(limit, TELEMETRY_MOST));

const telemetry = createRoute({
  ...needs("read"),
  method: "get",
  path: "/api/execution-telemetry",
  tags: ["tasks"],
  summary: "What the last calls did: a summary and the newest records, no payloads",
  request: {
    query: z.object({
      limit: z
        .string()
        .max(20)
        .optional()
        .openapi({ description: "How many records; 25 by default, 200 at most." }),
    }),
  },
  responses: { 200: json(AnyObject, "Summary and records.") },
});

const series = createRoute({
  ...needs("read"),
  method: "get",
  path: "/v1/telemetry/series",
  tags: ["tasks"],
  summary: "Calls over time: counts and latency percentiles",
  request: {
    query: z.object({
      hours: z.coerce
        .number()
        .positive()
        .max(24 * 90)
        .default(24),
      bucket_seconds: z.coerce.number().int().min(10).max(86_400).default(3600),
    }),
  },
  responses: { 200: json(z.object({ items: z.array(AnyObject) }), "One point per bucket.") },
});

const explain = createRoute({
  ...needs("read"),
  method: "post",
  path: "/v1/route",
  tags: ["tasks"],
  summary: "Which capability would serve a task, and why; what nearly did; nothing is called",
  request: {
    body: jsonBody(
      z.object({
        task: TaskRequest.shape.task,
        agent_id: TaskRequest.shape.agentId,
        top_k: TaskRequest.shape.topK,
      }),
    ),
  },
  responses: { 200: json(AnyObject, "Intent, matches, rejected and plan.") },
});

const getTask = createRoute({
  ...needs("read"),
  method: "get",
  path: "/api/tasks/{id}",
  tags: ["tasks"],
  summary: "A task that was started with `async`",
  request: { params: z.object({ id: z.string() }) },
  responses: { 200: json(AnyObject, "Its state, and its answer when it is done.") },
});

export interface TaskRouteParts extends OneToolParts {
  readonly taskRunner: TaskRunner;
  readonly telemetry: Telemetry;
  readonly registry: CapabilityRegistry;
  readonly routeTier: RouteTier;
  /** Fires when the server stops: streams end with a hint to connect again. */
  readonly stopping: AbortSignal;
}

export function taskRoutes(services: TaskRouteParts) {
  const { taskRunner } = services;
  const routes = newRoutes();
  routes.openapi(telemetry, (c) => {
    const limit = TelemetryLimit.parse(c.req.valid("query").limit ?? TELEMETRY_DEFAULT);
    return c.json(
      { summary: summarise(services.telemetry.all()), records: services.telemetry.recent(limit) } as Record<
        string,
        unknown
      >,
      200,
    );
  });
  routes.openapi(series, async (c) => {
    const { hours, bucket_seconds } = c.req.valid("query");
    await services.telemetry.flush();
    const from = new Date(Date.now() - hours * 3_600_000);
    const items = await services.telemetry.series({ from, bucketSeconds: bucket_seconds });
    return c.json({ items: items as unknown as Record<string, unknown>[] }, 200);
  });
  routes.openapi(explain, async (c) => {
    const { task, agent_id, top_k } = c.req.valid("json");
    const request = TaskRequest.parse({ task, topK: top_k, ...(agent_id && { agentId: agent_id }) });
    const explained = await taskRunner.explain(request, c.get("caller").email);
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
    return c.json(body as unknown as Record<string, unknown>, 200);
  });
  routes.openapi(getTask, async (c) => {
    const found = await taskRunner.get(c.req.valid("param").id);
    if (!found.ok) return problem(c, found.failure);
    const { id, status, response, owner } = found.value;
    if (!isTheirs(c.get("caller"), owner)) return problem(c, fail("not_found", { what: "task", id }).failure);
    return c.json(
      { taskId: id, status, ...(status === "done" ? { response } : { progress: response }) },
      200,
    );
  });
  describeRoutes(routes.openAPIRegistry);
  routes.get("/api/tasks/:id/events", requireRight("read"), (c) => taskEvents(c, services));
  routes.post("/api/execute-task", requireRight("run"), (c) => executeTask(c, services));
  routes.post("/v1/route/rank", requireRight("read"), (c) => rankCatalogRoute(c, services));
  routes.all("/api/*", requireRight("run"), (c) => catalogRoute(c, services));
  return routes;
}

async function executeTask(c: Context<AppEnv>, { taskRunner }: TaskRouteParts): Promise<Response> {
  const body: unknown = await c.req.json().catch(() => undefined);
  const request = TaskRequest.safeParse(body);
  if (!request.success)
    return problem(c, {
      ...fail("input_invalid", { where: whatIsWrong(request.error), issues: request.error.issues }).failure,
      status: 400,
    });
  const caller = c.get("caller");
  const email = request.data.context.userId ?? caller.email;
  if (email !== caller.email && !caller.rights.includes("admin")) {
    return problem(
      c,
      fail("forbidden", {
        message: "Only an admin may run a task for another user.",
        nextStep: "Leave context.userId out.",
      }).failure,
    );
  }
  const key = c.req.header("idempotency-key");
  if (request.data.async) {
    const started = await taskRunner.start(request.data, email, key);
    return started.ok
      ? c.json(
          {
            taskId: started.value.id,
            status: started.value.status,
            statusUrl: `/api/tasks/${started.value.id}`,
            eventsUrl: `/api/tasks/${started.value.id}/events`,
          },
          202,
        )
      : problem(c, started.failure);
  }
  const done = await taskRunner.run(request.data, email, c.req.raw.signal, key);
  return done.ok ? c.json(done.value) : problem(c, done.failure);
}

async function taskEvents(c: Context<AppEnv>, { taskRunner, stopping }: TaskRouteParts): Promise<Response> {
  const id = c.req.param("id") ?? "";
  const found = await taskRunner.get(id);
  if (!found.ok || !isTheirs(c.get("caller"), found.value.owner))
    return problem(c, fail("not_found", { what: "task", id }).failure);
  const stop = streamStop(stopping);
  return sseResponse(eventTexts(taskRunner.follow(id, stop.signal)), stop);
}

async function* eventTexts(events: AsyncIterable<TaskEvent>): AsyncGenerator<string> {
  for await (const event of events) yield sseEvent(JSON.stringify(event));
}

async function rankCatalogRoute(c: Context<AppEnv>, { routeTier }: TaskRouteParts): Promise<Response> {
  const body = rankCatalogRequest.safeParse(await c.req.json().catch(() => undefined));
  if (!body.success) return problem(c, fail("input_invalid", { where: whatIsWrong(body.error) }).failure);
  const { results, tier } = await rankPosted(body.data, routeTier, c.req.raw.signal);
  c.header("x-capstan-route-tier", tier);
  return c.json({ results });
}

/** The routes capabilities declare: found by route, method and constant fields, called through the gate. */
async function catalogRoute(c: Context<AppEnv>, services: TaskRouteParts): Promise<Response> {
  const { path } = c.req;
  const method = c.req.method;
  const body: unknown = method === "GET" ? c.req.query() : await c.req.json().catch(() => ({}));
  const input = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  const { serving, owner: capability } = servingRoute(services.registry.list(), { method, path, input });
  const tool = capability?.tools[0];
  if (!capability || !tool) return problem(c, notServed(method, path, serving));
  const answer = await runOneTool(
    services,
    c.get("caller"),
    { capabilityId: capability.id, tool: tool.name, input },
    c.req.raw.signal,
  );
  if (answer.kind === "refused") return problem(c, answer.failure);
  return answer.kind === "approval"
    ? c.json({ approval_id: answer.approvalId }, 202)
    : c.json(answer.output as never);
}

/** Several share a route and differ by a constant field: then that field is what is wrong. */
function notServed(method: string, path: string, serving: readonly Capability[]): Failure {
  const [name] = serving.flatMap(({ routing }) => Object.keys(routing?.payload ?? {}));
  if (name === undefined) return fail("route_unknown", { method, path }).failure;
  const values = serving.map(({ routing }) => JSON.stringify(routing?.payload?.[name]));
  return fail("input_invalid", { where: `${name} must be one of ${values.join(", ")}` }).failure;
}

function describeRoutes(registry: ReturnType<typeof newRoutes>["openAPIRegistry"]): void {
  const body = (schema: z.ZodType) => ({ content: { "application/json": { schema } } });
  const answer = {
    200: { description: "The answer.", content: { "application/json": { schema: AnyObject } } },
  };
  registry.registerPath({
    method: "post",
    path: "/api/execute-task",
    tags: ["tasks"],
    summary: "Find the capability a task needs, plan, and execute it",
    "x-capstan-right": "run",
    request: { body: body(TaskRequest), headers: z.object({ "idempotency-key": z.string().optional() }) },
    responses: answer,
  });
  registry.registerPath({
    method: "get",
    path: "/api/tasks/{id}/events",
    tags: ["tasks"],
    summary: "A task as it goes: planned, step-started, step-ended, done (server-sent events)",
    "x-capstan-right": "read",
    request: { params: z.object({ id: z.string() }) },
    responses: {
      200: { description: "The events.", content: { "text/event-stream": { schema: z.string() } } },
    },
  });
  registry.registerPath({
    method: "post",
    path: "/v1/route/rank",
    tags: ["tasks"],
    summary: "Rank a catalog that is sent along",
    "x-capstan-right": "read",
    request: { body: body(rankCatalogRequest) },
    responses: answer,
  });
  registry.registerPath({
    method: "post",
    path: "/api/{route}",
    tags: ["tasks"],
    summary: "A route that a capability declares, served by its tool through the gate",
    "x-capstan-right": "run",
    request: { params: z.object({ route: z.string() }), body: body(AnyObject) },
    responses: answer,
  });
}
