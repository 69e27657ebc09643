/** OpenCode keeps a database; its own commands list and export what is in it. */
import type { CliMessage, CliSessionStore, StoredSession } from "@capstan/core/internal";
import { z } from "zod";
import {
  asText,
  contentText,
  listOf,
  maybe,
  maybeNumber,
  maybeText,
  parseJson,
  parseObject,
  text,
} from "../lines/json-line.ts";

const session = z.object({
  id: text,
  title: maybeText,
  directory: maybeText,
  updated: maybeNumber,
  model: maybeText, // a JSON document, or absent
});
/** Its own list names no model, and only sessions of one folder. */
const SESSIONS = `select id, title, directory, model, time_updated as updated from session
  where parent_id is null and time_archived is null order by time_updated desc limit 500`;
const exported = z.object({
  messages: listOf(
    z.object({
      info: maybe(z.object({ role: maybeText })),
      parts: listOf(
        z.object({
          type: maybeText,
          text: maybeText,
          state: maybe(z.object({ output: maybeText, error: maybeText })), // a failed or denied call has an error instead
        }),
      ),
    }),
  ),
});

export const opencodeSessions: CliSessionStore = {
  kind: "command",
  lists: [
    ["opencode", "db", SESSIONS, "--format", "json"],
    ["opencode", "session", "list", "--format", "json"],
  ],
  sessions(stdout) {
    return listOf(session)
      .parse(parseJson(stdout))
      .map(
        ({ id, title, directory: cwd, updated, model }): StoredSession => ({
          id,
          title,
          cwd,
          model: modelName(model),
          updatedAt: updated === undefined ? undefined : new Date(updated).toISOString(),
        }),
      );
  },
  read: (id) => ["opencode", "export", id],
  messages(stdout) {
    const document = exported.safeParse(parseObject(stdout.slice(stdout.indexOf("{"))));
    if (!document.success) return [];
    return document.data.messages.flatMap(({ info, parts }): CliMessage[] => {
      const role = asText(info?.role) === "assistant" ? "assistant" : "user";
      const said = contentText(parts.filter(({ type }) => type === "text"));
      const outputs = parts.flatMap(({ type, state }) =>
        type === "tool" ? [state?.output ?? state?.error ?? ""] : [],
      );
      return [
        ...(said === "" ? [] : [{ role, text: said } as const]),
        ...outputs
          .filter((output) => output !== "")
          .map((output) => ({ role: "tool" as const, text: output })),
      ];
    });
  },
};

/** As a run takes it: `openai/gpt-5.2`. */
function modelName(stored = ""): string | undefined {
  const { id, providerID } = parseObject(stored) ?? {};
  return asText(id) === undefined ? undefined : [asText(providerID), asText(id)].filter(Boolean).join("/");
}
