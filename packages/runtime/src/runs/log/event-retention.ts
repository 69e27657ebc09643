/**
 * Deletes the events of runs that ended long ago, if the operator sets a limit: clients need them to reconnect,
 * and they are most of what is stored. Messages, runs and files stay. So does the last event row of a session, because
 * the next events continue its number.
 */
import type pg from "pg";

const RUNS_AT_ONCE = 200; // short statements, so that commits of running runs do not wait
const EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;
const LOOK_BACK_DAYS = 7; // runs that waited for people end long after they started, and are found in a later pass

/** $1 runs started after this one, $2 ended before this time. Ids are UUIDv7 and sort by time. */
const FORGET = `with old as (
    select id, session_id from runs where id > $1 and updated_at < $2 and status in ('done', 'failed', 'cancelled')
    order by id limit ${RUNS_AT_ONCE}),
  gone as (
    delete from events e using old where e.session_id = old.session_id and e.run_id = old.id
      and e.last_seq < (select max(last_seq) from events newest where newest.session_id = e.session_id)
    returning 1)
  select (select count(*)::int from gone) as rows, (select count(*)::int from old) as runs,
    (select max(id::text) from old) as last`;

export interface RetentionParts {
  readonly pool: pg.Pool;
  readonly days: number;
  readonly onError: (error: unknown) => void;
}

export class EventRetention {
  readonly #parts: RetentionParts;
  #timer: NodeJS.Timeout | undefined;
  #from = firstIdOf(0);

  constructor(parts: RetentionParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => void this.forget(new Date()).catch(this.#parts.onError), EVERY_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Returns how many rows were deleted. */
  async forget(now: Date): Promise<number> {
    const before = new Date(now.getTime() - this.#parts.days * DAY_MS);
    let from = this.#from;
    let rows = 0;
    for (;;) {
      const { rows: found } = await this.#parts.pool.query<{
        rows: number;
        runs: number;
        last: string | null;
      }>(FORGET, [from, before]);
      const [batch] = found;
      if (!batch?.last) break;
      rows += batch.rows;
      from = batch.last;
      if (batch.runs < RUNS_AT_ONCE) break;
    }
    this.#from = firstIdOf(Math.max(0, before.getTime() - LOOK_BACK_DAYS * DAY_MS));
    return rows;
  }
}

/** The lowest UUIDv7 of a point in time. */
function firstIdOf(ms: number): string {
  const hex = ms.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
