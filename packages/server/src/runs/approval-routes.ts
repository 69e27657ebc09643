/** /v1/approvals: the inbox. An answer counts once; edited arguments are validated again before it counts. */

import { Approval, ApprovalAnswer, ApprovalPage, ApprovalQuery } from "@capstan/client/wire";
import type { CapabilityRegistry } from "@capstan/core";
import { fail, type JsonValue, type Result } from "@capstan/core";
import type { AgentSharings, Approval as ApprovalRecord, Composer, Runs } from "@capstan/runtime";
import { readCursor } from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import { isTheirs, ownerFilter } from "../auth/ownership.ts";
import { type Caller, isAdmin } from "../http/caller.ts";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { type ApprovalContext, approvalDto } from "./run-dto.ts";

const list = createRoute({
  operationId: "listApprovals",
  ...needs("approval", "see"),
  method: "get",
  path: "/v1/approvals",
  summary: "Pending and decided approvals, newest first",
  request: {
    query: ApprovalQuery,
  },
  responses: {
    200: json(ApprovalPage, "A page of the inbox."),
  },
});

const get = createRoute({
  operationId: "getApproval",
  ...needs("approval", "see"),
  method: "get",
  path: "/v1/approvals/{id}",
  summary: "One approval",
  request: { params: Id },
  responses: { 200: json(Approval, "The approval.") },
});

const answer = createRoute({
  operationId: "answerApproval",
  ...needs("approval", "use"),
  method: "post",
  path: "/v1/approvals/{id}",
  summary: "Approve (also for the rest of the session), deny with words, or approve with edited arguments",
  request: { params: Id, body: jsonBody(ApprovalAnswer) },
  responses: { 200: json(Approval, "The updated approval.") },
});

export interface ApprovalRouteParts {
  readonly runs: Runs;
  readonly composer: Composer;
  readonly registry: CapabilityRegistry;
  readonly sharing: AgentSharings;
}

export function approvalRoutes(services: ApprovalRouteParts) {
  const { approvals } = services.runs;
  const dto = async (approval: ApprovalRecord) => approvalDto(approval, await contextOf(services, approval));
  const routes = newRoutes("approvals");
  routes.openapi(list, async (c) => {
    const { session_id, agent_id, cursor, q, ...filter } = c.req.valid("query");
    const after = readCursor(cursor);
    if (!after.ok) return problem(c, after.failure);
    const { items, nextCursor } = await approvals.list({
      ...filter,
      sessionId: session_id,
      agentId: agent_id,
      text: q,
      after: after.value,
      visibleTo: ownerFilter(c.get("caller")),
      approverOf: await services.sharing.approvesFor(c.get("caller").email),
    });
    return c.json(
      { items: await Promise.all(items.map(dto)), ...(nextCursor && { next_cursor: nextCursor }) },
      200,
    );
  });
  routes.openapi(get, async (c) => {
    const found = await visible(services, c.req.valid("param").id, c.get("caller"));
    return found.ok ? c.json(await dto(found.value), 200) : problem(c, found.failure);
  });
  routes.openapi(answer, async (c) => {
    const { decision, words, edited_args, for_session } = c.req.valid("json");
    const answered = await approvals.answer(c.req.valid("param").id, {
      approve: decision === "approve",
      by: c.get("caller").email,
      isAdmin: isAdmin(c.get("caller")),
      isApprover: await approves(services, c.req.valid("param").id, c.get("caller").email),
      words,
      editedArguments: edited_args as JsonValue | undefined,
      forSession: for_session,
    });
    return answered.ok ? c.json(await dto(answered.value), 200) : problem(c, answered.failure);
  });
  return routes;
}

/** Whether the agent is shared with them to answer for others: calls of its tools, and nothing that is about a person. */
async function approves({ runs, sharing }: ApprovalRouteParts, id: string, email: string): Promise<boolean> {
  const found = await runs.approvals.get(id);
  if (!found.ok || found.value.kind !== "tool") return false;
  return (await sharing.rightsOf(found.value.agentId, { email, isAdmin: false })).includes("approve");
}

/** Visible to the requester, the assigned person, whom the agent's owner named, and admins. */
async function visible(
  services: ApprovalRouteParts,
  id: string,
  caller: Caller,
): Promise<Result<ApprovalRecord>> {
  const found = await services.runs.approvals.get(id);
  if (!found.ok) return found;
  const { userEmail, assignee } = found.value;
  const isInvolved = isTheirs(caller, userEmail) || isTheirs(caller, assignee);
  const may = isInvolved || (await approves(services, id, caller.email));
  return may ? found : fail("not_found", { what: "approval", id });
}

/** What a person needs to decide: the agent's name and the arguments' schema. */
async function contextOf(
  { composer, registry }: ApprovalRouteParts,
  approval: ApprovalRecord,
): Promise<ApprovalContext> {
  const composed = await composer.showFor(approval.agentId, approval.userEmail);
  if (composed.ok) {
    const tool = composed.value.tools.find(({ name }) => name === approval.tool)?.tool;
    return { agentName: composed.value.spec.name, inputSchema: tool ? { ...tool.input.jsonSchema } : null };
  }
  const capability = registry.get(approval.capabilityId);
  const tool = capability.ok ? capability.value.tools.find(({ name }) => name === approval.tool) : undefined;
  return { agentName: null, inputSchema: tool ? { ...tool.input.jsonSchema } : null };
}
