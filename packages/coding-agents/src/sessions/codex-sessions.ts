/** Codex: one rollout file per thread, in folders by date. */
import type { CliSessionStore } from "@capstan/core/internal";
import { asObject, contentText } from "../lines/json-line.ts";
import { storedMessages, uuidOf } from "./stored-lines.ts";

export const codexSessions: CliSessionStore = {
  kind: "files",
  pattern: ".codex/sessions/*/*/*/rollout-*.jsonl",
  moved: { variable: "CODEX_HOME", folder: ".codex" },
  id: (path) => uuidOf(path),
  messages: storedMessages(({ type, payload }) => {
    const item = asObject(payload);
    if (type !== "response_item" || item?.type !== "message") return [];
    const role = item.role === "assistant" ? "assistant" : item.role === "user" ? "user" : "system";
    return [{ role, text: contentText(item.content) }];
  }),
};
