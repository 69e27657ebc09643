/** Reads a session: its messages in pages, its runs, everything as JSON lines; forks it. */
import { fail, ok, type Result, type RunEvent } from "@capstan/core";
import type { ConversationMessage, UserPart } from "@capstan/core/internal";
import type pg from "pg";
import type { Database } from "../../db/database.ts";
import type { Reader } from "../../db/replica-reader.ts";
import { isUuid } from "../../db/uuid.ts";
import { runsWhere } from "../claim/runs-where.ts";
import type { Pending, RunResult, RunStatus, RunUsage } from "../contract/run-types.ts";
import { lastSeqOf } from "../log/event-stream.ts";
import { readCall, type StoredCall, type StoredUsage } from "../log/stored-call.ts";
import { listSummaries } from "./summaries.ts";

export type MessageRecord = ConversationMessage & {
  readonly position: number;
  readonly runId: string;
  readonly usage: StoredCall | null;
  readonly createdAt: Date;
  readonly feedback: { readonly value: "up" | "down"; readonly words: string } | null;
  /** Kept word for word when the conversation is summarised. */
  readonly pinned: boolean;
};

type StoredMessageRow = Omit<MessageRecord, "usage"> & { readonly usage: StoredUsage | null };

/** A message that waits for the active run to end. */
export interface QueuedMessage {
  readonly id: string;
  readonly runId: string;
  readonly content: readonly UserPart[];
  readonly createdAt: Date;
}

