/**
 * Links a session to the program's own one: the id to resume it with, and how much of the conversation
 * the program knows. `active` stays true when a process dies, which tells its successor that it crashed.
 */
import type pg from "pg";

export interface HarnessLink {
  readonly harness: string;
  /** The program's own session id, once known. */
  readonly cliSession: string | null;
  readonly runId: string;
  readonly active: boolean;
  /** The last message that the program received or wrote. */
  readonly knows: string;
}

const READ = `select harness, cli_session as "cliSession", run_id as "runId", active, knows
  from harness_sessions where session_id = $1`;

/** Only the process that owns the run may write; one with an older epoch changes nothing. */
const WRITE = `insert into harness_sessions(session_id, harness, cli_session, run_id, epoch, active, knows)
  select $1, $2, $3, id, epoch, $6, $7 from runs where id = $4 and epoch = $5
  on conflict (session_id) do update set harness = excluded.harness, cli_session = excluded.cli_session,
    run_id = excluded.run_id, epoch = excluded.epoch, active = excluded.active, knows = excluded.knows`;

/** A cancel takes the run's epoch first; what the program knows is still recorded, unless another run has started. */
const PAUSE = `update harness_sessions set active = false, knows = $4
  where session_id = $1 and run_id = $2 and epoch = $3`;

export async function readLink(pool: pg.Pool, sessionId: string): Promise<HarnessLink | undefined> {
  const { rows } = await pool.query<HarnessLink>(READ, [sessionId]);
  return rows[0];
}

export interface LinkPlace {
  readonly sessionId: string;
  readonly runId: string;
  readonly epoch: number;
}

export async function writeLink(
  pool: pg.Pool,
  { sessionId, runId, epoch }: LinkPlace,
  { harness, cliSession, active, knows }: Omit<HarnessLink, "runId">,
): Promise<void> {
  await pool.query(WRITE, [sessionId, harness, cliSession, runId, epoch, active, knows]);
}

export async function pauseLink(
  pool: pg.Pool,
  { sessionId, runId, epoch }: LinkPlace,
  knows: string,
): Promise<void> {
  await pool.query(PAUSE, [sessionId, runId, epoch, knows]);
}
