/** A2A: the agent's card, which is public as the protocol requires, and its JSON-RPC endpoint for clients of 1.0 and 0.3. */
import { fail, ok, type Result } from "@capstan/core";
import type { AgentSharings, AgentStore } from "@capstan/runtime";
import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { usableByCaller } from "../auth/ownership.ts";
import type { Caller } from "../http/caller.ts";
import { type AppEnv, authority, checkQuery, newRoutes, requireRight } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import type { A2aAnswerParts } from "./answer.ts";

export interface A2aRouteParts extends A2aAnswerParts {
  readonly agents: AgentStore;
  readonly sharing: AgentSharings;
}

const CardQuery = z.strictObject({ agent: z.string().max(200).optional() });

export function a2aRoutes(services: A2aRouteParts) {
  const routes = newRoutes();
  describe(routes.openAPIRegistry);
  routes.get("/.well-known/agent-card.json", checkQuery(CardQuery), async (c) => {
    const id = await namedAgent(services, c.get("caller"), c.req.query("agent"));
    return id.ok ? card(c, services, id.value) : problem(c, id.failure);
  });
  routes.get("/v1/agents/:id/a2a/agent-card.json", checkQuery(), (c) => card(c, services, c.req.param("id")));
  routes.get("/v1/agents/:id/a2a/.well-known/agent-card.json", checkQuery(), (c) =>
    card(c, services, c.req.param("id")),
  );
  routes.post("/v1/agents/:id/a2a", requireRight("agent", "use"), checkQuery(), async (c) =>
    (await import("./answer.ts")).answerCall(c, services),
  );
  return routes;
}

/** The protocol's SDK is loaded on first use. */
async function card(c: Context<AppEnv>, services: A2aRouteParts, agentId: string): Promise<Response> {
  const { answerCard } = await import("./answer.ts");
  return answerCard(c, services, agentId);
}

/** A server has many agents but a host has one well-known card: the only agent's, or the named one's. */
async function namedAgent(
  { agents, sharing }: A2aRouteParts,
  caller: Caller,
  asked: string | undefined,
): Promise<Result<string>> {
  if (asked !== undefined) return ok(asked);
  const { items } = await agents.list({ limit: 2, sharedTo: await usableByCaller(sharing, caller) });
  const [only] = items;
  return only && items.length === 1
    ? ok(only.id)
    : fail("not_found", { what: "agent card without ?agent=<id>", id: "agent-card.json" });
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
    "x-capstan-right": "none",
    request: { query: CardQuery },
    responses: answer,
  });
  registry.registerPath({
    method: "get",
    path: "/v1/agents/{id}/a2a/agent-card.json",
    tags: ["a2a"],
    summary: "The agent's A2A card",
    "x-capstan-right": "none",
    request: { params },
    responses: answer,
  });
  registry.registerPath({
    method: "post",
    path: "/v1/agents/{id}/a2a",
    tags: ["a2a"],
    summary: "A2A over JSON-RPC, 1.0 and 0.3: send and stream messages, get, list, cancel and follow tasks",
    ...authority("agent", "use"),
    request: { params, body: { required: true, content: { "application/json": { schema } } } },
    responses: answer,
  });
}
