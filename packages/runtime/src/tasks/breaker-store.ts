/** Circuit breakers in the database, so that every process pauses a failing tool and one trial closes it for all. */

import type pg from "pg";
import { admit, type Breaker, CLOSED_BREAKER, settle } from "../network/circuit-breaker.ts";

/** One tool of a capability: the others of a package keep working when it fails. */
export interface BreakerPlace {
  readonly capabilityId: string;
  /** Its tool, or its route when it has none. */
  readonly tool: string;
}

export interface BreakerStore {
  /** Whether a call of this tool may pass. The trial of an open breaker goes to one process only. */
  admit(place: BreakerPlace): Promise<{ pass: boolean; breaker: Breaker }>;
  settle(place: BreakerPlace, succeeded: boolean): Promise<Breaker>;
  list(): Promise<(Breaker & BreakerPlace)[]>;
}

/** No id has this character, so that a row of an older version, which has the id alone, is never read as a tool's. */
const SEPARATOR = "#";
const keyOf = ({ capabilityId, tool }: BreakerPlace): string => `${capabilityId}${SEPARATOR}${tool}`;

function placeOf(key: string): BreakerPlace {
  const at = key.indexOf(SEPARATOR);
  return { capabilityId: key.slice(0, at), tool: key.slice(at + 1) };
}

interface Row {
  capability_id: string;
  state: Breaker["state"];
  failures: number;
  opened_at: Date | null;
}

export function breakerStore(pool: pg.Pool, now: () => number = Date.now): BreakerStore {
  const read = async (key: string): Promise<Breaker> => {
    const { rows } = await pool.query<Row>("select * from capability_breakers where capability_id = $1", [
      key,
    ]);
    return rows[0] ? breakerOf(rows[0]) : CLOSED_BREAKER;
  };
  return {
    async admit(place) {
      const key = keyOf(place);
      const breaker = await read(key);
      const { pass, next } = admit(breaker, now());
      if (!pass || next === breaker) return { pass, breaker: next };
      return { pass: await swap(pool, key, breaker, next), breaker: next };
    },
    async settle(place, succeeded) {
      const key = keyOf(place);
      const breaker = await read(key);
      const next = settle(breaker, succeeded, now());
      if (succeeded && breaker.state === "closed" && breaker.failures === 0) return next; // the common case writes nothing
      await pool.query(UPSERT, [key, next.state, next.failures, openedAt(next)]);
      return next;
    },
    async list() {
      const { rows } = await pool.query<Row>(
        "select * from capability_breakers where strpos(capability_id, $1) > 0 order by capability_id",
        [SEPARATOR],
      );
      return rows.map((row) => ({ ...placeOf(row.capability_id), ...breakerOf(row) }));
    },
  };
}

const UPSERT = `insert into capability_breakers (capability_id, state, failures, opened_at) values ($1, $2, $3, $4)
  on conflict (capability_id) do update set state = excluded.state, failures = excluded.failures, opened_at = excluded.opened_at, updated_at = now()`;

/** Claims the trial: true for the one process whose update succeeded. */
async function swap(pool: pg.Pool, key: string, before: Breaker, next: Breaker): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update capability_breakers set state = $2, opened_at = $3, updated_at = now()
     where capability_id = $1 and state = $4 and opened_at is not distinct from $5`,
    [key, next.state, openedAt(next), before.state, openedAt(before)],
  );
  return rowCount === 1;
}

const openedAt = ({ openedAt }: Breaker): Date | null => (openedAt === undefined ? null : new Date(openedAt));

const breakerOf = ({ state, failures, opened_at }: Row): Breaker => ({
  state,
  failures,
  ...(opened_at && { openedAt: opened_at.getTime() }),
});
