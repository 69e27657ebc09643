/**
 * Hermes: one database for all sessions, as its source (`hermes_state_common.py`, schema 30) declares it. Never seen from a run.
 *
 * Older schemas have fewer columns, so rows are read whole.
 */
import type { CliMessage, CliSessionStore, StoredSession } from "@capstan/core/internal";
import { asText, contentText, parseJson } from "../lines/json-line.ts";
import { aboutSession } from "./about-session.ts";

const ROLES: readonly string[] = ["user", "assistant", "tool", "system"];
const isRole = (role: unknown): role is CliMessage["role"] => ROLES.includes(String(role));

export const hermesSessions: CliSessionStore = {
  kind: "database",
  pattern: ".hermes/state.db",
  moved: { variable: "HERMES_HOME", folder: ".hermes" },
  sessions: (query) =>
    query("select * from sessions order by started_at desc limit 500")
      .filter(({ archived, hidden }) => archived !== 1 && hidden !== 1)
      .map((row): StoredSession => {
        const id = String(row.id);
        const [first] = query(
          "select content from messages where session_id = ? and role = 'user' order by id limit 1",
          id,
        );
        const said = aboutSession("", [{ role: "user", text: textOf(first?.content) }]).title;
        return {
          id,
          title: asText(row.title) ?? (said || undefined),
          cwd: asText(row.cwd),
          model: asText(row.model),
          updatedAt: timeOf(row.last_activity_at) ?? timeOf(row.started_at),
        };
      }),
  messages: (query, id) => {
    if (query("select id from sessions where id = ?", id).length === 0) return undefined;
    return query("select * from messages where session_id = ? order by id limit 5000", id).flatMap(
      ({ role, content, active, compacted }): CliMessage[] => {
        const text = textOf(content);
        const isTakenBack = active === 0 && compacted !== 1;
        return isRole(role) && text !== "" && !isTakenBack ? [{ role, text }] : [];
      },
    );
  },
};

/** Text as it is; a list of parts is JSON behind a mark that no text begins with. */
function textOf(content: unknown): string {
  const stored = asText(content) ?? "";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the mark is made of one
  const [mark] = /^[\u0000\u0001]json:/.exec(stored) ?? [];
  return mark === undefined ? stored : contentText(parseJson(stored.slice(mark.length)));
}

/** Seconds since 1970, with a fraction. */
const timeOf = (seconds: unknown): string | undefined =>
  typeof seconds === "number" && seconds > 0 && seconds < 1e11
    ? new Date(seconds * 1000).toISOString()
    : undefined;
