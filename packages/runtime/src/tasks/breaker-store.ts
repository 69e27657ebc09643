/** Circuit breakers in the database, so that every process pauses a failing capability and one trial closes it for all. */

import type pg from "pg";
import { admit, type Breaker, CLOSED_BREAKER, settle } from "../network/circuit-breaker.ts";

export interface BreakerStore {
  /** Whether a call of this capability may pass. The trial of an open breaker goes to one process only. */
  admit(capabilityId: string): Promise<{ pass: boolean; breaker: Breaker }>;
  settle(capabilityId: string, succeeded: boolean): Promise<Breaker>;
  list(): Promise<(Breaker & { capabilityId: string })[]>;
}

interface Row {
  capability_id: string;
  state: Breaker["state"];
  failures: number;
  opened_at: Date | null;
}

export function breakerStore(pool: pg.Pool, now: () => number = Date.now): BreakerStore {
  const read = async (capabilityId: string): Promise<Breaker> => {
    const { rows } = await pool.query<Row>("select * from capability_breakers where capability_id = $1", [
      capabilityId,
    ]);
    return rows[0] ? breakerOf(rows[0]) : CLOSED_BREAKER;
  };
  return {
    async admit(capabilityId) {
      const breaker = await read(capabilityId);
      const { pass, next } = admit(breaker, now());
      if (!pass || next === breaker) return { pass, breaker: next };
      return { pass: await swap(pool, capabilityId, breaker, next), breaker: next };
    },
    async settle(capabilityId, succeeded) {
      const breaker = await read(capabilityId);
      const next = settle(breaker, succeeded, now());
      if (succeeded && breaker.state === "closed" && breaker.failures === 0) return next; // the common case writes nothing
      await pool.query(UPSERT, [capabilityId, next.state, next.failures, openedAt(next)]);
      return next;
    },
    async list() {
      const { rows } = await pool.query<Row>("select * from capability_breakers order by capability_id");
      return rows.map((row) => ({ capabilityId: row.capability_id, ...breakerOf(row) }));
    },
  };
}

const UPSERT = `insert into capability_breakers (capability_id, state, failures, opened_at) values ($1, $2, $3, $4)
  on conflict (capability_id) do update set state = excluded.state, failures = excluded.failures, opened_at = excluded.opened_at, updated_at = now()`;

/** Claims the trial: true for the one process whose update succeeded. */
async function swap(pool: pg.Pool, capabilityId: string, before: Breaker, next: Breaker): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update capability_breakers set state = $2, opened_at = $3, updated_at = now()
     where capability_id = $1 and state = $4 and opened_at is not distinct from $5`,
    [capabilityId, next.state, openedAt(next), before.state, openedAt(before)],
  );
  return rowCount === 1;
}

const openedAt = ({ openedAt }: Breaker): Date | null => (openedAt === undefined ? null : new Date(openedAt));

const breakerOf = ({ state, failures, opened_at }: Row): Breaker => ({
  state,
  failures,
  ...(opened_at && { openedAt: opened_at.getTime() }),
});
