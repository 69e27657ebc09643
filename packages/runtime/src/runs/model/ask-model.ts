/** One step of a segment: prompt, call, retries. Returns the model's message, or why the run must end. */

import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { type Failure, ok, type Result, type RuntimeAgent, type RuntimeTool } from "@capstan/core";
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
import { fitWindow } from "../history/window.ts";
import { DEFAULT_RETRY, judgeModelError } from "./model-retry.ts";
import { toPrompt } from "./prompt.ts";
import { callModel, type ModelAnswer } from "./stream-model.ts";

const ANSWER_TOKENS = 8192; // room for the answer where a model's own maximum is larger or unknown
const SMALLEST_WINDOW = 2000;
const CHARS_PER_TOKEN = 3.6; // a little under the usual 4: a window that is guessed too large is refused

/** A cheap guess. A tokenizer would read the whole conversation at every step. */
export const guessTokens = (text: string): number => Math.ceil(text.length / CHARS_PER_TOKEN);

export interface TurnStep {
  readonly agent: RuntimeAgent;
  readonly model: ResolvedModel;
  readonly tools: readonly RuntimeTool[];
  readonly messageId: (attempt: number) => string;
  readonly options: Pick<LanguageModelV4CallOptions, "responseFormat" | "reasoning">;
}

export interface StepAnswer extends ModelAnswer {
  readonly messageId: string;
}

export async function takeStep(context: RunContext, step: TurnStep): Promise<Result<StepAnswer>> {
  const { engine, meter, signal } = context;
  const options = await callOptions(context, step);
  const policy = { ...DEFAULT_RETRY, ...engine.parts.retry };
  const usedCallIds = callIdsOf(context.messages);
  for (let attempt = 1; ; attempt++) {
    const messageId = step.messageId(attempt);
    let shown = false;
    try {
      const answer = await callModel({
        model: step.model,
        options,
        messageId,
        usedCallIds,
        emit: (event) => {
          shown = true;
          context.log.emit(event);
        },
        broken: (parts) => {
          context.partial = { id: messageId, parts };
        },
      });
      context.partial = undefined;
      return ok({ ...answer, messageId });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const verdict = judgeModelError({
        error,
        provider: step.model.provider,
        attempt,
        policy,
        leftMs: meter.leftMs,
        now: engine.now(),
        jitter: Math.random(),
      });
      if (verdict.kind === "end") return { ok: false, failure: verdict.failure as Failure };
      if (shown) await showWhatStands(context);
      context.log.emit({
        type: "CUSTOM",
        name: CUSTOM_EVENTS.retrying,
        value: { attempt, wait_ms: Math.round(verdict.waitMs), reason: verdict.why },
      });
      await wait(verdict.waitMs, signal);
    }
  }
}

/** After half a message was shown: the conversation without it, so that no client keeps it. */
export async function showWhatStands(context: RunContext): Promise<void> {
  const { parts } = context.engine;
  await context.log.commit(); // what is under way counts
  const { rows } = await parts.database.pool.query<ConversationMessage>(READ_MESSAGES, [
    context.claim.sessionId,
  ]);
  context.log.emit({ type: "MESSAGES_SNAPSHOT", messages: agUiMessages(rows) });
}

async function callOptions(context: RunContext, step: TurnStep): Promise<LanguageModelV4CallOptions> {
  const { agent, model, tools } = step;
  const fixed =
    guessTokens(agent.systemPrompt) + tools.reduce((sum, tool) => sum + guessTokens(toolText(tool)), 0);
  const room = Math.min(model.maxOutputTokens ?? ANSWER_TOKENS, ANSWER_TOKENS, model.contextWindow / 4);
  const { messages } = fitWindow(context.messages, {
    limitTokens: Math.max(SMALLEST_WINDOW, model.contextWindow - fixed - room),
    countTokens: guessTokens,
    replacing: new Set(agent.tools.flatMap(({ name, tool }) => (tool.replacesEarlier ? [name] : []))),
  });
  const prompt = await toPrompt({
    systemPrompt: agent.systemPrompt,
    messages,
    model,
    sessionId: context.claim.sessionId,
    readFile: context.engine.parts.readFile,
    warn: (text) => context.warn(text),
  });
  return {
    prompt,
    abortSignal: context.signal,
    ...(tools.length > 0 && { tools: tools.map(functionTool) }),
    ...(model.callOptions && { providerOptions: model.callOptions }),
    ...step.options,
  };
}

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
