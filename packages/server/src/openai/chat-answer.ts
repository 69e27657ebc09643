/** An answer as `chat.completion`, whole or in chunks. */
import { fail } from "@capstan/core";
import { openAiError } from "../http/openai-error.ts";
import { sseEvent } from "../http/sse.ts";
import type { AnswerReader, AnswerUsage, Piece, SaidCall } from "../turns/answer-reader.ts";
import type { Turn } from "../turns/turn.ts";

export interface AnswerPlace {
  readonly id: string;
  /** The client's name for it. */
  readonly model: string;
  readonly createdSeconds: number;
}

export function chatCompletion(place: AnswerPlace, answer: AnswerReader): object {
  const calls = answer.finished;
  return {
    ...head(place, "chat.completion"),
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: answer.text === "" && calls.length > 0 ? null : answer.text,
          refusal: null,
          ...(answer.reasoning !== "" && { reasoning_content: answer.reasoning }),
          ...(calls.length > 0 && { tool_calls: calls.map(toolCall) }),
        },
        logprobs: null,
        finish_reason: answer.stoppedBy,
      },
    ],
    usage: usageOf(answer.usage),
  };
}

export interface ChatStream {
  readonly turn: Turn;
  readonly answer: AnswerReader;
  readonly withUsage: boolean;
  readonly ended: () => Promise<void>;
}

/** Chunks, then `[DONE]`; an error instead when the run ended without an answer. */
export async function* chatChunks(
  place: AnswerPlace,
  { turn, answer, withUsage, ended }: ChatStream,
): AsyncGenerator<string> {
  const chunk = (delta: object, finish: string | null = null) =>
    sseEvent(
      JSON.stringify({
        ...head(place, "chat.completion.chunk"),
        choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
        ...(withUsage && { usage: null }),
      }),
    );
  yield chunk({ role: "assistant", content: "" });
  for await (const event of turn.events) {
    for (const piece of answer.take(event)) yield chunk(deltaOf(piece, answer));
    if (answer.takenBack) {
      yield sseEvent(JSON.stringify(openAiError(fail("answer_restarted", {}).failure)));
      return;
    }
  }
  await ended(); // before the client knows: its next request may follow immediately
  if (answer.failure) {
    yield sseEvent(JSON.stringify(openAiError(answer.failure)));
    return;
  }
  yield chunk({}, answer.stoppedBy);
  if (withUsage) {
    const last = { ...head(place, "chat.completion.chunk"), choices: [], usage: usageOf(answer.usage) };
    yield sseEvent(JSON.stringify(last));
  }
  yield sseEvent("[DONE]");
}

function deltaOf(piece: Piece, { finished }: AnswerReader): object {
  if (piece.type === "text") return { content: piece.text };
  if (piece.type === "reasoning") return { reasoning_content: piece.text };
  return { tool_calls: [{ index: finished.length - 1, ...toolCall(piece.call) }] };
}

const toolCall = ({ id, name, arguments: text }: SaidCall) => ({
  id,
  type: "function",
  function: { name, arguments: text },
});

const head = ({ id, model, createdSeconds }: AnswerPlace, object: string) => ({
  id: `chatcmpl-${id}`,
  object,
  created: createdSeconds,
  model,
});

const usageOf = ({ input, cachedInput, output, reasoning }: AnswerUsage) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cachedInput },
  completion_tokens_details: { reasoning_tokens: reasoning },
});
