/**
 * Brings the schema up to date. Every process tries at start; the advisory lock lets one at a time do it.
 * A loop of tries, not a waiting lock: a waiting one holds a connection that the holder may need.
 */
import { fileURLToPath } from "node:url";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate as runMigrations } from "drizzle-orm/node-postgres/migrator";
import type pg from "pg";

const LOCK_KEY = 4_400_001;
const RETRY_MS = 100;

/** Beside `src` in the repository and beside `dist` in the published package. */
const MIGRATIONS = fileURLToPath(new URL("../../drizzle", import.meta.url));

export async function migrate({ kind, pool }: { kind: "pglite" | "postgres"; pool: pg.Pool }): Promise<void> {
  if (kind === "pglite") return runMigrations(drizzle(pool), { migrationsFolder: MIGRATIONS });
  await underLock(pool, (client) => runMigrations(drizzle(client), { migrationsFolder: MIGRATIONS }));
}

/** Runs `work` while no other process does; also used for the engine's own tables. */
export async function underLock<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    while (!(await tryLock(client))) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    try {
      return await work(client);
    } finally {
      await client.query(`select pg_advisory_unlock(${LOCK_KEY})`);
    }
  } finally {
    client.release();
  }
}

async function tryLock(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    `select pg_try_advisory_lock(${LOCK_KEY}) as locked`,
  );
  return rows[0]?.locked === true;
}
