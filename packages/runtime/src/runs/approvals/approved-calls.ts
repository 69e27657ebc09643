/** Makes approved calls that have no run, such as those over REST. */
import type { Result, RuntimeAgent } from "@capstan/core";
import type { Follows } from "@capstan/core/internal";
import type { GateOutcome } from "../../gate/gate.ts";
import { storedBudgets } from "../context/stored-budgets.ts";
import type { RunsParts } from "../contract/run-types.ts";
import type { Approval } from "./approvals.ts";

const FOLLOWS = "select follows from sessions where id = $1";

/** The agent that asked, as its session follows it; for a call without an agent, an anonymous agent with its capability. */
export async function agentOf(parts: RunsParts, approval: Approval): Promise<Result<RuntimeAgent>> {
  const { agentId, userEmail, capabilityId, config, sessionId } = approval;
  if (agentId === "unsaved" && parts.composeSingle)
    return parts.composeSingle(capabilityId, config, userEmail);
  const { rows } = await parts.database.pool.query<{ follows: Follows | null }>(FOLLOWS, [sessionId]);
  return parts.composeFor(agentId, userEmail, rows[0]?.follows);
}

export async function callApproved(
  { gate, database }: RunsParts,
  approval: Approval,
  agent: RuntimeAgent,
): Promise<GateOutcome> {
  const { sessionId } = approval;
  return gate.call({
    path: "rest",
    agent,
    tool: approval.tool,
    input: approval.editedArguments ?? approval.arguments,
    user: { email: approval.userEmail, scopes: agent.scopes },
    sessionId: sessionId ?? undefined,
    callId: approval.id,
    signal: new AbortController().signal,
    budgets: sessionId === null ? [] : await storedBudgets(database.pool, sessionId, agent.spec.limits),
    approved: true,
  });
}
