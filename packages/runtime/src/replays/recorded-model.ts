/**
 * A model that repeats the recorded answers: free and deterministic. It only answers the recorded requests; once a
 * result differs from the recording, the model's answer is unknown, and the replay ends.
 */
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { ok } from "@capstan/core";
import type { AssistantPart, ConversationMessage, ToolOutput } from "@capstan/core/internal";
import type { Models, ResolvedModel } from "../providers/models.ts";
import type { StoredMessage } from "./read-recording.ts";
import { RECORDED_MODEL } from "./replay-change.ts";
import { Diverged } from "./replayed-results.ts";

export interface RecordedAnswers {
  readonly recorded: readonly StoredMessage[];
  /** What the replay has added to the conversation so far. */
  readonly soFar: () => readonly ConversationMessage[];
  readonly diverge: (divergence: Diverged) => void;
}

/** The server's models, and the recorded one beside them. */
export const withRecordedModel = (models: Models, answers: RecordedAnswers): Models => ({
  resolve: async (name) => (name === RECORDED_MODEL ? ok(recordedModel(answers)) : models.resolve(name)),
  check: async (name) => (name === RECORDED_MODEL ? ok(true) : models.check(name)),
});

function recordedModel(answers: RecordedAnswers): ResolvedModel {
  const stream = (): ReadableStream<LanguageModelV4StreamPart> => {
    const answer = nextAnswer(answers);
    if (!("why" in answer)) return streamOf(partsOf(answer));
    const divergence = new Diverged({ tool: "", input: null, why: answer.why });
    answers.diverge(divergence);
    throw divergence;
  };
  return {
    name: RECORDED_MODEL,
    label: "the recorded answers",
    provider: "capstan",
    modelId: RECORDED_MODEL,
    model: {
      specificationVersion: "v4",
      provider: "capstan",
      modelId: RECORDED_MODEL,
      supportedUrls: {},
      doGenerate: () => Promise.reject(new Error("the recorded model only streams")),
      doStream: async () => ({ stream: stream() }),
    },
    contextWindow: Number.MAX_SAFE_INTEGER,
    isFree: true,
    inputs: { image: true, audio: true, video: true, pdf: true },
    jsonWithTools: true,
  };
}

const streamOf = <Part>(parts: Iterable<Part>): ReadableStream<Part> =>
  new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });

type Answer = Extract<StoredMessage, { role: "assistant" }>;

function nextAnswer({ recorded, soFar }: RecordedAnswers): Answer | { readonly why: string } {
  const said = soFar();
  const was = resultsIn(recorded);
  const other = [...resultsIn(said)].find(([id, output]) => !isSame(was.get(id), output));
  if (other) return { why: `The result of ${other[0]} is another, and no answer to it is recorded.` };
  const next = recorded[said.length];
  return next?.role === "assistant" ? next : { why: "The recorded run ended here." };
}

function resultsIn(messages: readonly ConversationMessage[]): Map<string, ToolOutput> {
  const results = new Map<string, ToolOutput>();
  for (const message of messages)
    if (message.role === "tool")
      for (const part of message.content) results.set(part.toolCallId, part.output);
  return results;
}

const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

function* partsOf({ content, usage }: Answer): Generator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] };
  for (const [index, part] of content.entries()) yield* streamed(part, String(index));
  const count = (name: string) => (usage?.[name] === undefined ? undefined : Number(usage[name]));
  const input = { noCache: undefined, cacheRead: count("cachedInputTokens"), cacheWrite: undefined };
  yield {
    type: "finish",
    finishReason: {
      unified: content.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop",
      raw: undefined,
    },
    usage: {
      inputTokens: { total: count("inputTokens"), ...input },
      outputTokens: {
        total: count("outputTokens"),
        text: undefined,
        reasoning: count("reasoningTokens"),
      },
    },
  };
}

function* streamed(part: AssistantPart, id: string): Generator<LanguageModelV4StreamPart> {
  if (part.type === "tool-call") {
    const { toolCallId, toolName, input } = part;
    yield { type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) };
    return;
  }
  const kind = part.type;
  yield { type: `${kind}-start`, id };
  yield { type: `${kind}-delta`, id, delta: part.text };
  yield { type: `${kind}-end`, id };
}
