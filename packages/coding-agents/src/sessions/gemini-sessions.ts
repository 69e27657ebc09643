/**
 * Gemini CLI: a file per session below a folder per project. The name has only the start of the id; the header has
 * all of it.
 */
import type { CliMessage, CliSessionStore } from "@capstan/core/internal";
import { z } from "zod";
import {
  asObject,
  asText,
  contentText,
  type JsonObject,
  listOf,
  maybe,
  maybeText,
  parseObject,
} from "../lines/json-line.ts";

const response = z.object({
  functionResponse: z.object({
    id: maybeText,
    response: maybe(z.object({ output: maybeText, error: maybeText })),
  }),
});
const calls = listOf(z.object({ result: listOf(response) }));

export const geminiSessions: CliSessionStore = {
  kind: "files",
  pattern: ".gemini/tmp/*/chats/session-*.jsonl",
  id: (_, firstLine) => asText(parseObject(firstLine)?.sessionId),
  messages(text) {
    const stored = new Map<string, JsonObject>();
    for (const [at, line] of text.split("\n").entries()) {
      const record = parseObject(line);
      if (record) keepRecord(stored, record, `line ${at}`);
    }
    const answered = new Set<string>();
    return [...stored.values()].flatMap((record) => messagesIn(record, answered));
  },
};

/**
 * The file is a log: a message is written again when its tools have answered, a resumed or compressed session writes
 * all its messages anew, and a rewind takes away a message with everything after it.
 */
function keepRecord(stored: Map<string, JsonObject>, record: JsonObject, place: string): void {
  const { id, type, $set, $rewindTo } = record;
  const all = asObject($set)?.messages;
  if (Array.isArray(all)) {
    stored.clear();
    for (const [at, one] of all.entries()) keepRecord(stored, asObject(one) ?? {}, `${place}.${at}`);
  } else if (asText($rewindTo) !== undefined) {
    const ids = [...stored.keys()];
    for (const later of ids.slice(Math.max(0, ids.indexOf(String($rewindTo))))) stored.delete(later);
  } else if (type === "user" || type === "gemini") {
    stored.set(asText(id) ?? place, record);
  }
}

/** A tool's answer stands in its call, and once more in the message that brings it to the model. */
function messagesIn({ type, content, toolCalls }: JsonObject, answered: Set<string>): CliMessage[] {
  const said = contentText(content);
  const answers = [
    ...calls.parse(toolCalls).flatMap(({ result }) => result),
    ...listOf(response).parse(content),
  ];
  return [
    ...(said === "" ? [] : [{ role: type === "user" ? "user" : "assistant", text: said } as const]),
    ...answers.flatMap(({ functionResponse: { id, response: told } }): CliMessage[] => {
      const output = told?.output ?? told?.error;
      if (output === undefined || output === "" || (id !== undefined && answered.has(id))) return [];
      if (id !== undefined) answered.add(id);
      return [{ role: "tool", text: output }];
    }),
  ];
}
