/** /v1/coding-agents and /v1/models: what each CLI can do here, its stored sessions, and runs whose events are streamed. */
import { type Failure, fail } from "@capstan/core";
import { type CodingAgentManifest, parseRemoteRunOptions } from "@capstan/core/internal";
import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { type AppEnv, json, needs, newRoutes, requireRight } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { SSE_HEADERS, sseEvent, sseResponse } from "../http/sse.ts";
import type { ServerModels } from "../models/models.ts";
import { codingAgentRefusal } from "./coding-agent-refusal.ts";
import type { LazyCodingAgents } from "./coding-agents.ts";

const AnyObject = z.record(z.string(), z.unknown());
const Name = z.object({ name: z.string() });

const list = createRoute({
  ...needs("read"),
  method: "get",
  path: "/v1/coding-agents",
  tags: ["coding agents"],
  summary: "Every coding agent: installed here, declared, probed and in force",
  responses: { 200: json(z.object({ items: z.array(AnyObject), total: z.int() }), "All agents.") },
});

const get = createRoute({
  ...needs("read"),
  method: "get",
  path: "/v1/coding-agents/{name}",
  tags: ["coding agents"],
  summary: "One coding agent with its whole manifest",
  request: { params: Name },
  responses: { 200: json(AnyObject, "The agent.") },
});

const sessions = createRoute({
  ...needs("read"),
  method: "get",
  path: "/v1/coding-agents/{name}/sessions",
  tags: ["coding agents"],
  summary: "Sessions the agent itself has stored on the server's machine",
  request: { params: Name },
  responses: { 200: json(z.object({ items: z.array(AnyObject) }), "The latest first.") },
});

const session = createRoute({
  ...needs("read"),
  method: "get",
  path: "/v1/coding-agents/{name}/sessions/{id}",
  tags: ["coding agents"],
  summary: "What was said in one of them",
  request: { params: Name.extend({ id: z.string().max(200) }) },
  responses: { 200: json(z.object({ items: z.array(AnyObject) }), "The messages, in order.") },
});

const models = createRoute({
  ...needs("read"),
  method: "get",
  path: "/v1/models",
  tags: ["coding agents"],
  summary: "Models of an agent (`native` by default), with windows, prices and thinking levels",
  request: { query: z.object({ agent: z.string().max(50).default("native") }) },
  responses: {
    200: json(
      z.object({ items: z.array(AnyObject), total: z.int(), last_updated: z.string() }),
      "The models.",
    ),
  },
});

export interface CodingAgentRouteParts {
  readonly codingAgents: LazyCodingAgents;
  readonly models: ServerModels;
}

export function codingAgentRoutes(services: CodingAgentRouteParts) {
  const routes = newRoutes();
  routes.openapi(list, async (c) => {
    const { manifests } = await services.codingAgents.open();
    const items = await Promise.all(manifests.map((manifest) => described(services, manifest)));
    return c.json({ items, total: items.length }, 200);
  });
  routes.openapi(get, async (c) => {
    const manifest = await manifestOf(services, c.req.valid("param").name);
    if (!manifest) return problem(c, unknownAgent(c.req.valid("param").name));
    return c.json({ ...manifest, ...(await described(services, manifest)) } as Record<string, unknown>, 200);
  });
  routes.openapi(sessions, async (c) => {
    const { name } = c.req.valid("param");
    if (!(await manifestOf(services, name))) return problem(c, unknownAgent(name));
    const { client } = await services.codingAgents.open();
    const items = await client.sessions.list(name);
    return c.json({ items: items as unknown as Record<string, unknown>[] }, 200);
  });
  routes.openapi(session, async (c) => {
    const { name, id } = c.req.valid("param");
    if (!(await manifestOf(services, name))) return problem(c, unknownAgent(name));
    const { client } = await services.codingAgents.open();
    const messages = await client.sessions.read(name, id);
    if (!messages.ok) return problem(c, messages.failure);
    return c.json({ items: messages.value as unknown as Record<string, unknown>[] }, 200);
  });
  routes.openapi(models, async (c) => {
    const { agent } = c.req.valid("query");
    const registry = await services.models.registry();
    const items = registry.catalog(agent) as unknown as Record<string, unknown>[];
    if (items.length === 0) return problem(c, unknownAgent(agent));
    return c.json(
      { items, total: items.length, last_updated: registry.lastUpdated(agent).toISOString() },
      200,
    );
  });
  describeStreams(routes.openAPIRegistry);
  routes.post("/v1/coding-agents/doctor", requireRight("admin"), (c) => doctor(c, services));
  routes.post("/v1/coding-agents/:name/runs", requireRight("admin"), (c) => startRun(c, services));
  routes.post("/v1/coding-agents/:name/runs/:run/commands", requireRight("admin"), (c) =>
    command(c, services),
  );
  return routes;
}

