/** An answer as a `response` object, complete or as the events that build it. Each item is added, filled, and done, in order. */
import { fail } from "@capstan/core";
import { openAiError } from "../http/openai-error.ts";
import type { AnswerReader, AnswerUsage, Piece, SaidCall } from "../turns/answer-reader.ts";
import type { Turn } from "../turns/turn.ts";
import type { AnswerPlace } from "./chat-answer.ts";

export interface ResponsePlace extends AnswerPlace {
  readonly previous: string | null;
  readonly stored: boolean;
}

type Item = Record<string, unknown>;

export function wholeResponse(place: ResponsePlace, answer: AnswerReader): object {
  const items: Item[] = [];
  if (answer.reasoning !== "") items.push(reasoningItem(`rs_${place.id}`, answer.reasoning));
  if (answer.text !== "") items.push(messageItem(`msg_${place.id}`, answer.text));
  items.push(...answer.finished.map(callItem));
  return responseObject(place, "completed", items, answer);
}

export async function* responseEvents(
  place: ResponsePlace,
  { turn, answer, ended }: { turn: Turn; answer: AnswerReader; ended: () => Promise<void> },
): AsyncGenerator<string> {
  const writer = new ItemWriter(place);
  yield* writer.open(answer);
  for await (const event of turn.events) {
    for (const piece of answer.take(event)) yield* writer.add(piece);
    if (answer.takenBack) {
      yield* writer.fail(openAiError(fail("answer_restarted", {}).failure).error, answer);
      return;
    }
  }
  yield* writer.closeItem();
  await ended(); // before the client knows: its next request may follow immediately
  if (answer.failure) yield* writer.fail(openAiError(answer.failure).error, answer);
  else yield* writer.complete(answer);
}

/** Tracks the current item and the number of events sent. */
class ItemWriter {
  readonly #place: ResponsePlace;
  readonly #items: Item[] = [];
  #sequence = 0;
  #open: { readonly kind: "text" | "reasoning"; readonly id: string; text: string } | undefined;

  constructor(place: ResponsePlace) {
    this.#place = place;
  }

  *open(answer: AnswerReader): Generator<string> {
    const response = responseObject(this.#place, "in_progress", [], answer);
    yield this.#event("response.created", { response });
    yield this.#event("response.in_progress", { response });
  }

  *add(piece: Piece): Generator<string> {
    if (piece.type === "call") {
      yield* this.closeItem();
      yield* this.#addCall(piece.call);
      return;
    }
    if (this.#open?.kind !== piece.type) {
      yield* this.closeItem();
      yield* this.#openItem(piece.type);
    }
    if (!this.#open) return;
    this.#open.text += piece.text;
    const name = piece.type === "text" ? "response.output_text.delta" : "response.reasoning_text.delta";
    yield this.#event(name, {
      ...this.#where(),
      delta: piece.text,
      ...(piece.type === "text" && { logprobs: [] }),
    });
  }

  *closeItem(): Generator<string> {
    const open = this.#open;
    if (!open) return;
    const { kind, id, text } = open;
    const item = kind === "text" ? messageItem(id, text) : reasoningItem(id, text);
    const part = kind === "text" ? outputText(text) : { type: "reasoning_text", text };
    const name = kind === "text" ? "response.output_text.done" : "response.reasoning_text.done";
    yield this.#event(name, { ...this.#where(), text, ...(kind === "text" && { logprobs: [] }) });
    if (kind === "text") yield this.#event("response.content_part.done", { ...this.#where(), part });
    yield this.#event("response.output_item.done", { output_index: this.#items.length, item });
    this.#items.push(item);
    this.#open = undefined;
  }

  *complete(answer: AnswerReader): Generator<string> {
    const response = responseObject(this.#place, "completed", this.#items, answer);
    yield this.#event("response.completed", { response });
  }

  *fail(error: { code: string; message: string }, answer: AnswerReader): Generator<string> {
    const { code, message } = error;
    const response = {
      ...responseObject(this.#place, "failed", this.#items, answer),
      error: { code, message },
    };
    yield this.#event("response.failed", { response });
  }

  *#openItem(kind: "text" | "reasoning"): Generator<string> {
    const id = `${kind === "text" ? "msg" : "rs"}_${this.#place.id}_${this.#items.length}`;
    this.#open = { kind, id, text: "" };
    const item =
      kind === "text" ? { ...messageItem(id, ""), content: [] } : { ...reasoningItem(id, ""), content: [] };
    const added = { ...item, status: "in_progress" };
    yield this.#event("response.output_item.added", { output_index: this.#items.length, item: added });
    if (kind === "text")
      yield this.#event("response.content_part.added", { ...this.#where(), part: outputText("") });
  }

  *#addCall(call: SaidCall): Generator<string> {
    const item = callItem(call);
    const place = { output_index: this.#items.length, item_id: item.id };
    const added = { ...item, arguments: "", status: "in_progress" };
    yield this.#event("response.output_item.added", { output_index: place.output_index, item: added });
    yield this.#event("response.function_call_arguments.delta", { ...place, delta: call.arguments });
    yield this.#event("response.function_call_arguments.done", {
      ...place,
      name: call.name,
      arguments: call.arguments,
    });
    yield this.#event("response.output_item.done", { output_index: place.output_index, item });
    this.#items.push(item);
  }

  #where() {
    return { item_id: this.#open?.id, output_index: this.#items.length, content_index: 0 };
  }

  #event(type: string, more: object): string {
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: this.#sequence++, ...more })}\n\n`;
  }
}

function responseObject(
  { id, model, createdSeconds, previous, stored }: ResponsePlace,
  status: "in_progress" | "completed" | "failed",
  output: readonly Item[],
  answer: AnswerReader,
): object {
  return {
    id: responseId(id),
    object: "response",
    created_at: createdSeconds,
    status,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model,
    output,
    output_text: answer.text,
    parallel_tool_calls: true,
    previous_response_id: previous,
    store: stored,
    temperature: null,
    tool_choice: "auto",
    tools: [],
    top_p: null,
    ...(status === "completed" && { usage: usageOf(answer.usage) }),
  };
}

export const responseId = (runId: string): string => `resp_${runId}`;
export const runOfResponse = (id: string): string => id.replace(/^resp_/, "");

const outputText = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] });
const messageItem = (id: string, text: string): Item => ({
  type: "message",
  id,
  status: "completed",
  role: "assistant",
  content: [outputText(text)],
});
const reasoningItem = (id: string, text: string): Item => ({
  type: "reasoning",
  id,
  summary: [],
  content: [{ type: "reasoning_text", text }],
  status: "completed",
});
const callItem = ({ id, name, arguments: text }: SaidCall): Item => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: text,
  status: "completed",
});

const usageOf = ({ input, cachedInput, output, reasoning }: AnswerUsage) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cachedInput },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output,
});
