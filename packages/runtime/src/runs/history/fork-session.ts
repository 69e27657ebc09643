/**
 * A new session with the conversation up to a message, independent of the original. A fork copies the files, the
 * state, the notes of capabilities (such as a task list), the labels of what was read and the title, but not tool
 * allowances.
 */
import { fail, ok, type Result } from "@capstan/core";
import type pg from "pg";
import { uuidv7 } from "uuidv7";
import { inTransaction } from "../../db/transaction.ts";
import { isUuid } from "../../db/uuid.ts";

/** Where a fork starts: after a message, before one (to replace it), or at the end. */
export type ForkPlace = { readonly after: string } | { readonly before: string } | undefined;

const COPY_SESSION = `insert into sessions(id, agent_id, owner, title, state, metadata, forked_from, fork_position, conversation_id, continue_in,
    follows, labels)
  select $2, agent_id, owner, title, state, metadata - 'client_login', id, $3, coalesce(conversation_id, id), continue_in, follows, labels
  from sessions where id = $1
  returning id`;
const COPY_MESSAGES = `insert into messages(session_id, position, id, run_id, role, content, usage, created_at, pinned_at)
  select $2, position, id, run_id, role, content, usage, created_at, pinned_at from messages where session_id = $1 and position < $3`;
/** Summaries of the fork's own messages only. Their cost was counted already: no run, no usage. */
const COPY_SUMMARIES = `insert into session_summaries(id, session_id, to_position, to_message_id, text, kept, labels, created_by,
    created_at)
  select gen_random_uuid(), $2, to_position, to_message_id, text, kept, labels, created_by, created_at
  from session_summaries where session_id = $1 and to_position < $3`;
const COPY_NOTES = `insert into capability_data(capability_id, scope, key, value)
  select capability_id, 'session:' || $2, key, value from capability_data where scope = 'session:' || $1`;
const NAME_FAMILY = "update sessions set conversation_id = id where id = $1 and conversation_id is null";
const PLACE_OF = "select max(position) as position from messages where session_id = $1 and id = $2";
const LENGTH = "select coalesce(max(position) + 1, 0) as position from messages where session_id = $1";

export async function forkSession(
  pool: pg.Pool,
  sessionId: string,
  place: ForkPlace,
  copyFiles: ((from: string, to: string) => Promise<void>) | undefined,
): Promise<Result<{ sessionId: string; messages: number }>> {
  if (!isUuid(sessionId)) return fail("not_found", { what: "session", id: sessionId });
  const fork = uuidv7();
  const kept = await inTransaction(pool, async (client): Promise<Result<number>> => {
    const position = await keptMessages(client, sessionId, place);
    if (!position.ok) return position;
    await client.query(NAME_FAMILY, [sessionId]);
    const made = await client.query(COPY_SESSION, [sessionId, fork, position.value]);
    if (made.rowCount === 0) return fail("not_found", { what: "session", id: sessionId });
    await client.query(COPY_MESSAGES, [sessionId, fork, position.value]);
    await client.query(COPY_SUMMARIES, [sessionId, fork, position.value]);
    await client.query(COPY_NOTES, [sessionId, fork]);
    return position;
  });
  if (!kept.ok) return kept;
  await copyFiles?.(sessionId, fork);
  return ok({ sessionId: fork, messages: kept.value });
}

async function keptMessages(
  client: pg.PoolClient,
  sessionId: string,
  place: ForkPlace,
): Promise<Result<number>> {
  if (!place) {
    const { rows } = await client.query<{ position: number }>(LENGTH, [sessionId]);
    return ok(rows[0]?.position ?? 0);
  }
  const id = "after" in place ? place.after : place.before;
  const { rows } = await client.query<{ position: number | null }>(PLACE_OF, [sessionId, id]);
  const position = rows[0]?.position;
  if (position == null) return fail("not_found", { what: "message", id });
  return ok("after" in place ? position + 1 : position);
}
