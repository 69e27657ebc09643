/**
 * A model with scripted answers: a function from the call to the parts of an answer. Text is streamed in
 * small pieces, so that what the engine does with streams is really exercised.
 */

import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { type JsonValue, ok } from "@capstan/core";
import type { Models, ResolvedModel } from "../packages/runtime/src/providers/models.ts";

export type SaidPart =
  | { readonly text: string }
  | { readonly reasoning: string; readonly signature?: string }
  | { readonly call: string; readonly input?: JsonValue; readonly id?: string }
  /** The stream breaks here. */
  | { readonly breaks: string }
  /** Waits for this before it goes on. */
  | { readonly until: Promise<unknown> }
  | { readonly pauseMs: number };

export type Script = (
  call: LanguageModelV4CallOptions,
  /** How many answers of the model are in the prompt since the last message of the user. */
  step: number,
) => readonly SaidPart[] | Promise<readonly SaidPart[]>;

const PIECE = 5;
let nextCall = 1;

/** The model as an engine resolves it. Every answer costs 10 tokens in and 5 out. */
export function scriptedModel(script: Script, more: Partial<ResolvedModel> = {}): ResolvedModel {
  const model: LanguageModelV4 = {
    specificationVersion: "v4",
    provider: "test",
    modelId: "scripted",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("the engine streams")),
    async doStream(call) {
      const lastAsked = call.prompt.findLastIndex(({ role }) => role === "user");
      const step = call.prompt.slice(lastAsked + 1).filter(({ role }) => role === "assistant").length;
      const said = await script(call, step);
      return { stream: streamOf(said, call.abortSignal) };
    },
  };
  return {
    name: "test/scripted",
    label: "test/scripted",
    provider: "test",
    modelId: "scripted",
    model,
    contextWindow: 100_000,
    inputs: { image: true, audio: false, video: false, pdf: true },
    jsonWithTools: true,
    ...more,
  };
}

export const onlyModel = (model: ResolvedModel): Models => ({
  resolve: async () => ok(model),
  check: async () => ok(true),
});

function streamOf(
  said: readonly SaidPart[],
  signal?: AbortSignal,
): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    async start(controller) {
      const put = (part: LanguageModelV4StreamPart) => controller.enqueue(part);
      const stop = () => controller.error(signal?.reason);
      signal?.addEventListener("abort", stop, { once: true });
      try {
        put({ type: "stream-start", warnings: [] });
        for (const [index, part] of said.entries()) await say(part, String(index), put);
        const calls = said.some((part) => "call" in part);
        put({
          type: "finish",
          finishReason: { unified: calls ? "tool-calls" : "stop", raw: undefined },
          usage: {
            inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
            outputTokens: { total: 5, text: 5, reasoning: undefined },
          },
        });
        controller.close();
      } catch (error) {
        if (!signal?.aborted) controller.error(error);
      } finally {
        signal?.removeEventListener("abort", stop);
      }
    },
  });
}

async function say(
  part: SaidPart,
  id: string,
  put: (part: LanguageModelV4StreamPart) => void,
): Promise<void> {
  if ("breaks" in part) throw new Error(part.breaks);
  if ("until" in part) await part.until;
  else if ("pauseMs" in part) await new Promise((resolve) => setTimeout(resolve, part.pauseMs));
  else if ("text" in part) {
    put({ type: "text-start", id });
    for (let at = 0; at < part.text.length; at += PIECE) {
      put({ type: "text-delta", id, delta: part.text.slice(at, at + PIECE) });
      await new Promise(setImmediate);
    }
    put({ type: "text-end", id });
  } else if ("reasoning" in part) {
    put({ type: "reasoning-start", id });
    put({ type: "reasoning-delta", id, delta: part.reasoning });
    const metadata = part.signature && { providerMetadata: { test: { signature: part.signature } } };
    put({ type: "reasoning-end", id, ...metadata });
  } else {
    const toolCallId = part.id ?? `call-${nextCall++}-${Math.random().toString(36).slice(2, 8)}`;
    const input = JSON.stringify(part.input ?? {});
    put({ type: "tool-input-start", id: toolCallId, toolName: part.call });
    put({ type: "tool-input-delta", id: toolCallId, delta: input });
    put({ type: "tool-input-end", id: toolCallId });
    put({ type: "tool-call", toolCallId, toolName: part.call, input });
  }
}
