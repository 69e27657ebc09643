/**
 * Migrates the schema. Every process tries at startup; an advisory lock ensures one at a time.
 * Polls instead of waiting for the lock: a waiting process would hold a connection that the owner may need.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type MigrationMeta, readMigrationFiles } from "drizzle-orm/migrator";
import { NodePgSession } from "drizzle-orm/node-postgres/session";
import { PgDialect } from "drizzle-orm/pg-core";
import type pg from "pg";

const LOCK_KEY = 4_400_001;
const RETRY_MS = 100;

/** Next to `src` in the repository and next to `dist` in the published package. */
const MIGRATIONS = fileURLToPath(new URL("../../drizzle", import.meta.url));

interface MigratedDatabase {
  readonly kind: "pglite" | "postgres";
  readonly pool: pg.Pool;
  /** The lock belongs to a session. */
  readonly sessionPool: pg.Pool;
}

/** `most`: how many of the migrations, oldest first; default: all. */
export async function migrate({ kind, pool, sessionPool }: MigratedDatabase, most?: number): Promise<void> {
  if (most === undefined && (await isUpToDate(pool))) return;
  const migrations = migrationFiles().slice(0, most);
  if (migrations.length === 0) return;
  if (kind === "pglite") return apply(migrations, pool);
  await underLock(sessionPool, (client) => apply(migrations, client));
}

/** True at almost every start: this takes two short queries, and neither the lock nor drizzle's own statements. */
async function isUpToDate(pool: pg.Pool): Promise<boolean> {
  if (!(await hasMigrations(pool))) return false;
  const { rows } = await pool.query<{ at: string | null }>(
    "select max(created_at) as at from drizzle.__drizzle_migrations",
  );
  const journal: { entries: { when: number }[] } = JSON.parse(
    readFileSync(join(MIGRATIONS, "meta", "_journal.json"), "utf8"),
  );
  return Number(rows[0]?.at ?? 0) >= (journal.entries.at(-1)?.when ?? Number.POSITIVE_INFINITY);
}

/** This version's migrations, oldest first. */
export const migrationFiles = (): MigrationMeta[] => readMigrationFiles({ migrationsFolder: MIGRATIONS });

/** The same, by the hash stored in the database. */
export const knownMigrations = (): string[] => migrationFiles().map(({ hash }) => hash);

/** The migrations applied to a database; none if it was never ours. */
export async function appliedMigrations(pool: pg.Pool): Promise<string[]> {
  if (!(await hasMigrations(pool))) return [];
  const { rows } = await pool.query<{ hash: string }>(
    "select hash from drizzle.__drizzle_migrations order by created_at",
  );
  return rows.map(({ hash }) => hash);
}

async function hasMigrations(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query("select to_regclass('drizzle.__drizzle_migrations') as name");
  return rows[0]?.name !== null;
}

/** The names of the tables that exist after that many migrations. */
export function tablesAfter(migrations: number): string[] {
  const name = `${String(migrations - 1).padStart(4, "0")}_snapshot.json`;
  const snapshot: { tables: Record<string, { name: string }> } = JSON.parse(
    readFileSync(join(MIGRATIONS, "meta", name), "utf8"),
  );
  return Object.values(snapshot.tables).map((table) => table.name);
}

/** What drizzle's own `migrate` does, with a list that may be shorter than the folder's. */
async function apply(migrations: MigrationMeta[], on: pg.Pool | pg.PoolClient): Promise<void> {
  const dialect = new PgDialect();
  const session = new NodePgSession<Record<string, never>, Record<string, never>>(on, dialect, undefined);
  await dialect.migrate(migrations, session, { migrationsFolder: MIGRATIONS });
}

/** Runs `work` while no other process does; also used for the run engine's own tables. */
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
