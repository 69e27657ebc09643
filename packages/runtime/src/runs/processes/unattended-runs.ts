/**
 * Runs that end when nobody follows them. That a client left is a row, so that its run is also cancelled after the
 * process has died; a process that still has a listener of the session keeps postponing it.
 */
import type pg from "pg";
import { ENDS_WITH_CLIENT } from "../claim/ends-with-client.ts";
import type { FollowingClient } from "../contract/run-types.ts";

const GRACE_SECONDS = 10; // a page that reloads or changes networks has reconnected by then

/** A run without a client cannot lose it, whatever its row says. */
const IS_DUE = `left_at is not null and input->'client' is not null and left_at + make_interval(
  secs => coalesce(input->'client'->>'graceSeconds', '${GRACE_SECONDS}')::float8) <= now()`;

export const UNATTENDED = `select id, session_id as "sessionId", input->'client' as client from runs
  where ${IS_DUE}`;

/** An ended run only matters if its session is still to be deleted. $1 run. */
const MARK_LEFT = `update runs set left_at = now() where id = $1 and ${ENDS_WITH_CLIENT}
  and (status in ('queued', 'running', 'waiting') or input->'client'->>'ephemeral' = 'true')
  returning ${IS_DUE} as "isDue"`;

export interface UnattendedRun {
  readonly id: string;
  readonly sessionId: string;
  readonly client: FollowingClient;
}

/** Whether the run is due at once. */
export async function markLeft(pool: pg.Pool, runId: string): Promise<boolean> {
  const { rows } = await pool.query<{ isDue: boolean }>(MARK_LEFT, [runId]);
  return rows[0]?.isDue === true;
}

export async function markReturned(pool: pg.Pool, sessionId: string): Promise<void> {
  await pool.query("update runs set left_at = null where session_id = $1 and left_at is not null", [
    sessionId,
  ]);
}

/** Someone listens to these sessions: their grace period starts again. */
export async function keepListenedTo(pool: pg.Pool, sessionIds: readonly string[]): Promise<void> {
  if (sessionIds.length === 0) return;
  await pool.query(
    "update runs set left_at = now() where left_at is not null and session_id = any($1::uuid[])",
    [sessionIds],
  );
}

export async function findUnattended(pool: pg.Pool): Promise<readonly UnattendedRun[]> {
  return (await pool.query<UnattendedRun>(UNATTENDED)).rows;
}

export async function forgetLeft(pool: pg.Pool, runId: string): Promise<void> {
  await pool.query("update runs set left_at = null where id = $1", [runId]);
}
