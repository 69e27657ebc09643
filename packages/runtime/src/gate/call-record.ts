/** The record of a call that reached the gate: its decision and outcome, never its arguments. */
import { type RuleDecision, type RuleEffect, ruleSentence } from "@capstan/core/internal";
import type { CallRecord, GateOutcome, GateRequest } from "./gate.ts";

/** How the gate decided a call, in the words of that time: its rules may change. */
export interface RecordedDecision {
  readonly effect: RuleEffect;
  readonly rule?: { readonly id: string; readonly name: string; readonly sentence: string };
  readonly why?: string;
  /** A person had approved the call. */
  readonly approved?: true;
}

export interface Timed {
  readonly at: Date;
  readonly latencyMs: number;
}

export type RuledOutcome = GateOutcome & { readonly ruled?: RuleDecision | undefined };

export function recordOf(request: GateRequest, outcome: RuledOutcome, { at, latencyMs }: Timed): CallRecord {
  const capabilityId = "tool" in outcome ? outcome.tool.capabilityId : (outcome.capabilityId ?? "unknown");
  const decision = decisionOf(request, outcome);
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
    ...(decision && { decision }),
  };
}

function verdictOf(outcome: GateOutcome): Pick<CallRecord, "outcome" | "code" | "status"> {
  if (outcome.kind === "done") return { outcome: "success", status: 200 };
  if (outcome.kind !== "refused") return { outcome: outcome.kind };
  const { code, status } = outcome.failure;
  return { outcome: outcome.ran ? "failed" : "refused", code, status };
}

const LONGEST_WHY = 1_000;

/** Undefined: only the tool's own policy decided, and allowed it. */
function decisionOf({ approved }: GateRequest, outcome: RuledOutcome): RecordedDecision | undefined {
  const { ruled } = outcome;
  const effect = effectOf(outcome);
  if (effect === "allow" && !ruled && !approved) return undefined;
  const why = ruled?.why ?? reasonOf(outcome);
  return {
    effect,
    ...(ruled && {
      rule: { id: ruled.rule.id, name: ruled.rule.name, sentence: ruleSentence(ruled.rule) },
    }),
    ...(why !== undefined && { why: why.slice(0, LONGEST_WHY) }),
    ...(approved && { approved }),
  };
}

function effectOf(outcome: GateOutcome): RuleEffect {
  if (outcome.kind === "approval") return "ask";
  return outcome.kind === "refused" && !outcome.ran ? "deny" : "allow";
}

function reasonOf(outcome: GateOutcome): string | undefined {
  if (outcome.kind === "approval") return outcome.why;
  if (outcome.kind !== "refused" || outcome.ran) return undefined;
  const { code, message } = outcome.failure;
  return code === "tool_input_invalid" ? "Its arguments do not fit the tool's schema." : message; // that message repeats them
}
