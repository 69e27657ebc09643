/** Copilot CLI: a folder per session, named by its id, with every event in it. */
import type { CliSessionStore } from "@capstan/core/internal";
import { asObject, asText } from "../lines/json-line.ts";
import { storedMessages } from "./stored-lines.ts";

export const copilotSessions: CliSessionStore = {
  kind: "files",
  pattern: ".copilot/session-state/*/events.jsonl",
  moved: { variable: "COPILOT_HOME", folder: ".copilot" },
  id: (path) => /([^/]+)\/events\.jsonl$/.exec(path)?.[1],
  messages: storedMessages(({ type, data }) => {
    const fields = asObject(data);
    const text =
      asText(fields?.content) ??
      asText(asObject(fields?.result)?.content) ??
      asText(asObject(fields?.error)?.message) ?? // a tool that failed or was denied
      "";
    if (type === "user.message") return [{ role: "user", text }];
    if (type === "assistant.message") return [{ role: "assistant", text }];
    return type === "tool.execution_complete" ? [{ role: "tool", text }] : [];
  }),
};
