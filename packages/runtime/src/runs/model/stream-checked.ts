/** A model's answer under the checks on text: masked and blocked while it streams, or held back until it is whole. */
import type { RuntimeAgent } from "@capstan/core";
import { type AssistantPart, asksAbout, type CompiledCheck, type TextCheck } from "@capstan/core/internal";
import type { ClaimedSegment } from "../claim/claimed-segment.ts";
import type { Engine } from "../context/run-context.ts";
import { emitParts } from "./emit-parts.ts";
import { type ModelAnswer, type ModelCall, streamModel } from "./stream-model.ts";
import { TextBlocked, TextGuard } from "./text-guard.ts";

export interface CheckedAnswer {
  readonly answer: ModelAnswer;
  readonly heldBy?: TextCheck | undefined;
}

/** Whose answer it is, and where its checks are. */
export interface Checking {
  readonly engine: Pick<Engine, "parts" | "now">;
  readonly claim: Pick<ClaimedSegment, "userEmail" | "sessionId">;
}

export async function streamChecked(
  context: Checking,
  agent: RuntimeAgent,
  call: ModelCall,
): Promise<CheckedAnswer> {
  const { parts, now } = context.engine;
  const checks = (await parts.textChecks?.(agent.spec.id, now())) ?? [];
  const guard = checks.length > 0 ? new TextGuard(checks) : undefined;
  if (!needsWhole(agent, checks)) return { answer: await streamModel({ ...call, guard }) };
  const answer = await streamModel({ ...call, guard, emit: () => {} });
  const said = await askHooks(context, agent, answer.parts);
  const heldBy = said
    .map((part) => (part.type === "text" ? asksAbout(part.text, checks) : undefined))
    .find((check) => check !== undefined);
  if (!heldBy) emitParts(call.messageId, said, call.emit);
  return { answer: { ...answer, parts: said }, heldBy };
}

/** A person and a function judge a whole answer. */
const needsWhole = (agent: RuntimeAgent, checks: readonly CompiledCheck[]): boolean =>
  checks.some(({ check }) => check.effect === "ask") || agent.hooks.some(({ hooks }) => hooks.beforeText);

async function askHooks(
  context: Checking,
  agent: RuntimeAgent,
  parts: readonly AssistantPart[],
): Promise<readonly AssistantPart[]> {
  const said: AssistantPart[] = [];
  for (const part of parts)
    said.push(part.type === "text" ? { ...part, text: await hookedText(context, agent, part.text) } : part);
  return said;
}

/** A hook that throws blocks: a broken check must not let text pass. */
async function hookedText({ claim }: Checking, agent: RuntimeAgent, text: string): Promise<string> {
  let current = text;
  for (const { capabilityId, hooks } of agent.hooks) {
    if (!hooks.beforeText) continue;
    const { userEmail: user, sessionId } = claim;
    const verdict = await verdictOf(() => hooks.beforeText?.({ text: current, user, sessionId }));
    if (verdict === undefined) throw new TextBlocked({ name: capabilityId, words: "its check failed" });
    if (verdict.decision === "block") throw new TextBlocked({ name: capabilityId, words: verdict.why });
    if (verdict.decision === "mask") current = verdict.text;
  }
  return current;
}

async function verdictOf<T>(ask: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch {
    return undefined;
  }
}
