/** Applies the text checks to a model's answer: masks and blocks while it streams, or holds it until it is complete. */
import type { RuntimeAgent } from "@capstan/core";
import {
  type AssistantPart,
  asksAbout,
  type CompiledCheck,
  type ConversationMessage,
  type TextCheck,
  textOf,
  unfinishedLine,
} from "@capstan/core/internal";
import type { ClaimedSegment } from "../claim/claimed-segment.ts";
import type { Engine } from "../context/run-context.ts";
import { costUsd } from "../context/run-meter.ts";
import { emitParts } from "./emit-parts.ts";
import { type CheckSpending, checkByModel, isModelCheck } from "./model-checks.ts";
import { type ModelAnswer, type ModelCall, streamModel } from "./stream-model.ts";
import { TextBlocked, TextGuard } from "./text-guard.ts";

export interface CheckedAnswer {
  readonly answer: ModelAnswer;
  readonly heldBy?: Pick<TextCheck, "name" | "words"> | undefined;
}

/** The agent that answers, and its checks. */
export interface Checking {
  readonly engine: Pick<Engine, "parts" | "now">;
  readonly claim: Pick<ClaimedSegment, "userEmail" | "sessionId">;
  /** The conversation that the answer continues. */
  readonly messages?: readonly ConversationMessage[];
}

export async function streamChecked(
  context: Checking,
  agent: RuntimeAgent,
  call: ModelCall,
): Promise<CheckedAnswer> {
  const { parts, now } = context.engine;
  const checks = (await parts.textChecks?.(agent.spec.id, now())) ?? [];
  const before = checks.length > 0 ? lastAnswer(context) : "";
  const guard = checks.length > 0 ? new TextGuard(checks, before) : undefined;
  if (!needsWhole(agent, checks)) return { answer: await streamModel({ ...call, guard }) };
  const answer = await streamModel({ ...call, guard, emit: () => {} });
  const { parts: said, heldBy, spent } = await judgeWhole(context, agent, { answer, checks, call });
  const holding = asksAboutAny(textsOf(said), checks, before) ?? heldBy;
  if (!holding) emitParts(call.messageId, said, call.emit);
  return { answer: { ...answer, parts: said, ...spentWith(answer, spent, call) }, heldBy: holding };
}

const textsOf = (parts: readonly AssistantPart[]): string[] =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : []));

const lastAnswer = ({ messages = [] }: Checking): string => {
  const last = messages.findLast((message) => message.role === "assistant" && textOf(message) !== "");
  return last ? textOf(last) : "";
};

function asksAboutAny(
  texts: readonly string[],
  checks: readonly CompiledCheck[],
  before: string,
): TextCheck | undefined {
  let sent = before;
  for (const text of texts) {
    const asks = asksAbout(text, checks, unfinishedLine(sent));
    if (asks) return asks;
    sent += text;
  }
  return undefined;
}

/** People, functions and models judge a whole answer. */
const needsWhole = (agent: RuntimeAgent, checks: readonly CompiledCheck[]): boolean =>
  checks.some(({ check }) => check.effect === "ask" || isModelCheck(check)) ||
  agent.hooks.some(({ hooks }) => hooks.beforeText);

interface Judged {
  readonly text: string;
  readonly heldBy?: Held | undefined;
}
type Held = NonNullable<CheckedAnswer["heldBy"]>;

interface Whole {
  readonly answer: ModelAnswer;
  readonly checks: readonly CompiledCheck[];
  readonly call: ModelCall;
}

/**
 * Functions first, then models: a model never sees what a function masks. They read the whole answer, also where a tool call
 * is in the middle of it; what they change becomes one text.
 */
async function judgeWhole(context: Checking, agent: RuntimeAgent, { answer, checks, call }: Whole) {
  const spent = { costUsd: 0, tokens: 0 };
  const said = textsOf(answer.parts).join("");
  if (said === "") return { parts: answer.parts, heldBy: undefined, spent };
  try {
    const hooked = await hookedText(context, agent, said);
    const { text, heldBy } = await modelText(context, checks, hooked.text, {
      spent,
      signal: call.options.abortSignal,
    });
    const parts = text === said ? answer.parts : withText(answer.parts, text);
    return { parts, heldBy: hooked.heldBy ?? heldBy, spent };
  } catch (error) {
    if (error instanceof TextBlocked) throw blockedWith(error, answer, spent);
    throw error;
  }
}

/** Another text in place of the answer's; calls and reasoning stay. */
export function withText(parts: readonly AssistantPart[], text: string): readonly AssistantPart[] {
  const first = parts.findIndex(({ type }) => type === "text");
  return parts.flatMap((part, at): AssistantPart[] => {
    if (part.type !== "text") return [part];
    return at === first && text !== "" ? [{ ...part, text }] : [];
  });
}

/** A blocked answer was paid for, and so were its checks. */
function blockedWith(error: TextBlocked, { usage }: ModelAnswer, spent: CheckSpending): TextBlocked {
  const blocked = new TextBlocked(error.check, {
    costUsd: spent.costUsd + (error.spent?.costUsd ?? 0),
    tokens: spent.tokens + (error.spent?.tokens ?? 0),
  });
  blocked.usage = usage;
  return blocked;
}

async function modelText(
  { engine }: Checking,
  checks: readonly CompiledCheck[],
  said: string,
  { spent, signal }: { spent: { costUsd: number; tokens: number }; signal: AbortSignal | undefined },
): Promise<Judged> {
  let text = said;
  let heldBy: Held | undefined;
  for (const { check } of checks) {
    if (!isModelCheck(check)) continue;
    const verdict = await checkByModel(engine.parts.models, check, text, signal);
    spent.costUsd += verdict.costUsd;
    spent.tokens += verdict.tokens;
    text = verdict.text;
    if (verdict.found && check.effect === "ask") heldBy ??= check;
  }
  return { text, heldBy };
}

/** A hook that throws blocks: a broken check must not let text pass. */
async function hookedText({ claim }: Checking, agent: RuntimeAgent, text: string): Promise<Judged> {
  let current = text;
  let heldBy: Held | undefined;
  for (const { capabilityId: name, hooks } of agent.hooks) {
    if (!hooks.beforeText) continue;
    const { userEmail: user, sessionId } = claim;
    const verdict = await verdictOf(() => hooks.beforeText?.({ text: current, user, sessionId }));
    if (verdict === undefined) throw new TextBlocked({ name, words: "its check failed" });
    if (verdict.decision === "block") throw new TextBlocked({ name, words: verdict.why });
    if (verdict.decision === "ask") heldBy ??= { name, words: verdict.why };
    if (verdict.decision === "mask") current = verdict.text;
  }
  return { text: current, heldBy };
}

/** The checks' usage counts with the answer, at their own models' prices. */
export function spentWith(
  { usage }: Pick<ModelAnswer, "usage">,
  { costUsd: checks, tokens }: CheckSpending,
  { model }: Pick<ModelCall, "model">,
): Pick<ModelAnswer, "usage" | "costUsd"> {
  if (tokens === 0 && checks === 0) return { usage };
  const { totalTokens } = usage;
  const all = totalTokens === undefined ? usage : { ...usage, totalTokens: totalTokens + tokens };
  return { usage: all, costUsd: costUsd(model.prices, usage) + checks };
}

async function verdictOf<T>(ask: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch {
    return undefined;
  }
}
