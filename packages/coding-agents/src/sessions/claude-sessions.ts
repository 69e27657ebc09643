/** Claude Code: one file per session below a folder per project, named by the session's id. */
import type { CliMessage, CliSessionStore } from "@capstan/core/internal";
import { asObject, contentText, type JsonObject } from "../lines/json-line.ts";
import { storedMessages, uuidOf } from "./stored-lines.ts";

export const claudeSessions: CliSessionStore = {
  kind: "files",
  pattern: ".claude/projects/*/*.jsonl",
  moved: { variable: "CLAUDE_CONFIG_DIR", folder: ".claude" },
  id: (path) => uuidOf(path),
  messages: storedMessages(({ type, message }) => {
    if (type !== "user" && type !== "assistant") return [];
    const content = asObject(message)?.content;
    return [
      { role: hasToolResult(content) ? "tool" : type, text: contentText(content) || toolText(content) },
    ];
  }),
};

const blocksOf = (content: unknown): JsonObject[] =>
  (Array.isArray(content) ? content : []).map(asObject).filter((block) => block !== undefined);

const hasToolResult = (content: unknown) => blocksOf(content).some(({ type }) => type === "tool_result");

const toolText = (content: unknown): CliMessage["text"] =>
  blocksOf(content)
    .map((block) => (block.type === "tool_result" ? contentText(block.content) : ""))
    .join("\n");
