/** Pi and omp: a file per session below a folder per project, the id behind the time in its name. */
import type { CliMessage, CliSessionStore } from "@capstan/core/internal";
import { asObject, asText, contentText, parseObject } from "../lines/json-line.ts";
import { storedMessages } from "./stored-lines.ts";

const ROLES: Readonly<Record<string, CliMessage["role"]>> = {
  user: "user",
  assistant: "assistant",
  toolResult: "tool",
  system: "system",
};

export const piMessages = storedMessages(({ type, message }) => {
  const stored = asObject(message);
  const role = ROLES[asText(stored?.role) ?? ""];
  return type === "message" && role ? [{ role, text: contentText(stored?.content) }] : [];
});

const kept = {
  kind: "files" as const,
  id: (_: string, firstLine: string) => asText(parseObject(firstLine)?.id),
  messages: piMessages,
};

export const piSessions: CliSessionStore = {
  ...kept,
  pattern: ".pi/agent/sessions/*/*.jsonl",
  moved: { variable: "PI_CODING_AGENT_DIR", folder: ".pi/agent" },
};

export const ompSessions: CliSessionStore = { ...kept, pattern: ".omp/agent/sessions/*/*.jsonl" };
