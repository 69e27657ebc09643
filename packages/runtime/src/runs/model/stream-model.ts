/**
 * One request to a model: its stream becomes events at once and a message at the end. A stream that breaks leaves only
 * ended blocks behind; `model-retry.ts` decides whether to retry.
 */

import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import type { RunEvent } from "@capstan/core";
import type { AssistantPart, TokenUsage } from "@capstan/core/internal";
import type { ResolvedModel } from "../../providers/models.ts";
import type { CallTiming } from "../log/stored-call.ts";
import { MessageBuilder } from "./message-builder.ts";
import { TextBlocked, type TextGuard } from "./text-guard.ts";

/** The stream ended without being complete, or reported an error. */
export class BrokenStream extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = "BrokenStream";
  }
}

export interface ModelCall {
  readonly model: ResolvedModel;
  readonly options: LanguageModelV4CallOptions;
  readonly messageId: string;
  readonly usedCallIds: ReadonlySet<string>;
  readonly emit: (event: RunEvent) => void;
  /** Checks on the text before anything is built from it. */
  readonly guard?: TextGuard | undefined;
  /** Called with every part of the provider's answer, and at its end. */
  readonly heard?: () => void;
  readonly ended?: () => void;
  /** Called with the parts so far when the stream breaks or is aborted. */
  readonly broken?: (parts: readonly AssistantPart[]) => void;
}

export interface ModelAnswer {
  readonly parts: readonly AssistantPart[];
  readonly usage: TokenUsage;
  /** Known if more than its model was paid for: checks by other models. */
  readonly costUsd?: number | undefined;
  readonly finish: LanguageModelV4FinishReason["unified"];
  /** The provider's metadata of its answer. */
  readonly response: Pick<CallTiming, "responseId" | "responseModel" | "finishReason">;
  /** From the request to the first part of the answer; undefined when there was none. */
  readonly firstTokenMs: number | undefined;
}

export async function streamModel(call: ModelCall): Promise<ModelAnswer> {
  const { model, options, messageId, usedCallIds, emit } = call;
  const started = performance.now();
  let firstTokenMs: number | undefined;
  const { stream } = await model.model.doStream(options);
  const builder = new MessageBuilder(messageId, usedCallIds, (event) => {
    firstTokenMs ??= Math.round(performance.now() - started);
    emit(event);
  });
  const reader = stream.getReader();
  try {
    const { end, told } = await readStream(reader, builder, call);
    call.ended?.(); // checks take additional time
    const usage = tokenUsage(model, end.usage);
    const finish = end.finishReason.unified;
    const response = responseOf(told, end.finishReason);
    return { parts: builder.parts, usage, finish, response, firstTokenMs };
  } catch (error) {
    reader.cancel().catch(() => {});
    call.broken?.(builder.parts);
    if (options.abortSignal?.aborted) throw options.abortSignal.reason;
    throw error instanceof TextBlocked ? error : new BrokenStream(error);
  }
}

/** A provider that never stops would fill memory and store; no real answer comes near this. */
export const LONGEST_ANSWER_CHARS = 2_000_000;

export class FloodedAnswer extends Error {
  constructor() {
    super(`the answer exceeded ${LONGEST_ANSWER_CHARS} characters`);
    this.name = "FloodedAnswer";
  }
}

const sizeOf = (part: LanguageModelV4StreamPart): number => ("delta" in part ? part.delta.length : 0);

type Finish = Extract<LanguageModelV4StreamPart, { type: "finish" }>;
type Told = Extract<LanguageModelV4StreamPart, { type: "response-metadata" }>;

const responseOf = (
  told: Told | undefined,
  { raw, unified }: LanguageModelV4FinishReason,
): ModelAnswer["response"] => ({
  ...(told?.id !== undefined && { responseId: told.id }),
  ...(told?.modelId !== undefined && { responseModel: told.modelId }),
  finishReason: raw ?? unified,
});

/** Parts about the answer as a whole; all others are pieces of it. */
interface AnswerFacts {
  end?: Finish;
  told?: Told;
}

/** Some providers send these at once and then nothing. */
const ABOUT_THE_ANSWER: ReadonlySet<LanguageModelV4StreamPart["type"]> = new Set([
  "stream-start",
  "response-metadata",
  "raw",
]);

function takePart(part: LanguageModelV4StreamPart, builder: MessageBuilder, facts: AnswerFacts): void {
  if (part.type === "finish") facts.end = part;
  else if (part.type === "response-metadata") facts.told = part;
  else if (part.type === "error") throw part.error;
  else builder.take(part);
}

function passedParts(
  part: LanguageModelV4StreamPart,
  { guard, heard }: Pick<ModelCall, "guard" | "heard">,
): readonly LanguageModelV4StreamPart[] {
  if (!ABOUT_THE_ANSWER.has(part.type)) heard?.();
  return guard?.take(part) ?? [part];
}

async function readStream(
  reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>,
  builder: MessageBuilder,
  call: Pick<ModelCall, "guard" | "heard">,
): Promise<{ readonly end: Finish; readonly told: Told | undefined }> {
  const facts: AnswerFacts = {};
  let size = 0;
  try {
    for (;;) {
      const { done, value: part } = await reader.read();
      if (done) break;
      for (const passed of passedParts(part, call)) takePart(passed, builder, facts);
      size += sizeOf(part);
      if (size > LONGEST_ANSWER_CHARS) throw new FloodedAnswer();
    }
  } finally {
    builder.close();
  }
  const { end, told } = facts;
  if (!end || end.finishReason.unified === "interrupted") throw new Error("the stream ended early");
  return { end, told };
}

/** Only what the provider reported: an absent count is not zero, and some SDKs report one as zero. */
function tokenUsage({ provider, modelId }: ResolvedModel, usage: LanguageModelV4Usage): TokenUsage {
  const { inputTokens: input, outputTokens: output } = usage;
  const total = [input.total, output.total].filter((count) => count !== undefined);
  const counts = {
    inputTokens: input.total,
    outputTokens: output.total,
    totalTokens: total.length > 0 ? total.reduce((sum, count) => sum + count, 0) : undefined,
    reasoningTokens: output.reasoning,
    cachedInputTokens: input.cacheRead,
    cacheWriteInputTokens: input.cacheWrite,
  };
  const known = Object.entries(counts).filter(
    ([, count]) => count !== undefined && Number.isFinite(count) && count > 0,
  );
  return { provider, model: modelId, ...Object.fromEntries(known) };
}
