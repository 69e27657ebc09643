/** Asks the model once: prompt, request, retries. Returns the model's answer, or the failure that ends the run. */

import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { ok, type Result, type RunEvent, type RuntimeAgent, type RuntimeTool } from "@capstan/core";
import {
  agUiMessages,
  type ConversationMessage,
  CUSTOM_EVENTS,
  toolCallsOf,
  toolText,
} from "@capstan/core/internal";
import type { ResolvedModel } from "../../providers/models.ts";
import { READ_MESSAGES } from "../claim/claim-statements.ts";
import type { RunContext } from "../context/run-context.ts";
import { callSettings } from "../contract/call-settings.ts";
import type { PredictedState } from "../contract/run-types.ts";
import { messageId as newMessageId } from "../log/message-id.ts";
import type { CallTiming } from "../log/run-log.ts";
import { keepPrompt } from "./kept-prompts.ts";
import { DEFAULT_RETRY, judgeModelError } from "./model-retry.ts";
import { responseFormat } from "./output-schema.ts";
import { toPrompt } from "./prompt.ts";
import { type ModelAnswer, streamModel } from "./stream-model.ts";
import { fitWindow } from "./window.ts";

export const ANSWER_TOKENS = 8192; // reserved for the answer where a model's maximum is larger or unknown
const SMALLEST_WINDOW = 2000;
const CHARS_PER_TOKEN = 3.6; // a little under the usual 4: a prompt that is too long is refused

/** An estimate. A tokenizer would read the whole conversation at every step. */
export const guessTokens = (text: string): number => Math.ceil(text.length / CHARS_PER_TOKEN);

export interface StepAnswer extends ModelAnswer {
  readonly messageId: string;
  readonly prices: ResolvedModel["prices"];
  readonly timing: CallTiming;
}

interface Step {
  readonly agent: RuntimeAgent;
  readonly model: ResolvedModel;
  readonly tools: readonly RuntimeTool[];
}

export async function askModel(context: RunContext, agent: RuntimeAgent): Promise<Result<StepAnswer>> {
  const { claim, engine, log } = context;
  const model = await engine.parts.models.resolve(claim.input.model ?? agent.spec.model);
  if (!model.ok) return model;
  context.seen.model = model.value.name;
  const stepName = `step-${context.meter.usage.steps + 1}`;
  log.emit({ type: "STEP_STARTED", stepName });
  if (claim.input.predictState) log.emit(predictState(claim.input.predictState)); // clients forget it at each step
  const step: Step = { agent, model: model.value, tools: context.visibleTools(agent) };
  const answer = await streamWithRetries(context, step);
  log.emit({ type: "STEP_FINISHED", stepName });
  return answer;
}

async function streamWithRetries(context: RunContext, step: Step): Promise<Result<StepAnswer>> {
  const { engine, meter, signal } = context;
  const { provider, prices } = step.model;
  const { options, sentMessages } = await callOptions(context, step);
  const promptId = await keepPrompt(engine.parts.database.pool, step.agent, options.tools);
  const sent = { startedAt: engine.now().toISOString(), promptId, sentMessages };
  const started = performance.now();
  const policy = { ...DEFAULT_RETRY, ...engine.parts.retry };
  const usedCallIds = callIdsOf(context.messages);
  for (let attempt = 1; ; attempt++) {
    const messageId = newMessageId();
    let shown = false;
    const emit = (event: RunEvent) => {
      shown = true;
      context.log.emit(event);
    };
    const broken = (parts: ModelAnswer["parts"]) => {
      context.partial = { id: messageId, parts };
    };
    try {
      const answer = await streamModel({ model: step.model, options, messageId, usedCallIds, emit, broken });
      context.partial = undefined;
      const timing = { ...sent, ...answer.response, durationMs: sinceMs(started), attempts: attempt };
      return ok({ ...answer, messageId, prices, timing: withFirstToken(timing, answer) });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const { leftMs } = meter;
      const now = engine.now();
      const jitter = Math.random();
      const verdict = judgeModelError({ error, provider, attempt, policy, leftMs, now, jitter });
      if (verdict.kind === "end") return { ok: false, failure: verdict.failure };
      if (shown) await emitMessages(context);
      await waitForRetry(context, attempt, verdict);
    }
  }
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

const withFirstToken = (timing: CallTiming, { firstTokenMs }: ModelAnswer): CallTiming =>
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
  const fixed =
    guessTokens(agent.systemPrompt) + tools.reduce((sum, tool) => sum + guessTokens(toolText(tool)), 0);
  const room = Math.min(model.maxOutputTokens ?? ANSWER_TOKENS, ANSWER_TOKENS, model.contextWindow / 4);
  const { messages } = fitWindow(context.messages, {
    limitTokens: Math.max(SMALLEST_WINDOW, model.contextWindow - fixed - room),
    countTokens: guessTokens,
    replacing: new Set(agent.tools.flatMap(({ name, tool }) => (tool.replacesEarlier ? [name] : []))),
  });
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
    ...(tools.length > 0 && { tools: tools.map(functionTool) }),
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

const functionTool = ({ name, tool }: RuntimeTool): LanguageModelV4FunctionTool => ({
  type: "function",
  name,
  description: tool.description,
  inputSchema: tool.input.jsonSchema as LanguageModelV4FunctionTool["inputSchema"],
});

const callIdsOf = (messages: readonly ConversationMessage[]): Set<string> =>
  new Set(messages.flatMap((message) => toolCallsOf(message).map(({ toolCallId }) => toolCallId)));

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}
