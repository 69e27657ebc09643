/** Codex: one rollout file per thread, in folders by date. */
import type { CliSessionStore } from "@capstan/core/internal";
import { asObject, asText, contentText } from "../lines/json-line.ts";
import { storedMessages, uuidOf } from "./stored-lines.ts";

/** What a tool answered: plain text, or parts of it. */
const OUTPUTS = ["function_call_output", "custom_tool_call_output"];
const outputText = (output: unknown): string => asText(output) ?? contentText(output);

export const codexSessions: CliSessionStore = {
  kind: "files",
  pattern: ".codex/sessions/*/*/*/rollout-*.jsonl",
  moved: { variable: "CODEX_HOME", folder: ".codex" },
  id: (path) => uuidOf(path),
  messages: storedMessages(({ type, payload }) => {
    const item = asObject(payload);
    if (type !== "response_item" || !item) return [];
    if (OUTPUTS.includes(String(item.type))) return [{ role: "tool", text: outputText(item.output) }];
    if (item.type !== "message") return [];
    const role = item.role === "assistant" ? "assistant" : item.role === "user" ? "user" : "system";
    return [{ role, text: contentText(item.content) }];
  }),
};
