/** Asks the model once: prompt, request, retries. Returns the model's answer, or the failure that ends the run. */

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { fail, ok, type Result, type RunEvent, type RuntimeAgent, type RuntimeTool } from "@capstan/core";
import {
  agUiMessages,
  type ConversationMessage,
  CUSTOM_EVENTS,
  type TextCheck,
  toolCallsOf,
} from "@capstan/core/internal";
import type { ResolvedModel } from "../../providers/models.ts";
import { READ_MESSAGES } from "../claim/claim-statements.ts";
import type { RunContext } from "../context/run-context.ts";
import { callSettings } from "../contract/call-settings.ts";
import type { PredictedState } from "../contract/run-types.ts";
import { messageId as newMessageId } from "../log/message-id.ts";
import type { WholeTiming } from "../log/stored-call.ts";
import { askInOrder } from "./fallback.ts";
import { conversationLimit, fitConversation } from "./fit-conversation.ts";
import { functionTools } from "./function-tools.ts";
import { keepPrompt } from "./kept-prompts.ts";
import { DEFAULT_RETRY, judgeModelError, retryPolicy, type Verdict } from "./model-retry.ts";
import { responseFormat } from "./output-schema.ts";
import { toPrompt } from "./prompt.ts";
import { SilenceTimer } from "./silence-timer.ts";
import { spentWith, streamChecked } from "./stream-checked.ts";
import type { ModelAnswer } from "./stream-model.ts";
import { TextBlocked } from "./text-guard.ts";
import { wait } from "./wait.ts";

export interface StepAnswer extends ModelAnswer {
  readonly messageId: string;
  readonly prices: ResolvedModel["prices"];
  readonly timing: WholeTiming;
  /** The check that requires a person to read it first: nothing was sent yet. */
  readonly heldBy?: Pick<TextCheck, "name" | "words">;
}

interface Step {
  readonly agent: RuntimeAgent;
  readonly model: ResolvedModel;
  readonly tools: readonly RuntimeTool[];
  /** No other model can be asked: this one is retried as long as the policy allows. */
  readonly isLast: boolean;
}

export async function askModel(context: RunContext, agent: RuntimeAgent): Promise<Result<StepAnswer>> {
  const { claim, log } = context;
  const stepName = `step-${context.meter.usage.steps + 1}`;
  log.emit({ type: "STEP_STARTED", stepName });
  if (claim.input.predictState) log.emit(predictState(claim.input.predictState)); // clients drop it at each step
  const tools = context.visibleTools(agent);
  const answer = await askInOrder(context, agent, (model, isLast) =>
    streamWithRetries(context, { agent, model, tools, isLast }),
  );
  log.emit({ type: "STEP_FINISHED", stepName });
  return answer;
}

async function streamWithRetries(context: RunContext, step: Step): Promise<Result<StepAnswer>> {
  const { engine } = context;
  const { options, sentMessages } = await callOptions(context, step);
  const promptId = await keepPrompt(engine.parts.database.pool, step.agent, options.tools);
  const attempts: Attempts = {
    options,
    sent: { startedAt: engine.now().toISOString(), promptId, sentMessages },
    started: performance.now(),
    policy: retryPolicy({ ...DEFAULT_RETRY, ...engine.parts.retry }, step.isLast),
    usedCallIds: callIdsOf(context.messages),
  };
  for (let attempt = 1; ; attempt++) {
    const tried = await tryModel(context, step, attempts, attempt);
    if (tried.kind !== "retry") return tried.answer;
    await waitForRetry(context, attempt, tried);
  }
}

/** What all attempts of one step share. */
interface Attempts {
  readonly options: LanguageModelV4CallOptions;
  readonly sent: Pick<WholeTiming, "startedAt" | "promptId" | "sentMessages">;
  readonly started: number;
  readonly policy: ReturnType<typeof retryPolicy>;
  readonly usedCallIds: ReadonlySet<string>;
}

type Tried =
  | { readonly kind: "end"; readonly answer: Result<StepAnswer> }
  | Extract<Verdict, { kind: "retry" }>;

