/**
 * /v1/agents/{id}/shares: who can use an agent. Only its owner and admins decide, not everyone who may change the
 * agent.
 */
import { AgentSharingWire } from "@capstan/client/wire";
import { fail, type Result } from "@capstan/core";
import { type AgentSharing, sharesFrom } from "@capstan/core/internal";
import type { AgentRecord, AgentSharings, AgentStore, AuditLog } from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import { isTheirs } from "../auth/ownership.ts";
import { type Caller, isAdmin } from "../http/caller.ts";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";

const get = createRoute({
  operationId: "getAgentShares",
  ...needs("agent", "see"),
  method: "get",
  path: "/v1/agents/{id}/shares",
  summary: "Whom the agent is for, and what they may; for its owner and admins",
  request: { params: Id },
  responses: { 200: json(AgentSharingWire, "As it is now.") },
});
const put = createRoute({
  operationId: "putAgentShares",
  ...needs("agent", "change"),
  method: "put",
  path: "/v1/agents/{id}/shares",
  summary: "Make the agent private, share it with people and groups, or make it for all",
  request: { params: Id, body: jsonBody(AgentSharingWire) },
  responses: { 200: json(AgentSharingWire, "In force within a second, on every process.") },
});

export interface ShareRouteParts {
  readonly agents: AgentStore;
  readonly sharing: AgentSharings;
  readonly audit: AuditLog;
}

export function shareRoutes({ agents, sharing, audit }: ShareRouteParts) {
  const routes = newRoutes("agents");
  routes.openapi(get, async (c) => {
    const agent = await ownAgent(agents, c.req.valid("param").id, c.get("caller"));
    if (!agent.ok) return problem(c, agent.failure);
    return c.json(sharingDto(await sharing.get(agent.value.id)), 200);
  });
  routes.openapi(put, async (c) => {
    const agent = await ownAgent(agents, c.req.valid("param").id, c.get("caller"));
    if (!agent.ok) return problem(c, agent.failure);
    const { id, name } = agent.value;
    const { access, shares: wanted = [] } = c.req.valid("json");
    const { email } = c.get("caller");
    const given = sharesFrom(await sharing.get(id), wanted, { email, isAdmin: isAdmin(c.get("caller")) });
    if (!given.ok) return problem(c, given.failure);
    const shares = given.value;
    await sharing.put(id, { access, shares }, email);
    const details = { name, access, shares: shares.map((each) => `${each.with}: ${each.rights.join(", ")}`) };
    await audit.add({ actor: email, action: "agent.shared", subject: id, details });
    return c.json(sharingDto(await sharing.get(id)), 200);
  });
  return routes;
}

const sharingDto = ({ access, shares }: AgentSharing) => ({
  access,
  shares: shares.map(({ with: whom, rights }) => ({ with: whom, rights: [...rights] })),
});

async function ownAgent(agents: AgentStore, id: string, caller: Caller): Promise<Result<AgentRecord>> {
  const found = await agents.get(id);
  if (!found.ok || isTheirs(caller, found.value.owner)) return found;
  return fail("forbidden", {
    message: "Only its owner and admins can see and change who may use an agent.",
    nextStep: "Ask its owner or an admin.",
  });
}
