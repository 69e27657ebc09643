/** The record of a call that reached the gate: its outcome, never its arguments. */
import type { CallRecord, GateOutcome, GateRequest } from "./gate.ts";

export function recordOf(
  request: GateRequest,
  outcome: GateOutcome,
  at: Date,
  latencyMs: number,
): CallRecord {
  const capabilityId = "tool" in outcome ? outcome.tool.capabilityId : (outcome.capabilityId ?? "unknown");
  return {
    ts: at.toISOString(),
    path: request.path,
    capabilityId,
    tool: request.tool,
    agentId: request.agent.spec.id,
    user: request.user.email,
    ...(request.runId !== undefined && { runId: request.runId }),
    ...(request.sessionId !== undefined && { sessionId: request.sessionId }),
    latencyMs,
    callId: request.callId,
    ...(request.traceparent !== undefined && { traceparent: request.traceparent }),
    ...(request.step !== undefined && { step: request.step }),
    ...(request.fallback !== undefined && { fallback: request.fallback }),
    ...verdictOf(outcome),
  };
}

function verdictOf(outcome: GateOutcome): Pick<CallRecord, "outcome" | "code" | "status"> {
  if (outcome.kind === "done") return { outcome: "success", status: 200 };
  if (outcome.kind !== "refused") return { outcome: outcome.kind };
  const { code, status } = outcome.failure;
  return { outcome: outcome.ran ? "failed" : "refused", code, status };
}
