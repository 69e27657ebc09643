/** The summaries of a session, and the messages that are kept word for word in them. */
import { fail, ok, type Result } from "@capstan/core";
import { type ConversationMessage, textOf } from "@capstan/core/internal";
import type pg from "pg";
import type { Reader } from "../../db/replica-reader.ts";
import { isUuid } from "../../db/uuid.ts";
import type { StoredCall } from "../log/stored-call.ts";
import type { KeptFacts } from "../summary/session-summary.ts";

export interface SummaryRecord {
  readonly id: string;
  readonly sessionId: string;
  readonly toPosition: number;
  readonly toMessageId: string;
  readonly text: string;
  readonly kept: KeptFacts;
  readonly labels: readonly string[];
  readonly runId: string | null;
  readonly createdBy: string;
  readonly usage: StoredCall | null;
  readonly createdAt: Date;
}

const LIST = `select id, session_id as "sessionId", to_position as "toPosition", to_message_id as "toMessageId", text, kept, labels,
    run_id as "runId", created_by as "createdBy", usage, created_at as "createdAt"
  from session_summaries where session_id = $1 order by to_position limit 500`;

/** Oldest first; each stands for everything from the first message on. */
export async function listSummaries(pool: Reader, sessionId: string): Promise<SummaryRecord[]> {
  if (!isUuid(sessionId)) return [];
  return (await pool.query<SummaryRecord>(LIST, [sessionId])).rows;
}

const MOST_PINNED = 20;
const MOST_PINNED_CHARS = 8_000; // of one message: pinned messages are sent with every call after a summary

const FIND = `select position, id, role, content,
    (select count(*)::int from messages p where p.session_id = $1 and p.pinned_at is not null and p.id <> $2) as others
  from messages where session_id = $1 and id = $2 order by position desc limit 1`;
const PIN = `update messages set pinned_at = case when $3::boolean then coalesce(pinned_at, now()) end
  where session_id = $1 and id = $2 and position = $4`;

export async function pinMessage(
  pool: pg.Pool,
  sessionId: string,
  { messageId, pinned }: { readonly messageId: string; readonly pinned: boolean },
): Promise<Result<true>> {
  const { rows } = isUuid(sessionId)
    ? await pool.query<ConversationMessage & { position: number; others: number }>(FIND, [
        sessionId,
        messageId,
      ])
    : { rows: [] };
  const [message] = rows;
  if (!message || message.role === "tool") return fail("not_found", { what: "message", id: messageId });
  if (pinned && message.others >= MOST_PINNED)
    return fail("limit_reached", { what: "pinned messages of a session", limit: MOST_PINNED });
  if (pinned && textOf(message).length > MOST_PINNED_CHARS)
    return fail("limit_reached", { what: "characters of a pinned message", limit: MOST_PINNED_CHARS });
  await pool.query(PIN, [sessionId, messageId, pinned, message.position]);
  return ok(true);
}
