/**
 * capstan/offline: the model used when there is no other. A demo, and it says so: it understands nothing, but it
 * gives a tour, chooses a tool when the words of the message clearly name one, and describes the result.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { reply } from "./reply.ts";
import type { Reply } from "./turn.ts";

const PIECE_CHARS = 12;
const SLOW_PIECE_MS = 350; // two per number in the tour: eight seconds in which to press Stop

export interface OfflineOptions {
  /** Waits between the pieces of a slow text; tests pass one that does not. */
  readonly pause?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

export function offlineModel({ pause = wait }: OfflineOptions = {}): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "capstan",
    modelId: "offline",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("the offline model streams")),
    doStream: async (options) => ({ stream: streamOf(reply(options), options, pause) }),
  };
}

function streamOf(
  said: Reply,
  { abortSignal }: LanguageModelV4CallOptions,
  pause: NonNullable<OfflineOptions["pause"]>,
): ReadableStream<LanguageModelV4StreamPart> {
  const parts = pacedParts(said)[Symbol.iterator]();
  return new ReadableStream({
    async pull(controller) {
      abortSignal?.throwIfAborted();
      const { done, value } = parts.next();
      if (done) return controller.close();
      controller.enqueue(value.part);
      if (value.isSlow) await pause(SLOW_PIECE_MS, abortSignal);
      else await new Promise(setImmediate); // pieces arrive one by one, as from a network
    },
  });
}

interface PacedPart {
  readonly part: LanguageModelV4StreamPart;
  readonly isSlow?: boolean;
}

function* pacedParts(said: Reply): Generator<PacedPart> {
  yield { part: { type: "stream-start", warnings: [] } };
  if (said.text !== undefined) {
    yield { part: { type: "text-start", id: "0" } };
    for (const delta of pieces(said.text)) yield { part: { type: "text-delta", id: "0", delta } };
    for (const delta of said.slowly?.match(/\S+\s*/g) ?? [])
      yield { part: { type: "text-delta", id: "0", delta }, isSlow: true };
    yield { part: { type: "text-end", id: "0" } };
  }
  for (const part of callAndEnd(said)) yield { part };
}

function* callAndEnd(said: Reply): Generator<LanguageModelV4StreamPart> {
  const input = said.call && JSON.stringify(said.call.input);
  if (said.call && input !== undefined) {
    const id = `call_${crypto.randomUUID().replaceAll("-", "").slice(0, 24)}`;
    yield { type: "tool-input-start", id, toolName: said.call.tool };
    for (const delta of pieces(input)) yield { type: "tool-input-delta", id, delta };
    yield { type: "tool-input-end", id };
    yield { type: "tool-call", toolCallId: id, toolName: said.call.tool, input };
  }
  const chars = (said.text?.length ?? 0) + (said.slowly?.length ?? 0) + (input?.length ?? 0);
  yield {
    type: "finish",
    finishReason: { unified: said.call ? "tool-calls" : "stop", raw: undefined },
    usage: {
      inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: Math.ceil(chars / 4), text: undefined, reasoning: undefined },
    },
  };
}

function* pieces(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += PIECE_CHARS) yield text.slice(at, at + PIECE_CHARS);
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
  });
}
