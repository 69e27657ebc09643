/** /v1/agents: create, read, update, delete, preview. Saving composes first, so that a saved agent always runs. */

import {
  Agent,
  AgentCreate,
  AgentDeleted,
  AgentDeleteQuery,
  AgentPage,
  AgentPatch,
  AgentPreview,
  AgentQuery,
  PreviewQuery,
} from "@capstan/client/wire";
import { fail, ok, type Result, type RuntimeAgent } from "@capstan/core";
import { readCursor } from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import { sharedToCaller } from "../auth/ownership.ts";
import type { Caller } from "../http/caller.ts";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { agentDto, agentInput, isSameAgent, patchedInput, unsavedInput } from "./agent-wire.ts";
import { type PreviewParts, previewDto, previewFacts } from "./preview-dto.ts";
import type { SaveAgentParts } from "./save-agent.ts";
import { canSave, saveAgent } from "./save-agent.ts";

const createAgent = createRoute({
  operationId: "createAgent",
  ...needs("agent", "change"),
  method: "post",
  path: "/v1/agents",
  summary: "Create an agent with capabilities",
  request: { body: jsonBody(AgentCreate) },
  responses: { 201: json(Agent, "The agent.") },
});

const listAgents = createRoute({
  operationId: "listAgents",
  ...needs("agent", "see"),
  method: "get",
  path: "/v1/agents",
  summary: "List agents, newest first",
  request: { query: AgentQuery },
  responses: {
    200: json(AgentPage, "A page of agents."),
  },
});

const getAgent = createRoute({
  operationId: "getAgent",
  ...needs("agent", "see"),
  method: "get",
  path: "/v1/agents/{id}",
  summary: "One agent",
  request: { params: Id },
  responses: { 200: json(Agent, "The agent.") },
});

const patchAgent = createRoute({
  operationId: "updateAgent",
  ...needs("agent", "change"),
  method: "patch",
  path: "/v1/agents/{id}",
  summary: "Update an agent; omitted fields stay unchanged, every change is a revision",
  request: { params: Id, body: jsonBody(AgentPatch) },
  responses: { 200: json(Agent, "The updated agent.") },
});

const deleteAgent = createRoute({
  operationId: "deleteAgent",
  ...needs("agent", "change"),
  method: "delete",
  path: "/v1/agents/{id}",
  summary:
    "Delete an agent; its sessions stay readable. Refused while other agents delegate to it, unless forced",
  request: { params: Id, query: AgentDeleteQuery },
  responses: {
    200: json(AgentDeleted, "Deleted by force; these agents delegated to it."),
    204: { description: "Deleted." },
  },
});

const previewAgent = createRoute({
  operationId: "previewAgent",
  ...needs("agent", "see"),
  method: "get",
  path: "/v1/agents/{id}/preview",
  summary: "The composed agent: merged prompt, tools, hidden tools with reasons, token price",
  request: { params: Id },
  responses: { 200: json(AgentPreview, "What would run.") },
});

const previewUnsaved = createRoute({
  operationId: "previewUnsavedAgent",
  ...needs("agent", "see"),
  method: "post",
  path: "/v1/agents/preview",
  summary: "Compose an unsaved agent; `check=save` refuses whatever saving it would refuse",
  request: {
    body: jsonBody(AgentPatch),
    query: PreviewQuery,
  },
  responses: { 200: json(AgentPreview, "What would run.") },
});

export interface AgentRouteParts extends SaveAgentParts, PreviewParts {}

const preview = async (parts: PreviewParts, agent: RuntimeAgent, { email }: Caller) =>
  previewDto(agent, await previewFacts(parts, agent, email));

