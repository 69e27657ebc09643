/** Gemini CLI: a file per session below a folder per project. The name holds only the id's beginning; the header has it whole. */
import type { CliMessage, CliSessionStore } from "@capstan/core/internal";
import { z } from "zod";
import {
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
    const answered = new Set<string>();
    return text.split("\n").flatMap((line) => {
      const record = parseObject(line);
      return record ? messagesIn(record, answered) : [];
    });
  },
};

/** A tool's answer stands in its call, and once more in the message that brings it to the model. */
function messagesIn({ type, content, toolCalls }: JsonObject, answered: Set<string>): CliMessage[] {
  if (type !== "user" && type !== "gemini") return [];
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
