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
  /** `done`, `none` where it is not known, or the code of the failure. */
  readonly outcome: string;
  /** What the replay has added to the conversation so far. */
  readonly soFar: () => readonly ConversationMessage[];
  readonly end: (how: Diverged | RecordedFailure) => void;
}

/** The recorded run failed where this replay is now. */
export class RecordedFailure extends Error {
  readonly code: string;
  constructor(code: string) {
    super(`The recorded run failed here: ${code}.`);
    this.name = "RecordedFailure";
    this.code = code;
  }
}

/** The server's models, and the recorded one beside them. */
export const withRecordedModel = (models: Models, answers: RecordedAnswers): Models => ({
  resolve: async (name) => (name === RECORDED_MODEL ? ok(recordedModel(answers)) : models.resolve(name)),
  check: async (name) => (name === RECORDED_MODEL ? ok(true) : models.check(name)),
});

function recordedModel(answers: RecordedAnswers): ResolvedModel {
  const stream = (): ReadableStream<LanguageModelV4StreamPart> => {
    const answer = nextAnswer(answers);
    if (!(answer instanceof Error)) return streamOf(partsOf(answer));
    answers.end(answer);
    throw answer;
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

function nextAnswer({ recorded, soFar, outcome }: RecordedAnswers): Answer | Diverged | RecordedFailure {
  const said = soFar();
  const was = resultsIn(recorded);
  const other = [...resultsIn(said)].find(([id, output]) => !isSame(was.get(id), output));
  if (other) return noAnswer(`The result of ${other[0]} is another, and no answer to it is recorded.`);
  const next = recorded[said.length];
  if (next?.role === "assistant") return next;
  const hasFailed = outcome !== "done" && outcome !== "none";
  return hasFailed ? new RecordedFailure(outcome) : noAnswer("The recorded run ended here.");
}

const noAnswer = (why: string): Diverged => new Diverged({ tool: "", input: null, why });

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
