/**
 * The Postgres of `DATABASE_URL`. A start inspects it before using it: an unusable database is refused
 * with what helps, and behind a pooler in transaction mode statements are unnamed and session state uses a direct connection.
 */
import { fail, ok, type Result } from "@capstan/core";
import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import type { Database, DatabaseOptions } from "./database.ts";
import { refusedConnection } from "./database-refusal.ts";
import { FewConnectionsPool } from "./few-connections-pool.ts";
import { PolicyChanges } from "./policy-changes.ts";
import { isPooledByTransaction, readFacts, refusedBy, usableConnections } from "./postgres-facts.ts";
import { PreparingClient } from "./preparing-client.ts";
import { replicaReader } from "./replica-reader.ts";
import { postgresScope, type Scope } from "./scoped-pool.ts";
import { UnnamedClient } from "./unnamed-client.ts";

const FIRST_ANSWER_MS = 10_000;
const DEFAULT_CONNECTIONS = 20; // for both pools together
const SESSION_CONNECTIONS = 3; // one listens permanently, one holds the startup lock, one is spare
const SCOPE_CONNECTIONS = 5; // for each of an organisation's two pools
const REPLICA_CONNECTIONS = 4; // a few long reads at a time
const REPLICA_ANSWER_MS = 3000;

interface Pools {
  readonly pool: pg.Pool;
  readonly systemPool: pg.Pool;
  readonly sessionPool: pg.Pool;
}

export async function openPostgres(options: DatabaseOptions, url: string): Promise<Result<Database>> {
  const location = withoutPassword(url);
  const pools = await openPools(options, url, location).catch((error) => refusedConnection(error, location));
  if (!pools.ok) return pools;
  const { pool, systemPool, sessionPool } = pools.value;
  const replica = openReplica(options);
  const reader = replica ? replicaReader(replica, pool) : pool;
  const close = async () => {
    await Promise.all([...new Set([pool, systemPool, sessionPool, replica])].map((each) => each?.end()));
  };
  const orm = drizzle(pool);
  const policyChanges = new PolicyChanges();
  // Bypasses a pooler in transaction mode: there, a session's settings would reach the next one's statements.
  const connectionString = verified(sessionPool === pool ? url : (options.directUrl ?? url));
  const openScope = (scope: Scope) =>
    postgresScope(scope, { connectionString, connections: SCOPE_CONNECTIONS }, (scoped) =>
      watched(scoped, options.onError),
    );
  return ok({
    kind: "postgres",
    location,
    pool,
    systemPool,
    sessionPool,
    reader,
    orm,
    policyChanges,
    openScope,
    close,
  });
}

async function openPools(
  { connections = DEFAULT_CONNECTIONS, directUrl, migrations, onError }: DatabaseOptions,
  url: string,
  location: string,
): Promise<Result<Pools>> {
  const newPool = (max: number, Client: typeof pg.Client, address = url) =>
    watched(
      new FewConnectionsPool({ connectionString: verified(address), max, Client } as pg.PoolConfig),
      onError,
    );
  const pool = newPool(connections, PreparingClient);
  const systemPool = newPool(connections, PreparingClient);
  const end = () => Promise.all([pool.end(), systemPool.end()]);
  try {
    const found = await Promise.race([survey(pool, systemPool), silence(FIRST_ANSWER_MS)]);
    const onlyReads = migrations === 0; // a backup, which may come from a replica
    const refused = onlyReads ? undefined : refusedBy(found.facts, location);
    const usable = refused ?? usableConnections(found.facts, connections, location);
    if (usable.ok && !found.isPooled) {
      for (const each of [pool, systemPool]) each.options.max = Math.floor(usable.value / 2);
      return ok({ pool, systemPool, sessionPool: pool });
    }
    await end();
    if (!usable.ok) return usable;
    if (directUrl === undefined) return fail("database_pooled", { location });
    const half = Math.floor(usable.value / 2);
    return ok({
      pool: newPool(half, UnnamedClient),
      systemPool: newPool(half, UnnamedClient),
      sessionPool: newPool(SESSION_CONNECTIONS, PreparingClient, directUrl),
    });
  } catch (error) {
    end().catch(() => {}); // not awaited: a pending connection ends when the system gives up on it
    throw error;
  }
}

/** Uses the first connection of each pool, which are needed anyway. */
async function survey(pool: pg.Pool, systemPool: pg.Pool) {
  const first = await pool.connect();
  try {
    const facts = await readFacts(first);
    const second = await systemPool.connect();
    try {
      return { facts, isPooled: await isPooledByTransaction(first, facts.session, second) };
    } finally {
      second.release();
    }
  } finally {
    first.release();
  }
}

/** Not awaited: without it, the primary answers. */
function openReplica({ replicaUrl, onError }: DatabaseOptions): pg.Pool | undefined {
  if (replicaUrl === undefined) return undefined;
  const limits = { max: REPLICA_CONNECTIONS, connectionTimeoutMillis: REPLICA_ANSWER_MS };
  return watched(new pg.Pool({ connectionString: verified(replicaUrl), ...limits }), onError);
}

/** The names of what pg does for these three today: with the original names it prints a warning at every start. */
const verified = (url: string): string =>
  url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, "$1verify-full");

/** Without listeners, a broken connection ends the process: an idle one emits on the pool, one in use only on itself. */
export function watched<P extends pg.Pool>(pool: P, onError: ((error: Error) => void) | undefined): P {
  pool.on("error", (error) => onError?.(error));
  pool.on("connect", (client) => client.on("error", () => {})); // its owner sees the error at its next statement
  return pool;
}

/** A host that drops packets instead of refusing would make a connection wait for minutes. */
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
