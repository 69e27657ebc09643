/** The one database: PGlite in the data folder, or the Postgres of `DATABASE_URL`. The code above it cannot tell which. */
import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fail, ok, type Result } from "@capstan/core";
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import pg from "pg";
import { type DataLock, lockDataFolder } from "./data-lock.ts";
import { isDatabaseAway } from "./database-away.ts";
import { migrate } from "./migrate.ts";
import { openPglite } from "./open-pglite.ts";
import { pglitePool } from "./pglite-pool.ts";
import { PreparingClient } from "./preparing-client.ts";
import { type Reader, replicaReader } from "./replica-reader.ts";

const FIRST_ANSWER_MS = 10_000;
const REPLICA_CONNECTIONS = 4; // a few long reads at a time
const REPLICA_ANSWER_MS = 3000;

export interface Database {
  readonly kind: "pglite" | "postgres";
  /** Where the data lies, without secrets, for people. */
  readonly location: string;
  readonly pool: pg.Pool;
  /** A second pool on Postgres, so that a burst of run starts cannot hold up commits; the same one on PGlite. */
  readonly systemPool: pg.Pool;
  readonly orm: NodePgDatabase;
  /** For reads that may be a moment old: a replica where one is set, else the pool itself. */
  readonly reader: Reader;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly dataDir: string;
  /** Absent: the embedded store. */
  readonly url?: string | undefined;
  /** A replica of it that may be read from. */
  readonly replicaUrl?: string | undefined;
  readonly maxConnections?: number;
  readonly onError?: (error: Error) => void;
  /** How many migrations to apply; all when absent, 0 to leave the schema as it is. */
  readonly migrations?: number;
}

export async function openDatabase(options: DatabaseOptions): Promise<Result<Database>> {
  const opened =
    options.url === undefined ? await openEmbedded(options) : await openPostgres(options, options.url);
  if (!opened.ok) return opened;
  try {
    await migrate(opened.value, options.migrations);
    return opened;
  } catch (error) {
    await opened.value.close().catch(() => {});
    const code = isDatabaseAway(error) ? "database_unreachable" : "database_unusable";
    return fail(code, { location: opened.value.location, why: reason(error) });
  }
}

async function openEmbedded({ dataDir, onError }: DatabaseOptions): Promise<Result<Database>> {
  const folder = join(dataDir, "db");
  let lock: DataLock;
  try {
    if (existsSync(dataDir)) accessSync(dataDir, constants.W_OK); // says "read-only", where mkdir says "no such file"
    mkdirSync(folder, { recursive: true, mode: 0o700 }); // commands of packages run as another user and must not read it
    const locked = lockDataFolder(dataDir);
    if (!locked.ok) return locked;
    lock = locked.value;
  } catch (error) {
    return fail("database_unusable", { location: dataDir, why: reason(error) });
  }
  try {
    const lite = await openPglite(folder);
    const pool = watched(pglitePool(lite, PreparingClient), onError);
    const close = async () => {
      await pool.end();
      await lite.close();
      lock.release();
    };
    const orm = drizzle(pool);
    return ok({ kind: "pglite", location: folder, pool, systemPool: pool, reader: pool, orm, close });
  } catch (error) {
    lock.release();
    return fail("database_unusable", { location: folder, why: reason(error) });
  }
}

async function openPostgres(options: DatabaseOptions, url: string): Promise<Result<Database>> {
  const location = withoutPassword(url);
  const newPool = () =>
    watched(
      new pg.Pool({
        connectionString: url,
        max: options.maxConnections ?? 10,
        Client: PreparingClient,
      } as pg.PoolConfig),
      options.onError,
    );
  const pool = newPool();
  const systemPool = newPool();
  const replica = openReplica(options);
  const reader = replica ? replicaReader(replica, pool) : pool;
  const close = async () => {
    await Promise.all([pool.end(), systemPool.end(), replica?.end()]);
  };
  try {
    await Promise.race([pool.query("select 1"), silence(FIRST_ANSWER_MS)]);
  } catch (error) {
    close().catch(() => {}); // not waited for: a connection that is still being made ends when the system gives it up
    const code = isDatabaseAway(error) ? "database_unreachable" : "database_refused";
    return fail(code, { location, why: reason(error) });
  }
  return ok({ kind: "postgres", location, pool, systemPool, reader, orm: drizzle(pool), close });
}

/** It is not waited for: without it the primary answers. */
function openReplica({ replicaUrl, onError }: DatabaseOptions): pg.Pool | undefined {
  if (replicaUrl === undefined) return undefined;
  const limits = { max: REPLICA_CONNECTIONS, connectionTimeoutMillis: REPLICA_ANSWER_MS };
  return watched(new pg.Pool({ connectionString: replicaUrl, ...limits }), onError);
}

/** Without listeners the process ends when a connection breaks: an idle one tells the pool, one that is lent out only itself. */
function watched(pool: pg.Pool, onError: ((error: Error) => void) | undefined): pg.Pool {
  pool.on("error", (error) => onError?.(error));
  pool.on("connect", (client) => client.on("error", () => {})); // whoever holds it learns from its next statement
  return pool;
}

/** A host that drops packets instead of refusing keeps a connection waiting for minutes. */
const silence = (ms: number): Promise<never> =>
  new Promise((_, reject) => {
    const words = `no answer in ${ms / 1000} s`;
    setTimeout(() => reject(Object.assign(new Error(words), { code: "08001" })), ms).unref();
  });

function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return "the given DATABASE_URL";
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}

function reason(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") return error.errors.map(reason).join(", ");
  return error instanceof Error ? error.message || error.name : String(error);
}
