/** Makes approved calls that came without a run, such as over REST. */
import { type Failure, fail, type JsonValue, type Result, type RuntimeAgent } from "@capstan/core";
import type { GateOutcome } from "../../gate/gate.ts";
import { storableJson } from "../log/storable-json.ts";
import { approvalPin } from "./approval-pin.ts";
import type { Approval, ApprovalParts } from "./approvals.ts";

/** Makes the call if it has no run; otherwise the run makes it. */
export async function executeApproved(
  parts: Pick<ApprovalParts, "agentOf" | "execute" | "pool">,
  approval: Approval,
): Promise<Approval> {
  if (approval.runId !== null || approval.status !== "approved") return approval;
  const agent = await parts.agentOf(approval);
  const outcome = await callUnchanged(parts, approval, agent);
  const result = outcome.kind === "done" ? { output: outcome.output } : failureOf(outcome);
  await parts.pool.query("update approvals set result = $2::json where id = $1 and result is null", [
    approval.id,
    storableJson(result),
  ]);
  return { ...approval, result: result as JsonValue };
}

/** The agent may change between the answer and the call: then nothing runs. */
async function callUnchanged(
  { execute }: Pick<ApprovalParts, "execute">,
  approval: Approval,
  agent: Result<RuntimeAgent>,
): Promise<GateOutcome> {
  const refuse = ({ failure }: { failure: Failure }): GateOutcome => ({
    kind: "refused",
    ran: false,
    failure,
    durationMs: 0,
  });
  if (!agent.ok) return refuse(agent);
  const tool = agent.value.tools.find(({ name }) => name === approval.tool);
  if (tool && approvalPin(agent.value, tool) !== approval.pin)
    return refuse(fail("approval_changed", { id: approval.id, tool: approval.tool }));
  return execute(approval, agent.value);
}

const failureOf = (outcome: Exclude<GateOutcome, { kind: "done" }>): object =>
  outcome.kind === "refused"
    ? { failure: outcome.failure }
    : fail("tool_failed", {
        message: "The tool runs on a client, but no client is connected.",
        nextStep: "Call it in a session.",
      });