export interface RunRecord {
  readonly id: string;
  readonly sessionId: string;
  readonly agentId: string;
  readonly status: RunStatus;
  readonly segment: number;
  readonly messageId: string;
  readonly pending: Pending | null;
  readonly outcome: RunResult | null;
  readonly usage: RunUsage | null;
  readonly parentRunId: string | null;
  readonly traceparent?: string | null;
  /** What an AG-UI client calls it. */
  readonly clientRunId?: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface MessagePage {
  /** Positions after this one; from the start when absent. */
  readonly after?: number | undefined;
  readonly limit: number;
  readonly isPinned?: boolean | undefined;
}

const MESSAGES = `select m.position, m.id, m.run_id as "runId", m.role, m.content, m.usage, m.created_at as "createdAt",
    m.pinned_at is not null as pinned,
    (select json_build_object('value', f.value, 'words', f.words) from feedback f where f.session_id = m.session_id
      and f.message_id = m.id limit 1) as feedback
  from messages m where m.session_id = $1 and m.position > $2
    and ($4::boolean is null or (m.pinned_at is not null) = $4) order by m.position limit $3`;
const QUEUED = `select message_id as id, id as "runId", input->'content' as content, created_at as "createdAt"
  from runs where session_id = $1 and status = 'queued' order by id`;
const RUN_COLUMNS = `id, session_id as "sessionId", agent_id as "agentId", status, segment, message_id as "messageId",
  pending, outcome, usage, parent_run_id as "parentRunId", input->>'traceparent' as traceparent,
  input->>'clientRunId' as "clientRunId", created_at as "createdAt", updated_at as "updatedAt"`;

export async function listMessages(
  pool: Reader,
  sessionId: string,
  { after = -1, limit, isPinned }: MessagePage,
): Promise<{ items: MessageRecord[]; queued: QueuedMessage[]; nextAfter?: number }> {
  if (!isUuid(sessionId)) return { items: [], queued: [] };
  const { rows } = await pool.query<StoredMessageRow>(MESSAGES, [
    sessionId,
    after,
    limit + 1,
    isPinned ?? null,
  ]);
  const items = rows
    .slice(0, limit)
    .map((row) => ({ ...row, usage: row.usage && readCall(row.usage) }) as MessageRecord);
  const last = items.at(-1);
  if (rows.length > limit && last) return { items, queued: [], nextAfter: last.position };
  if (isPinned) return { items, queued: [] };
  const queued = await pool.query<QueuedMessage>(QUEUED, [sessionId]);
  return { items, queued: queued.rows };
}

export async function getRun(pool: pg.Pool, id: string): Promise<Result<RunRecord>> {
  const { rows } = isUuid(id)
    ? await pool.query<RunRecord>(`select ${RUN_COLUMNS} from runs where id = $1`, [id])
    : { rows: [] };
  return rows[0] ? ok(rows[0]) : fail("not_found", { what: "run", id });
}

export async function listRuns(pool: Reader, sessionId: string): Promise<RunRecord[]> {
  if (!isUuid(sessionId)) return [];
  const { rows } = await pool.query<RunRecord>(
    `select ${RUN_COLUMNS} from runs where session_id = $1 order by id`,
    [sessionId],
  );
  return rows;
}

export interface RunFilter {
  readonly owner?: string | undefined;
  readonly clientRunId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly status?: string | undefined;
  /** Words of the message that started it. */
  readonly text?: string | undefined;
  /** The id of the last run of the page before: ids are ours and grow with time. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** A queued message is still in the run's input. Parts with an origin are for the model: nobody wrote them. */
const SAID = `select p from messages m, json_array_elements(m.content) p where m.session_id = r.session_id and m.id = r.message_id
  union all select p from json_array_elements(r.input->'content') p`;
const OF_CLIENT = runsWhere("hashtext(input->>'clientRunId') = hashtext($2)", "input->>'clientRunId' = $2");
const findRunsIn = (runs: string) => `select ${RUN_COLUMNS} from ${runs} r
  where ($1::text is null or exists (select 1 from sessions s where s.id = r.session_id and s.owner = $1))
    and ($2::text is null or r.input->>'clientRunId' = $2)
    and ($3::text is null or r.agent_id = $3)
    and ($4::uuid is null or r.session_id = $4) and ($5::text is null or r.status = $5)
    and ($6::uuid is null or r.id < $6)
    and ($7::text is null or exists (select 1 from (${SAID}) said
      where p->>'origin' is null and strpos(lower(p->>'text'), lower($7)) > 0))
  order by r.id desc limit $8`;

/** Newest first. */
export async function findRuns(
  pool: Reader,
  { owner, clientRunId, agentId, sessionId, status, before, text, limit }: RunFilter,
): Promise<{ items: RunRecord[]; nextCursor?: string }> {
  const filters = [owner, clientRunId, agentId, sessionId, status, before, text].map(
    (value) => value ?? null,
  );
  const { rows } = await pool.query<RunRecord>(findRunsIn(clientRunId === undefined ? "runs" : OF_CLIENT), [
    ...filters,
    limit + 1,
  ]);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, ...(rows.length > limit && last && { nextCursor: last.id }) };
}

const PAGE = 500;

const line = (type: string, value: object): string => `${JSON.stringify({ type, ...value })}\n`;

/** The session as JSON lines: its row, messages, runs and approvals, and every event with its number. */
export async function* exportSession(
  database: Pick<Database, "pool" | "reader">,
  sessionId: string,
): AsyncGenerator<string, void, void> {
  if (!isUuid(sessionId)) return;
  const pool = await upToDate(database, sessionId);
  const session = await pool.query(
    `select id, agent_id, owner, title, state, metadata, forked_from, created_at from sessions where id = $1`,
    [sessionId],
  );
  for (const row of session.rows) yield line("session", row);
  yield* messageLines(pool, sessionId);
  for (const summary of await listSummaries(pool, sessionId)) yield line("summary", summary);
  for (const run of await listRuns(pool, sessionId)) yield line("run", run);
  const asked = await pool.query("select * from approvals where session_id = $1 order by id", [sessionId]);
  for (const row of asked.rows) yield line("approval", row);
  yield* eventLines(pool, sessionId);
}

/** The replica, unless it lacks the session's last event: an export must be complete. */
async function upToDate(
  { pool, reader }: Pick<Database, "pool" | "reader">,
  sessionId: string,
): Promise<Reader> {
  if (reader === pool) return pool;
  const [replica, primary] = await Promise.all([lastSeqOf(reader, sessionId), lastSeqOf(pool, sessionId)]);
  return replica === primary ? reader : pool;
}

async function* messageLines(pool: Reader, sessionId: string): AsyncGenerator<string, void, void> {
  let after: number | undefined = -1;
  while (after !== undefined) {
    const page: Awaited<ReturnType<typeof listMessages>> = await listMessages(pool, sessionId, {
      after,
      limit: PAGE,
    });
    for (const message of page.items) yield line("message", message);
    for (const message of page.queued) yield line("queued_message", message);
    after = page.nextAfter;
  }
}

const EVENTS = `select first_seq, last_seq, payload from events where session_id = $1 and last_seq > $2
  order by last_seq limit ${PAGE}`;

async function* eventLines(pool: Reader, sessionId: string): AsyncGenerator<string, void, void> {
  for (let after = 0; ; ) {
    const { rows } = await pool.query<{ first_seq: number; last_seq: number; payload: RunEvent[] }>(EVENTS, [
      sessionId,
      after,
    ]);
    for (const { first_seq, payload } of rows) {
      yield payload.map((event, index) => line("event", { seq: first_seq + index, event })).join("");
    }
    if (rows.length < PAGE) return;
    after = rows.at(-1)?.last_seq ?? after;
  }
}

const GIVE_FEEDBACK = `insert into feedback(session_id, message_id, user_email, value, words)
  select $1, $2, $3, $4, $5 where exists (select 1 from messages where session_id = $1 and id = $2 and role = 'assistant')
  on conflict (session_id, message_id, user_email)
    do update set value = excluded.value, words = excluded.words, told = false, created_at = now()`;

export async function giveFeedback(
  pool: pg.Pool,
  sessionId: string,
  entry: { messageId: string; by: string; value: string; words: string },
): Promise<Result<true>> {
  const { messageId, by, value, words } = entry;
  const { rowCount } = isUuid(sessionId)
    ? await pool.query(GIVE_FEEDBACK, [sessionId, messageId, by, value, words])
    : { rowCount: 0 };
  return rowCount ? ok(true) : fail("not_found", { what: "answer", id: messageId });
}

/** Deletes rows of a session that have no foreign key to it; call it when the session is deleted. */
export async function forgetSession(pool: pg.Pool, sessionId: string): Promise<void> {
  await pool.query("delete from messages where session_id = $1", [sessionId]);
  await pool.query("delete from events where session_id = $1", [sessionId]);
}
