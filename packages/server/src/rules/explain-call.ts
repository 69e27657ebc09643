/** A past call for the API: how it was decided then, and what the rules in effect say. */
import type { CallExplanation } from "@capstan/client/wire";
import { type Composer, explainCall, type Gate, type MadeDecision, type PastCall } from "@capstan/runtime";
import { checkDto } from "./rule-dto.ts";

type Now = Pick<CallExplanation, "now" | "note">;

const NOT_RECORDED = "How it was decided was not recorded.";
const NO_ARGUMENTS = "Its arguments were not stored, so the current rules cannot be tried on it.";
const NO_AGENT = "It was made without an agent, so the current rules cannot be tried on it.";
const UNGATED = "The coding agent ran a tool of its own, which no rule of Capstan sees.";

/** What the rules in effect say of it, or why that is unknown. */
export async function judgedNow(
  parts: { readonly composer: Composer; readonly gate: Gate },
  { decisions, recorded, asked }: PastCall,
): Promise<Now> {
  const call = recorded ?? asked;
  if (!call) return { now: null, note: NO_ARGUMENTS };
  if (call.agentId === "unsaved") return { now: null, note: NO_AGENT };
  const [first] = decisions;
  if (!first && (await isUngated(parts, call))) return { now: null, note: UNGATED };
  const path = first?.path === "replay" ? "loop" : first?.path;
  const now = checkDto(await explainCall(parts, { ...call, sessionId: call.sessionId ?? undefined, path }));
  return { now, note: first ? null : NOT_RECORDED };
}

async function isUngated(
  { composer }: { readonly composer: Composer },
  { agentId, user, tool }: NonNullable<PastCall["recorded"] | PastCall["asked"]>,
): Promise<boolean> {
  const agent = await composer.showFor(agentId, user);
  if (!agent.ok || agent.value.spec.harness === "native") return false;
  return agent.value.tools.every(({ name }) => name !== tool);
}

/** Undefined: there is no such call. */
export function explanationDto(
  callId: string,
  { decisions, recorded, asked }: PastCall,
  now: Now,
): CallExplanation | undefined {
  const [first] = decisions;
  const known = recorded ?? asked;
  const call = known ?? first;
  if (!call) return undefined;
  return {
    call_id: callId,
    run_id: recorded?.runId ?? first?.runId ?? null,
    session_id: call.sessionId,
    agent_id: call.agentId,
    user: call.user,
    path: first?.path ?? null,
    tool: call.tool,
    input: (known?.input ?? null) as CallExplanation["input"],
    edited_input: (known?.edited ?? null) as CallExplanation["edited_input"],
    at: (first ?? call).at.toISOString(),
    decisions: decisions.map(decisionDto),
    ...now,
  };
}

const decisionDto = (made: MadeDecision): CallExplanation["decisions"][number] => ({
  decision: made.effect,
  rule_id: made.rule?.id ?? null,
  rule_name: made.rule?.name ?? null,
  sentence: made.rule?.sentence ?? null,
  why: made.why ?? (made.approved ? "A person approved it." : "The tool's own policy allowed it."),
  approved: made.approved ?? false,
  outcome: outcomeOf(made),
  at: made.at.toISOString(),
});

function outcomeOf({ effect, status }: MadeDecision): CallExplanation["decisions"][number]["outcome"] {
  if (effect === "deny") return "refused";
  if (effect === "ask") return "waiting";
  if (status === null) return "client";
  return status < 400 ? "done" : "failed";
}
