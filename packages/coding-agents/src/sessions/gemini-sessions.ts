/** Gemini CLI: a file per session below a folder per project. The name holds only the id's beginning; the header has it whole. */
import type { CliSessionStore } from "@capstan/core/internal";
import { asText, contentText, parseObject } from "../lines/json-line.ts";
import { storedMessages } from "./stored-lines.ts";

export const geminiSessions: CliSessionStore = {
  kind: "files",
  pattern: ".gemini/tmp/*/chats/session-*.jsonl",
  id: (_, firstLine) => asText(parseObject(firstLine)?.sessionId),
  messages: storedMessages(({ type, content }) =>
    type === "user" || type === "gemini"
      ? [{ role: type === "user" ? "user" : "assistant", text: contentText(content) }]
      : [],
  ),
};
