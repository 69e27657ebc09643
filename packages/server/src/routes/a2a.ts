/** A2A: the agent's card, and its JSON-RPC endpoint for clients of 1.0 and of 0.3. */
import { A2A_VERSION_HEADER, type AgentCard, formatSSEErrorEvent, formatSSEEvent } from "@a2a-js/sdk";
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import { JsonRpcTransportHandler, ServerCallContext, validateVersion } from "@a2a-js/sdk/server";
import { fail, ok, type Result } from "@capstan/core";
import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { A2aHandler } from "../a2a/a2a-handler.ts";
import { agentCard, cardJson } from "../a2a/agent-card.ts";
import { agentCapabilities } from "../ag-ui/agent-capabilities.ts";
import { isLoopback } from "../auth/guard-origin.ts";
import { type AppEnv, newRoutes, requireRight } from "../define-route.ts";
import { problem } from "../problem.ts";
import type { Services } from "../services.ts";
import { sseResponse, streamStop } from "../sse.ts";

const LEGACY = "0.3"; // what a client that names no version speaks

export function a2aRoutes(services: Services) {
  const routes = newRoutes();
  describe(routes.openAPIRegistry);
  routes.get("/.well-known/agent-card.json", requireRight("read"), async (c) => {
    const id = await namedAgent(services, c.req.query("agent"));
    return id.ok ? card(c, services, id.value) : problem(c, id.failure);
  });
  routes.get("/v1/agents/:id/a2a/agent-card.json", requireRight("read"), (c) =>
    card(c, services, c.req.param("id")),
  );
  routes.get("/v1/agents/:id/a2a/.well-known/agent-card.json", requireRight("read"), (c) =>
    card(c, services, c.req.param("id")),
  );
  routes.post("/v1/agents/:id/a2a", requireRight("run"), (c) => call(c, services));
  return routes;
}

/** A server has many agents and a host one well-known card: the only agent's, or the one that is named. */
async function namedAgent({ agents }: Services, asked: string | undefined): Promise<Result<string>> {
  if (asked !== undefined) return ok(asked);
  const { items } = await agents.list({ limit: 2 });
  const [only] = items;
  return only && items.length === 1
    ? ok(only.id)
    : fail("not_found", { what: "agent card without ?agent=<id>", id: "agent-card.json" });
}

async function card(c: Context<AppEnv>, services: Services, agentId: string): Promise<Response> {
  const made = await cardOf(c, services, agentId);
  if (!made.ok) return problem(c, made.failure);
  return c.json(cardJson(made.value), 200, { "cache-control": "no-cache" });
}

async function cardOf(c: Context<AppEnv>, services: Services, agentId: string): Promise<Result<AgentCard>> {
  const found = await agentCapabilities(services, agentId, c.get("caller"));
  if (!found.ok) return found;
  const { agent, declared } = found.value;
  return ok(
    agentCard({
      declared,
      url: `${new URL(c.req.url).origin}/v1/agents/${agent.spec.id}/a2a`,
      needsKey: !isLoopback(services.settings.HOST),
      capability: (id) => {
        const capability = services.registry.get(id);
        return capability.ok ? capability.value : undefined;
      },
    }),
  );
}

async function call(c: Context<AppEnv>, services: Services): Promise<Response> {
  const made = await cardOf(c, services, c.req.param("id") ?? "");
  if (!made.ok) return problem(c, made.failure);
  const version = c.req.header(A2A_VERSION_HEADER) || LEGACY;
  const body = await c.req.text();
  const stop = streamStop(services.stopping);
  const handler = new A2aHandler({
    ...{ services, email: c.get("caller").email, card: made.value, signal: stop.signal },
    agentId: c.req.param("id") ?? "",
  });
  const legacy = version.startsWith(LEGACY);
  const transport = legacy
    ? new LegacyJsonRpcTransportHandler(handler)
    : new JsonRpcTransportHandler(handler);
  const errorOf = legacy
    ? LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError
    : JsonRpcTransportHandler.mapToJSONRPCError;
  const failed = (error: unknown) => ({ jsonrpc: "2.0", id: idOf(body), error: errorOf(error) });
  try {
    validateVersion(legacy ? LEGACY : version, made.value, "JSONRPC");
    const context = new ServerCallContext({ requestedVersion: version });
    const answer = await transport.handle(body, context);
    if (!isStream(answer)) return c.json(answer as object);
    return sseResponse(texts(answer, failed), stop);
  } catch (error) {
    services.log.error({ what: "a2a", error });
    return c.json(failed(error) as object);
  }
}

async function* texts(
  answers: AsyncIterable<unknown>,
  failed: (error: unknown) => object,
): AsyncGenerator<string> {
  try {
    for await (const answer of answers) yield formatSSEEvent(answer);
  } catch (error) {
    yield formatSSEErrorEvent(failed(error));
  }
}

const isStream = (answer: unknown): answer is AsyncIterable<unknown> =>
  typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer;

function idOf(body: string): unknown {
  try {
    return (JSON.parse(body) as { id?: unknown }).id ?? null;
  } catch {
    return null;
  }
}

function describe(registry: ReturnType<typeof newRoutes>["openAPIRegistry"]): void {
  const schema = { type: "object" as const };
  const params = z.object({ id: z.string() });
  const answer = { 200: { description: "JSON.", content: { "application/json": { schema } } } };
  registry.registerPath({
    method: "get",
    path: "/.well-known/agent-card.json",
    tags: ["a2a"],
    summary: "The A2A card of the only agent, or of `?agent=<id>`",
    "x-capstan-right": "read",
    request: { query: z.object({ agent: z.string().optional() }) },
    responses: answer,
  });
  registry.registerPath({
    method: "get",
    path: "/v1/agents/{id}/a2a/agent-card.json",
    tags: ["a2a"],
    summary: "The agent's A2A card",
    "x-capstan-right": "read",
    request: { params },
    responses: answer,
  });
  registry.registerPath({
    method: "post",
    path: "/v1/agents/{id}/a2a",
    tags: ["a2a"],
    summary: "A2A over JSON-RPC, 1.0 and 0.3: send and stream messages, get, list, cancel and follow tasks",
    "x-capstan-right": "run",
    request: { params, body: { content: { "application/json": { schema } } } },
    responses: answer,
  });
}
