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
  parseObject,
  text,
} from "../lines/json-line.ts";

const session = z.object({ id: text, title: maybeText, directory: maybeText, updated: maybeNumber });
const exported = z.object({
  messages: listOf(
    z.object({
      info: maybe(z.object({ role: maybeText })),
      parts: listOf(z.object({ type: maybeText, text: maybeText })),
    }),
  ),
});

export const opencodeSessions: CliSessionStore = {
  kind: "command",
  list: ["opencode", "session", "list", "--format", "json"],
  sessions(stdout) {
    return listOf(session)
      .parse(parseJson(stdout))
      .map(
        ({ id, title, directory: cwd, updated }): StoredSession => ({
          id,
          title,
          cwd,
          updatedAt: updated === undefined ? undefined : new Date(updated).toISOString(),
        }),
      );
  },
  read: (id) => ["opencode", "export", id],
  messages(stdout) {
    const document = exported.safeParse(parseObject(stdout.slice(stdout.indexOf("{"))));
    if (!document.success) return [];
    return document.data.messages.map(({ info, parts }): CliMessage => {
      const role = asText(info?.role) === "assistant" ? "assistant" : "user";
      return { role, text: contentText(parts.filter(({ type }) => type === "text")) };
    });
  },
};

function parseJson(stdout: string): unknown {
  try {
    return JSON.parse(stdout);
  } catch {
    return [];
  }
}
