/**
 * Reads `codex exec --json`, recorded from 0.166.0: whole items, no text deltas, and no way to answer.
 *
 * `error` lines named "Reconnecting... n/m" or "Reconnecting... waiting for network" are retries. The usage of a resumed thread counts its whole history.
 */
import type { AdapterEvent, LineReader, RunEnded } from "@capstan/core/internal";
import { z } from "zod";
import {
  asText,
  maybe,
  maybeNumber,
  parseObject,
  type ReadRecord,
  rowsFor,
  text,
} from "../lines/json-line.ts";
import { itemCompleted, itemStarted, itemUpdated } from "./codex-items.ts";
import { StreamedText } from "./streamed-text.ts";
import { uncached, usage } from "./usage-total.ts";

type State = StreamedText;
const row = rowsFor<State>();
const item = z.looseObject({ type: text });

const ROWS: Readonly<Record<string, ReadRecord<State>>> = {
  __proto__: null as never, // a line may name "constructor"
  "thread.started": row({ thread_id: text }, ({ thread_id }) => [
    { type: "run-started", sessionId: thread_id },
  ]),
  "item.started": row({ item }, ({ item }) => itemStarted(item)),
  "item.updated": row({ item }, ({ item }, streamed) => itemUpdated(item, streamed)),
  "item.completed": row({ item }, ({ item }, streamed) => itemCompleted(item, streamed)),
  "turn.completed": row(
    {
      usage: maybe(
        z.object({
          input_tokens: maybeNumber,
          cached_input_tokens: maybeNumber,
          cache_write_input_tokens: maybeNumber,
          output_tokens: maybeNumber,
          reasoning_output_tokens: maybeNumber,
        }),
      ),
    },
    ({ usage: used }) => [
      ...(used
        ? [
            usage({
              inputTokens: uncached(used.input_tokens, used.cached_input_tokens),
              outputTokens: used.output_tokens,
              cachedInputTokens: used.cached_input_tokens,
              cacheWriteTokens: used.cache_write_input_tokens,
              thinkingTokens: used.reasoning_output_tokens,
            }),
          ]
        : []),
      { type: "run-ended", outcome: "done" },
    ],
  ),
  "turn.failed": row({ error: maybe(z.object({ message: text })) }, ({ error }) => [
    codexFailure(error?.message ?? "The turn failed."),
  ]),
  error: row({ message: text }, ({ message }) => [codexError(message)]),
};

export function codexExecReader(): LineReader {
  const streamed = new StreamedText();
  return {
    onLine(line) {
      const record = parseObject(line);
      return { events: record ? (ROWS[asText(record.type) ?? ""]?.(record, streamed) ?? []) : [] };
    },
  };
}

const RECONNECTING = /^Reconnecting\.\.\.(?: (\d+)\/(\d+))?/;

/** An error line: a retry if it says so, otherwise the explanation of a missing end. */
export function codexError(message: string): AdapterEvent {
  const status = httpStatus(message);
  if (!RECONNECTING.test(message)) return { type: "error-seen", message, status };
  return { type: "retry", message, ...codexAttempt(message), status };
}

/** The number of the attempt; absent while it waits for a network. */
export function codexAttempt(message: string): { attempt?: number; maxAttempts?: number } {
  const [, attempt, maxAttempts] = RECONNECTING.exec(message) ?? [];
  return attempt === undefined ? {} : { attempt: Number(attempt), maxAttempts: Number(maxAttempts) };
}

/** A failed turn: classified by its message, because `exec` gives no code. */
export function codexFailure(message: string): RunEnded {
  const base = { type: "run-ended" as const, message };
  if (/session budget|budget (was )?(exceeded|exhausted)/i.test(message)) {
    return { ...base, outcome: "limit", limit: "cost" };
  }
  if (/^(the )?turn (was )?(aborted|interrupted)/i.test(message)) return { ...base, outcome: "aborted" };
  return { ...base, outcome: "failed", status: httpStatus(message) };
}

function httpStatus(message: string): number | undefined {
  const status = /(?:unexpected|last) status:? (\d{3})/.exec(message)?.[1];
  return status === undefined ? undefined : Number(status);
}