async function manifestOf(
  { codingAgents }: CodingAgentRouteParts,
  name: string,
): Promise<CodingAgentManifest | undefined> {
  const { manifests } = await codingAgents.open();
  return manifests.find(({ capabilities }) => capabilities.agent === name);
}

const unknownAgent = (id: string): Failure => fail("not_found", { what: "coding agent", id }).failure;

async function described({ codingAgents }: CodingAgentRouteParts, manifest: CodingAgentManifest) {
  const { doctor, rowOf } = await codingAgents.open();
  const { capabilities } = manifest;
  const diagnosis = await doctor.check(capabilities.agent);
  return {
    name: capabilities.agent,
    display_name: manifest.displayName,
    installed: diagnosis.installed,
    version: diagnosis.version ?? null,
    login: diagnosis.login,
    problem: diagnosis.problem ?? null,
    next_step: diagnosis.nextStep ?? null,
    capabilities,
    declared: capabilities,
    probed: diagnosis.probe ?? null,
    observed: doctor.effective(capabilities.agent) ?? null,
    row: rowOf(manifest) ?? null,
  };
}

/** Starts programs on the server's machine, so it needs an admin. Closing the stream stops nothing. */
async function startRun(c: Context<AppEnv>, services: CodingAgentRouteParts): Promise<Response> {
  const body: unknown = await c.req.json().catch(() => null);
  const asked = { ...(typeof body === "object" ? body : {}), agent: c.req.param("name") };
  const options = parseRemoteRunOptions(asked);
  if (!options.ok) return problem(c, options.failure);
  const { host } = await services.codingAgents.open();
  try {
    const run = host.start(options.value);
    if (!run.ok) return problem(c, run.failure);
    return new Response(run.value.stream, { headers: { ...SSE_HEADERS, "x-capstan-run": run.value.id } });
  } catch (error) {
    const refused = codingAgentRefusal(error);
    if (refused) return problem(c, refused);
    throw error;
  }
}

async function command(c: Context<AppEnv>, services: CodingAgentRouteParts): Promise<Response> {
  const { host } = await services.codingAgents.open();
  const done = await host.command(c.req.param("run") ?? "", await c.req.json().catch(() => null));
  return done.ok ? c.json({ done: true }) : problem(c, done.failure);
}

async function doctor(_c: Context<AppEnv>, services: CodingAgentRouteParts): Promise<Response> {
  const stop = new AbortController();
  return sseResponse(diagnoses(services, stop.signal), stop);
}

async function* diagnoses(
  { codingAgents }: CodingAgentRouteParts,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { doctor, manifests } = await codingAgents.open();
  for (const { capabilities, displayName } of manifests) {
    if (signal.aborted) return;
    yield sseEvent(JSON.stringify({ type: "checking", agent: capabilities.agent, name: displayName }));
    const diagnosis = await doctor.check(capabilities.agent);
    yield sseEvent(JSON.stringify({ type: "checked", ...diagnosis }));
    if (!diagnosis.installed) continue;
    yield sseEvent(JSON.stringify({ type: "probing", agent: capabilities.agent }));
    const report = await doctor.probe(capabilities.agent);
    yield sseEvent(JSON.stringify({ type: "probed", agent: capabilities.agent, report }));
  }
  yield sseEvent(JSON.stringify({ type: "done" }));
}

function describeStreams(registry: ReturnType<typeof newRoutes>["openAPIRegistry"]): void {
  const stream = {
    200: {
      description: "Events.",
      content: { "text/event-stream": { schema: { type: "string" as const } } },
    },
  };
  const body = { content: { "application/json": { schema: AnyObject } } };
  const base = { method: "post" as const, tags: ["coding agents"], "x-capstan-right": "admin" };
  registry.registerPath({
    ...base,
    path: "/v1/coding-agents/doctor",
    summary: "Check and probe every agent, with progress",
    responses: stream,
  });
  registry.registerPath({
    ...base,
    path: "/v1/coding-agents/{name}/runs",
    summary: "Run a coding agent; the answer is the stream of its events",
    request: { params: Name, body },
    responses: stream,
  });
  registry.registerPath({
    ...base,
    path: "/v1/coding-agents/{name}/runs/{run}/commands",
    summary: "Approve, deny, send, interrupt or abort a run",
    request: { params: Name.extend({ run: z.string() }), body },
    responses: { 200: { description: "Done." } },
  });
}
