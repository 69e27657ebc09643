/** The database: PGlite in the data folder, or the Postgres of `DATABASE_URL`. Callers cannot tell which. */
import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { ok, type Result } from "@capstan/core";
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import type pg from "pg";
import { type DataLock, lockDataFolder } from "./data-lock.ts";
import { refusedFolder, refusedSetup } from "./database-refusal.ts";
import { migrate } from "./migrate.ts";
import { openPglite } from "./open-pglite.ts";
import { openPostgres, watched } from "./open-postgres.ts";
import { pglitePool } from "./pglite-pool.ts";
import { PolicyChanges } from "./policy-changes.ts";
import { PreparingClient } from "./preparing-client.ts";
import type { Reader } from "./replica-reader.ts";
import { embeddedScope, type Scope, type ScopedPools } from "./scoped-pool.ts";
import { refusedStore } from "./store-version.ts";

export interface Database {
  readonly kind: "pglite" | "postgres";
  /** Where the data is stored, without secrets, for people. */
  readonly location: string;
  readonly pool: pg.Pool;
  /** A second pool on Postgres, so that a burst of run starts cannot block commits; the same one on PGlite. */
  readonly systemPool: pg.Pool;
  /** Its connections keep session state, such as a lock or LISTEN, which a pooler in transaction mode does not. */
  readonly sessionPool: pg.Pool;
  readonly orm: NodePgDatabase;
  /** For reads that may be slightly stale: a replica if one is configured, otherwise the pool itself. */
  readonly reader: Reader;
  /** Announces writes of what decides about calls, for caches. */
  readonly policyChanges: PolicyChanges;
  /** Set in the store of an organisation after the first. */
  readonly organisation?: OrganisationScope;
  /** Connections that enter an organisation before their first statement. */
  openScope(scope: Scope): ScopedPools;
  close(): Promise<void>;
}

export interface OrganisationScope {
  readonly id: string;
  /** Where people, their logins and memberships are: the first organisation's. */
  readonly directory: Pick<Database, "orm">;
}

export interface DatabaseOptions {
  readonly dataDir: string;
  /** Absent: the embedded store. */
  readonly url?: string | undefined;
  /** A read replica. */
  readonly replicaUrl?: string | undefined;
  /** The same database without the pooler in `url`. */
  readonly directUrl?: string | undefined;
  /** Maximum for all pools together. */
  readonly connections?: number;
  readonly onError?: (error: Error) => void;
  /** This program's version: a store changed by a later version may require that one. Not checked when absent. */
  readonly version?: string;
  /** Number of migrations to apply; default: all, 0 leaves the schema unchanged. */
  readonly migrations?: number;
}

export async function openDatabase(options: DatabaseOptions): Promise<Result<Database>> {
  const opened =
    options.url === undefined ? await openEmbedded(options) : await openPostgres(options, options.url);
  if (!opened.ok) return opened;
  try {
    const refused =
      options.migrations === undefined ? await refusedStore(opened.value, options.version) : undefined;
    if (refused === undefined) {
      await migrate(opened.value, options.migrations);
      return opened;
    }
    await opened.value.close();
    return refused;
  } catch (error) {
    await opened.value.close().catch(() => {});
    const { kind, location } = opened.value;
    return kind === "postgres" ? refusedSetup(error, location) : refusedFolder(error, location);
  }
}

async function openEmbedded({ dataDir, onError }: DatabaseOptions): Promise<Result<Database>> {
  const folder = join(dataDir, "db");
  let lock: DataLock;
  try {
    if (existsSync(dataDir)) accessSync(dataDir, constants.W_OK); // reports "read-only", where mkdir reports "no such file"
    mkdirSync(folder, { recursive: true, mode: 0o700 }); // commands of packages run as another user and must not read it
    const locked = lockDataFolder(dataDir);
    if (!locked.ok) return locked;
    lock = locked.value;
  } catch (error) {
    return refusedFolder(error, dataDir);
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
    const pools = { pool, systemPool: pool, sessionPool: pool, reader: pool };
    const openScope = (scope: Scope) => embeddedScope(pool, scope);
    const policyChanges = new PolicyChanges();
    return ok({ kind: "pglite", location: folder, ...pools, orm, policyChanges, openScope, close });
  } catch (error) {
    lock.release();
    return refusedFolder(error, folder);
  }
}