export function agentRoutes(services: AgentRouteParts) {
  const { agents, composer } = services;
  const routes = newRoutes("agents");
  routes.openapi(createAgent, async (c) => {
    const saved = await saveAgent(services, c.get("caller"), agentInput(c.req.valid("json")));
    return saved.ok ? c.json(agentDto(saved.value), 201) : problem(c, saved.failure);
  });
  routes.openapi(listAgents, async (c) => {
    const { limit, cursor, status, capability, q: text } = c.req.valid("query");
    const after = readCursor(cursor);
    if (!after.ok) return problem(c, after.failure);
    const sharedTo = await sharedToCaller(services.sharing, c.get("caller"));
    const filter = { status, capability, text, sharedTo };
    const [page, total] = await Promise.all([
      agents.list({ limit, after: after.value, ...filter }),
      agents.count(filter),
    ]);
    const { items, nextCursor } = page;
    return c.json({ items: items.map(agentDto), total, ...(nextCursor && { next_cursor: nextCursor }) }, 200);
  });
  routes.openapi(previewUnsaved, async (c) => {
    const input = unsavedInput(c.req.valid("json"));
    if (!input.ok) return problem(c, input.failure);
    const spec = { ...input.value, id: "unsaved", version: 0 };
    const composed = await composer.preview(spec, c.get("caller").email);
    if (composed.ok && c.req.valid("query").check === "save") {
      const can = await canSave(services, c.get("caller"), input.value, composed.value);
      if (!can.ok) return problem(c, can.failure);
    }
    if (!composed.ok) return problem(c, composed.failure);
    return c.json(await preview(services, composed.value, c.get("caller")), 200);
  });
  routes.openapi(getAgent, async (c) => {
    const found = await agents.get(c.req.valid("param").id);
    return found.ok ? c.json(agentDto(found.value), 200) : problem(c, found.failure);
  });
  routes.openapi(patchAgent, async (c) => {
    const { id } = c.req.valid("param");
    const found = await agents.get(id);
    if (!found.ok) return problem(c, found.failure);
    const patch = c.req.valid("json");
    const input = patchedInput(found.value, patch);
    if (!input.ok) return problem(c, input.failure);
    if (isSameAgent(found.value, input.value)) return c.json(agentDto(found.value), 200);
    const { why, save_as: as } = patch;
    const saved = await saveAgent(services, c.get("caller"), input.value, found.value, { why, as });
    return saved.ok ? c.json(agentDto(saved.value), 200) : problem(c, saved.failure);
  });
  routes.openapi(deleteAgent, async (c) => {
    const { id } = c.req.valid("param");
    const isForced = c.req.valid("query").force === "true";
    const broken = await removeAgent(services, c.get("caller"), id, isForced);
    if (!broken.ok) return problem(c, broken.failure);
    return broken.value.length > 0 ? c.json({ id, broken: broken.value }, 200) : c.body(null, 204);
  });
  routes.openapi(previewAgent, async (c) => {
    const composed = await composer.showFor(c.req.valid("param").id, c.get("caller").email);
    if (!composed.ok) return problem(c, composed.failure);
    return c.json(await preview(services, composed.value, c.get("caller")), 200);
  });
  return routes;
}

/** The agents that this breaks; of other people's private agents only the number is shown. */
async function removeAgent(
  { agents, sharing, audit }: AgentRouteParts,
  caller: Caller,
  id: string,
  isForced: boolean,
): Promise<Result<{ id: string; name: string }[]>> {
  const found = await agents.get(id);
  if (!found.ok) return found;
  const { name } = found.value;
  const all = await agents.using(`agent.${id}`);
  const sharedTo = await sharedToCaller(sharing, caller);
  const known = sharedTo ? await agents.using(`agent.${id}`, { sharedTo }) : all;
  const hidden = all.length - known.length;
  const others = hidden > 0 ? [`${hidden} private to others`] : [];
  if (all.length > 0 && !isForced)
    return fail("agent_in_use", { name, agents: [...known.map((each) => each.name), ...others] });
  const gone = await agents.delete(id);
  if (!gone.ok) return gone;
  await audit.add({ actor: caller.email, action: "agent.deleted", subject: id, details: { name } });
  return ok(known);
}