async function tryModel(
  context: RunContext,
  step: Step,
  attempts: Attempts,
  attempt: number,
): Promise<Tried> {
  const { signal } = context;
  const { options, sent, started, policy, usedCallIds } = attempts;
  const { model, isLast } = step;
  const messageId = newMessageId();
  let shown = false;
  const slow = isLast ? undefined : new SilenceTimer(policy.longestSilenceMs);
  const emit = (event: RunEvent) => {
    shown = true;
    context.log.emit(event);
  };
  const broken = (parts: ModelAnswer["parts"]) => {
    context.partial = { id: messageId, parts };
  };
  const timed = slow ? { ...options, abortSignal: AbortSignal.any([signal, slow.signal]) } : options;
  try {
    const said = await streamChecked(context, step.agent, {
      model,
      options: timed,
      messageId,
      usedCallIds,
      emit,
      broken,
      heard: () => slow?.restart(),
      ended: () => slow?.stop(),
    });
    const { answer } = said;
    context.partial = undefined;
    const timing = { ...sent, ...answer.response, durationMs: sinceMs(started), attempts: attempt };
    const { prices } = model;
    return {
      kind: "end",
      answer: ok({
        ...answer,
        messageId,
        prices,
        timing: withFirstToken(timing, answer),
        ...(said.heldBy && { heldBy: said.heldBy }),
      }),
    };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    keepBlocked(context, model, error);
    const verdict = judgeAttempt(context, step, policy, { error, attempt, isSlow: slow?.isOver === true });
    const isOver = verdict.kind === "end" && isLast;
    if (shown && !isOver) await emitMessages(context);
    return triedAs(verdict);
  } finally {
    slow?.stop();
  }
}

/** A complete answer that a check blocked was paid for: the loop counts it. */
function keepBlocked(context: RunContext, model: ResolvedModel, error: unknown): void {
  if (!(error instanceof TextBlocked) || !error.usage) return;
  const { usage, spent = { costUsd: 0, tokens: 0 } } = error;
  context.blocked = { ...spentWith({ usage }, spent, { model }), prices: model.prices };
}

const triedAs = (verdict: Verdict): Tried =>
  verdict.kind === "retry" ? verdict : { kind: "end", answer: { ok: false, failure: verdict.failure } };

function judgeAttempt(
  { engine, meter }: RunContext,
  { model: { provider } }: Step,
  policy: Attempts["policy"],
  { error, attempt, isSlow }: { error: unknown; attempt: number; isSlow: boolean },
): Verdict {
  if (isSlow) {
    const { failure } = fail("provider_slow", { provider, seconds: policy.longestSilenceMs / 1000 });
    return { kind: "end", failure };
  }
  const leftMs = Math.min(meter.leftMs, policy.longestWaitMs);
  return judgeModelError({
    error,
    provider,
    attempt,
    policy,
    leftMs,
    now: engine.now(),
    jitter: Math.random(),
  });
}

async function waitForRetry(
  { log, signal }: RunContext,
  attempt: number,
  { waitMs, why: reason }: { readonly waitMs: number; readonly why: string },
): Promise<void> {
  const value = { attempt, wait_ms: Math.round(waitMs), reason };
  log.emit({ type: "CUSTOM", name: CUSTOM_EVENTS.retrying, value });
  await wait(waitMs, signal);
}

const sinceMs = (started: number): number => Math.round(performance.now() - started);

const withFirstToken = (timing: WholeTiming, { firstTokenMs }: ModelAnswer): WholeTiming =>
  firstTokenMs === undefined ? timing : { ...timing, firstTokenMs };

/** Emits the stored conversation, so that no client keeps a message that was shown in part and dropped. */
export async function emitMessages(context: RunContext): Promise<void> {
  const { parts } = context.engine;
  await context.log.commit(); // includes pending writes
  const { rows } = await parts.database.pool.query<ConversationMessage>(READ_MESSAGES, [
    context.claim.sessionId,
  ]);
  context.log.emit({ type: "MESSAGES_SNAPSHOT", messages: agUiMessages(rows) });
}

async function callOptions(
  context: RunContext,
  step: Step,
): Promise<{ options: LanguageModelV4CallOptions; sentMessages: number }> {
  const { agent, model, tools } = step;
  const { claim } = context;
  const messages = fitConversation(context.messages, agent, conversationLimit(agent, model, tools));
  const reasoning = claim.input.reasoning ?? agent.spec.thinkingEffort;
  const prompt = await toPrompt({
    systemPrompt: agent.systemPrompt,
    messages,
    model,
    sessionId: claim.sessionId,
    readFile: context.engine.parts.readFile,
    warn: (text) => context.warn(text),
  });
  const options: LanguageModelV4CallOptions = {
    prompt,
    abortSignal: context.signal,
    ...functionTools(tools),
    ...(model.callOptions && { providerOptions: model.callOptions }),
    ...responseFormat(claim.input.outputSchema, model, tools.length > 0),
    ...(reasoning && { reasoning }),
    ...callSettings(claim.input, {
      isFirstStep: context.meter.usage.steps === 0,
      toolNames: tools.map(({ name }) => name),
    }),
  };
  return { options, sentMessages: messages.length };
}

const predictState = (predicted: readonly PredictedState[]): RunEvent => ({
  type: "CUSTOM",
  name: "PredictState",
  value: predicted.map(({ stateKey, tool, argument }) => ({
    state_key: stateKey,
    tool,
    ...(argument !== undefined && { tool_argument: argument }),
  })),
});

const callIdsOf = (messages: readonly ConversationMessage[]): Set<string> =>
  new Set(messages.flatMap((message) => toolCallsOf(message).map(({ toolCallId }) => toolCallId)));
