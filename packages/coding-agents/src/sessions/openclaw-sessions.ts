/**
 * OpenClaw: a database per agent. Its events are Pi's, some of them compressed.
 *
 * Only the agent `main` is listed: it is the one in which a run continues with a session.
 */
import { zstdDecompressSync } from "node:zlib";
import type { CliSessionStore, SessionQuery, StoredSession } from "@capstan/core/internal";
import { asText } from "../lines/json-line.ts";
import { aboutSession } from "./about-session.ts";
import { piMessages } from "./pi-sessions.ts";

const MAX_EVENT_BYTES = 32_000_000;
const HEAD_EVENTS = "30"; // before the first words of a person stand a few about the model

const SESSIONS = `select session_id, display_name, model_provider, model, updated_at from session_windows
  order by updated_at desc limit 500`;
const EVENTS =
  "select event_json, event_zstd from transcript_events where session_id = ? order by seq limit ?";

export const openclawSessions: CliSessionStore = {
  kind: "database",
  pattern: ".openclaw/agents/main/agent/openclaw-agent.sqlite",
  moved: { variable: "OPENCLAW_STATE_DIR", folder: ".openclaw", homeVariable: "OPENCLAW_HOME" },
  sessions: (query) =>
    query(SESSIONS).map((row): StoredSession => {
      const id = String(row.session_id);
      const head = eventsOf(query, id, HEAD_EVENTS);
      const about = aboutSession(head, piMessages(head));
      return {
        id,
        cwd: about.cwd,
        title: asText(row.display_name) ?? about.title,
        model: [row.model_provider, row.model].map(asText).filter(Boolean).join("/") || about.model,
        updatedAt: typeof row.updated_at === "number" ? new Date(row.updated_at).toISOString() : undefined,
      };
    }),
  messages: (query, id) =>
    query("select session_id from session_windows where session_id = ?", id).length === 0
      ? undefined
      : piMessages(eventsOf(query, id, "20000")),
};

const eventsOf = (query: SessionQuery, id: string, most: string): string =>
  query(EVENTS, id, most)
    .map(({ event_json, event_zstd }) => asText(event_json) ?? unpacked(event_zstd))
    .join("\n");

const unpacked = (packed: unknown): string =>
  packed instanceof Uint8Array
    ? zstdDecompressSync(packed, { maxOutputLength: MAX_EVENT_BYTES }).toString("utf8")
    : "";
