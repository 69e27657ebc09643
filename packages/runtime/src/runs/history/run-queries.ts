/** Queries of protocols about runs and sessions, one statement each. */
import type { JsonValue, RunEvent } from "@capstan/core";
import type { Follows } from "@capstan/core/internal";
import type { Database } from "../../db/database.ts";

type Parts = Pick<Database, "pool">;

const LAST_EVENT = `select payload->-1 as event from events where session_id = $1 and run_id = $2
  order by last_seq desc limit 1`;

export async function lastEventOf(
  { pool }: Parts,
  { sessionId, runId }: { readonly sessionId: string; readonly runId: string },
): Promise<RunEvent | undefined> {
  const { rows } = await pool.query<{ event: RunEvent }>(LAST_EVENT, [sessionId, runId]);
  return rows[0]?.event;
}

const OF_AGENT = `select r.id, (count(*) over ())::int as total from runs r join sessions s on s.id = r.session_id
  where s.owner = $1 and r.agent_id = $2 and ($3::text is null or r.status = $3)
    and ($6::text is null or s.id::text = $6 or s.metadata->>'thread_id' = $6)
    and ($7::text is null or s.metadata->>'client_login' = $7)
    and ($8::timestamptz is null or r.updated_at > $8)
  order by r.updated_at desc, r.id limit $4 offset $5`;

export interface RunsOfAgent {
  readonly owner: string;
  readonly agentId: string;
  readonly status: string | null;
  /** The session's id, or its client's thread id. */
  readonly thread: string | null;
  /** Started by the client with this login; null: by any. */
  readonly client: string | null;
  /** A time: runs that changed after it. */
  readonly changedAfter: string | null;
  readonly limit: number;
  readonly offset: number;
}

/** One user's runs with an agent, last changed first. */
export async function listRunsOfAgent(
  { pool }: Parts,
  { owner, agentId, status, thread, client, changedAfter, limit, offset }: RunsOfAgent,
): Promise<{ ids: string[]; total: number }> {
  const values = [owner, agentId, status, limit, offset, thread, client, changedAfter];
  const { rows } = await pool.query<{ id: string; total: number }>(OF_AGENT, values);
  return { ids: rows.map(({ id }) => id), total: rows[0]?.total ?? 0 };
}

export interface RunPlace {
  readonly agentId: string | null;
  readonly sessionId: string;
  readonly owner: string;
  /** The delegating run's scopes; nothing beyond them is allowed. */
  readonly ceiling: readonly string[] | null;
  /** The revision or label that the session uses; null: the live one. */
  readonly follows: Follows | null;
}

const PLACE = `select s.agent_id as "agentId", s.id as "sessionId", s.owner,
    coalesce(r.input->'scopeCeiling', (s.metadata->'scopeCeiling')::json) as ceiling, s.follows
  from runs r join sessions s on s.id = r.session_id where r.id = $1`;

export async function placeOfRun({ pool }: Parts, runId: string): Promise<RunPlace | undefined> {
  return (await pool.query<RunPlace>(PLACE, [runId])).rows[0];
}

const RAN_IN = "select 1 from runs where session_id = $1 and agent_id = $2 limit 1";

export async function hasRunIn({ pool }: Parts, sessionId: string, agentId: string): Promise<boolean> {
  return (await pool.query(RAN_IN, [sessionId, agentId])).rows.length > 0;
}

/** A consistent snapshot of a session: its state, and the run that a client's message belongs to. */
export interface SessionSnapshot {
  readonly state: JsonValue;
  readonly runId: string | null;
  readonly status: string | null;
  readonly startSeq: number | null;
  readonly last: number;
  readonly lastEvent: RunEvent | null;
}

/** $1 session, $2 the client's last message: its run if there is one, otherwise the active one. One statement, for consistency. */
const SNAPSHOT = `select s.state, r.id as "runId", r.status, r.start_seq as "startSeq",
    coalesce((select max(last_seq) from events e where e.session_id = s.id), 0) as last,
    (select payload->-1 from events e where e.session_id = s.id and e.run_id = r.id order by last_seq desc limit 1) as "lastEvent"
  from sessions s left join lateral (select id, status, start_seq from runs where session_id = s.id
    and (message_id = $2 or status in ('running', 'waiting')) order by message_id = $2 desc limit 1) r on true
  where s.id = $1`;

export async function sessionSnapshot(
  { pool }: Parts,
  sessionId: string,
  messageId: string | undefined,
): Promise<SessionSnapshot | undefined> {
  return (await pool.query<SessionSnapshot>(SNAPSHOT, [sessionId, messageId ?? ""])).rows[0];
}

const ACTIVE = `select status, count(*)::int as count from runs where status in ('queued', 'running', 'waiting') group by status`;

/** Unfinished runs by status, on all processes. */
export async function countActiveRuns({ pool }: Parts): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ status: string; count: number }>(ACTIVE);
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

export interface StoreCounts {
  readonly running: number;
  readonly pending_approvals: number;
  readonly sessions: number;
  readonly agents: number;
}

const COUNTS = `select (select count(*)::int from runs where status = 'running') as running,
  (select count(*)::int from approvals where status = 'pending') as pending_approvals,
  (select count(*)::int from sessions) as sessions, (select count(*)::int from agents) as agents`;

export async function countStore({ pool }: Parts): Promise<StoreCounts> {
  const { rows } = await pool.query<StoreCounts>(COUNTS);
  return rows[0] ?? { running: 0, pending_approvals: 0, sessions: 0, agents: 0 };
}
