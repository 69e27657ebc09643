/** /v1/coding-agents and /v1/models: what each CLI can do here, its stored sessions, and runs whose events are streamed. */
import {
  CodingAgentCommand,
  CodingAgentInfo,
  CodingAgentList,
  CodingAgentRun,
  CommandDone,
  ModelList,
  ModelQuery,
  StoredAgentMessages,
  StoredAgentSessions,
  StoredMessagesQuery,
} from "@capstan/client/wire";
import type { CodingAgentManifest } from "@capstan/core/internal";
import { createRoute, z } from "@hono/zod-openapi";
import { answer, asWire, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { pluginRoutes } from "./coding-agent-plugin-routes.ts";
import { codingAgentRefusal } from "./coding-agent-refusal.ts";
import { doctor, startRun } from "./coding-agent-streams.ts";
import { type CodingAgentRouteParts, manifestOf, unknownAgent } from "./known-agent.ts";

const Name = z.object({ name: z.string() });

const list = createRoute({
  operationId: "listCodingAgents",
  ...needs("coding agent", "see"),
  method: "get",
  path: "/v1/coding-agents",
  summary: "Every coding agent: whether it is installed, its declared, probed and effective capabilities",
  responses: { 200: json(CodingAgentList, "All agents.") },
});

const get = createRoute({
  operationId: "getCodingAgent",
  ...needs("coding agent", "see"),
  method: "get",
  path: "/v1/coding-agents/{name}",
  summary: "One coding agent with its whole manifest",
  request: { params: Name },
  responses: { 200: json(CodingAgentInfo, "The agent.") },
});

const sessions = createRoute({
  operationId: "listCodingAgentSessions",
  ...needs("transcript", "see"),
  method: "get",
  path: "/v1/coding-agents/{name}/sessions",
  summary: "Sessions stored by the agent itself on the server's machine",
  request: { params: Name },
  responses: { 200: json(StoredAgentSessions, "Latest first.") },
});

const session = createRoute({
  operationId: "getCodingAgentSession",
  ...needs("transcript", "see"),
  method: "get",
  path: "/v1/coding-agents/{name}/sessions/{id}",
  summary: "The messages of a stored session, without instructions unless `system` is true",
  request: { params: Name.extend({ id: z.string().max(200) }), query: StoredMessagesQuery },
  responses: { 200: json(StoredAgentMessages, "The messages, in order.") },
});

const models = createRoute({
  operationId: "listModels",
  ...needs("model", "see"),
  method: "get",
  path: "/v1/models",
  summary: "Models of an agent (`native` by default), with windows, prices and thinking levels",
  request: { query: ModelQuery },
  responses: {
    200: json(ModelList, "The models."),
  },
});

const events = {
  description: "Events.",
  content: { "text/event-stream": { schema: z.string() } },
};

const diagnose = createRoute({
  operationId: "diagnoseCodingAgents",
  ...needs("coding agent", "use"),
  method: "post",
  path: "/v1/coding-agents/doctor",
  summary: "Check and probe every agent, with progress",
  responses: { 200: events },
});

const diagnoseOne = createRoute({
  operationId: "diagnoseCodingAgent",
  ...needs("coding agent", "use"),
  method: "post",
  path: "/v1/coding-agents/{name}/doctor",
  summary: "Check and probe one agent, with progress",
  request: { params: Name },
  responses: { 200: events },
});

const start = createRoute({
  operationId: "runCodingAgent",
  ...needs("coding agent", "use"),
  method: "post",
  path: "/v1/coding-agents/{name}/runs",
  summary: "Run a coding agent; the response is the stream of its events",
  request: { params: Name, body: jsonBody(CodingAgentRun) },
  responses: { 200: events },
});

const steer = createRoute({
  operationId: "steerCodingAgentRun",
  ...needs("coding agent", "use"),
  method: "post",
  path: "/v1/coding-agents/{name}/runs/{run}/commands",
  summary: "Approve, deny, send, interrupt or abort a run",
  request: { params: Name.extend({ run: z.string() }), body: jsonBody(CodingAgentCommand) },
  responses: { 200: json(CommandDone, "Done.") },
});

export function codingAgentRoutes(services: CodingAgentRouteParts) {
  const routes = newRoutes("coding agents");
  routes.openapi(list, async (c) => {
    const { manifests } = await services.codingAgents.open();
    const items = await Promise.all(manifests.map((manifest) => describeAgent(services, manifest)));
    return c.json(asWire<z.input<typeof CodingAgentList>>({ items, total: items.length }), 200);
  });
  routes.openapi(get, async (c) => {
    const manifest = await manifestOf(services, c.req.valid("param").name);
    if (!manifest) return problem(c, unknownAgent(c.req.valid("param").name));
    return c.json(
      asWire<CodingAgentInfo>({ ...manifest, ...(await describeAgent(services, manifest)) }),
      200,
    );
  });
  routes.openapi(sessions, async (c) => {
    const { name } = c.req.valid("param");
    if (!(await manifestOf(services, name))) return problem(c, unknownAgent(name));
    const { client } = await services.codingAgents.open();
    try {
      return c.json({ items: [...(await client.sessions.list(name))] }, 200);
    } catch (error) {
      const failure = codingAgentRefusal(error);
      if (!failure) throw error;
      return problem(c, failure);
    }
  });
  routes.openapi(session, async (c) => {
    const { name, id } = c.req.valid("param");
    if (!(await manifestOf(services, name))) return problem(c, unknownAgent(name));
    const { client } = await services.codingAgents.open();
    const system = c.req.valid("query").system === "true";
    const messages = await client.sessions.read(name, id, { system });
    if (!messages.ok) return problem(c, messages.failure);
    return c.json({ items: [...messages.value] }, 200);
  });
  routes.openapi(models, async (c) => {
    const { agent } = c.req.valid("query");
    const registry = await services.models.registry();
    const items = registry.catalog(agent);
    if (items.length === 0) return problem(c, unknownAgent(agent));
    const last_updated = registry.lastUpdated(agent).toISOString();
    return c.json(asWire<z.input<typeof ModelList>>({ items, total: items.length, last_updated }), 200);
  });
  routes.openapi(diagnose, () => answer(doctor(services)));
  routes.openapi(diagnoseOne, async (c) => {
    const { name } = c.req.valid("param");
    if (!(await manifestOf(services, name))) return problem(c, unknownAgent(name));
    return answer(doctor(services, name));
  });
  pluginRoutes(routes, services);
  routes.openapi(start, (c) => startRun(c, c.req.valid("param").name, c.req.valid("json"), services));
  routes.openapi(steer, async (c) => {
    const { host } = await services.codingAgents.open();
    const done = await host.command(c.req.valid("param").run, c.req.valid("json"));
    return done.ok ? c.json({ done: true as const }, 200) : problem(c, done.failure);
  });
  return routes;
}

async function describeAgent({ codingAgents }: CodingAgentRouteParts, manifest: CodingAgentManifest) {
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
    transports: [...manifest.transports],
    observed: diagnosis.probe?.observed ?? null,
    effective: doctor.effective(capabilities.agent) ?? null,
    row: rowOf(manifest) ?? null,
  };
}
