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
import { MessageBuilder } from "./message-builder.ts";

/** The stream ended without saying that it is complete, or said that it broke. */
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
  /** Called with the parts so far when the stream breaks or is aborted. */
  readonly broken?: (parts: readonly AssistantPart[]) => void;
}

export interface ModelAnswer {
  readonly parts: readonly AssistantPart[];
  readonly usage: TokenUsage;
  readonly finish: LanguageModelV4FinishReason["unified"];
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
    const end = await readStream(reader, builder);
    const usage = tokenUsage(model, end.usage);
    return { parts: builder.parts, usage, finish: end.finishReason.unified, firstTokenMs };
  } catch (error) {
    reader.cancel().catch(() => {});
    call.broken?.(builder.parts);
    if (options.abortSignal?.aborted) throw options.abortSignal.reason;
    throw new BrokenStream(error);
  }
}

/** A provider that never stops would fill memory and store; no model's longest answer comes near this. */
export const LONGEST_ANSWER_CHARS = 2_000_000;

export class FloodedAnswer extends Error {
  constructor() {
    super(`the answer grew beyond ${LONGEST_ANSWER_CHARS} characters`);
    this.name = "FloodedAnswer";
  }
}

const sizeOf = (part: LanguageModelV4StreamPart): number => ("delta" in part ? part.delta.length : 0);

type Finish = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

async function readStream(
  reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>,
  builder: MessageBuilder,
): Promise<Finish> {
  let finish: Finish | undefined;
  let size = 0;
  try {
    for (;;) {
      const { done, value: part } = await reader.read();
      if (done) break;
      if (part.type === "finish") finish = part;
      else if (part.type === "error") throw part.error;
      else builder.take(part);
      size += sizeOf(part);
      if (size > LONGEST_ANSWER_CHARS) throw new FloodedAnswer();
    }
  } finally {
    builder.close();
  }
  if (!finish || finish.finishReason.unified === "interrupted") throw new Error("the stream ended early");
  return finish;
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
