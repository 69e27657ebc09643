/**
 * MESSAGES_SNAPSHOT is the stored conversation. Streamed but uncommitted entries of the active run are removed,
 * and stored ones are complete. It contains nothing new: every committed message was streamed before.
 */
import type { AgUiMessage } from "@capstan/core/internal";
import { type Entry, keyOf, type ToolEntry } from "./entries.ts";
import { isFailureText } from "./tool-result.ts";

const SAID: ReadonlySet<Entry["kind"]> = new Set(["text", "reasoning", "tool"]);

export function reconcile(
  before: readonly Entry[],
  messages: readonly AgUiMessage[],
  runId?: string,
): Entry[] {
  const standing = standingPieces(messages);
  return before.flatMap((entry) => {
    const stands = standing.get(keyOf(entry));
    if (stands) return [stands(entry)];
    const isOpenWord = SAID.has(entry.kind) && entry.runId === runId && entry.subagent === undefined;
    return isOpenWord ? [] : [entry];
  });
}

type Finish = (entry: Entry) => Entry;

/** By the entry's key: what the snapshot makes of it. */
function standingPieces(messages: readonly AgUiMessage[]): Map<string, Finish> {
  const results = new Map(
    messages.flatMap((message) =>
      message.role === "tool" ? [[message.toolCallId, resultOf(message)] as const] : [],
    ),
  );
  const pieces = messages.flatMap((message): [string, Finish][] => {
    if (message.role === "reasoning")
      return [[keyOf({ kind: "reasoning", id: message.id }), whole(message.content)]];
    if (message.role !== "assistant") return [];
    const calls = (message.toolCalls ?? []).map(({ id, function: call }): [string, Finish] => [
      keyOf({ kind: "tool", id }),
      called(call.arguments, results.get(id)),
    ]);
    return [[keyOf({ kind: "text", id: message.id }), whole(message.content ?? "")], ...calls];
  });
  return new Map(pieces);
}

type Result = NonNullable<ToolEntry["result"]>;

const resultOf = ({ content, error }: Extract<AgUiMessage, { role: "tool" }>): Result => ({
  text: content,
  failed: error !== undefined || isFailureText(content),
});

const whole =
  (text: string): Finish =>
  (entry) =>
    entry.kind === "text" || entry.kind === "reasoning" ? { ...entry, text, done: true } : entry;

const called =
  (argumentsText: string, result: Result | undefined): Finish =>
  (entry) =>
    entry.kind === "tool" ? { ...entry, argumentsText, ready: true, result: result ?? entry.result } : entry;
