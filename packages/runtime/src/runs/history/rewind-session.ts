/**
 * Rewinds a session: truncates its conversation, so that a message can be replaced or answered again. Events and runs stay:
 * they are the journal. The runs of dropped messages release their message id, so that it can be sent again.
 */
import type pg from "pg";
import { inTransaction } from "../../db/transaction.ts";
import { isUuid } from "../../db/uuid.ts";

export interface UserMessage {
  readonly id: string;
  readonly position: number;
  /** The user's own text, without what was added for the model. */
  readonly text: string;
}

const USER_MESSAGES = `select m.id, m.position, coalesce((select string_agg(p->>'text', '' order by n)
    from json_array_elements(m.content) with ordinality as parts(p, n)
    where p->>'type' = 'text' and p->>'origin' is null and p->>'attachment' is null), '') as text
  from messages m where m.session_id = $1 and m.role = 'user'
    and not exists (select 1 from json_array_elements(m.content) p where p->>'origin' = 'repair')
  order by m.position`;

export async function listUserMessages(pool: pg.Pool, sessionId: string): Promise<UserMessage[]> {
  if (!isUuid(sessionId)) return [];
  return (await pool.query<UserMessage>(USER_MESSAGES, [sessionId])).rows;
}

const PLACE_BRANCH = "update sessions set fork_position = $2 where id = $1";
const MOVE_FORKS = `update sessions set forked_from = $2 where forked_from = $1 and fork_position > $3 and id <> $2`;

/** The messages before the rewind are in its branch, so their forks now belong to the branch. */
export async function moveForks(
  pool: pg.Pool,
  { from, to, position }: { from: string; to: string; position: number },
): Promise<void> {
  await pool.query(PLACE_BRANCH, [to, position]);
  await pool.query(MOVE_FORKS, [from, to, position]);
}

const FREE_MESSAGE_IDS = `update runs set message_id = message_id || '~' || id where session_id = $1
  and message_id in (select id from messages where session_id = $1 and position >= $2)`;
const DROP = "delete from messages where session_id = $1 and position >= $2";
/** A summary of a dropped message is dropped too; the earlier messages, or an earlier summary, are used again. */
const DROP_SUMMARIES = "delete from session_summaries where session_id = $1 and to_position >= $2";

export async function dropMessages(pool: pg.Pool, sessionId: string, position: number): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query("select 1 from sessions where id = $1 for no key update", [sessionId]);
    await client.query(FREE_MESSAGE_IDS, [sessionId, position]);
    await client.query(DROP_SUMMARIES, [sessionId, position]);
    await client.query(DROP, [sessionId, position]);
  });
}
