/** A store to restore into: empty, not in use, and with the schema that the data was written with. */
import { fail, ok, type Result } from "@capstan/core";
import { type Database, openDatabase } from "../db/database.ts";
import { appliedMigrations, knownMigrations, migrate } from "../db/migrate.ts";
import { isStartOf, type StorePlace } from "./backup.ts";
import { liveServers, type StoreTable, storeTables, tablesWithRows } from "./store-tables.ts";

export interface OpenTarget {
  readonly database: Database;
  readonly tables: readonly StoreTable[];
}

export async function openTarget(place: StorePlace, schema: readonly string[]): Promise<Result<OpenTarget>> {
  const opened = await openDatabase({ ...place, migrations: 0 });
  if (!opened.ok) return opened;
  const database = opened.value;
  const ready = await prepare(database, schema).catch((error: unknown) =>
    fail("database_unusable", { location: database.location, why: String(error) }),
  );
  if (!ready.ok) await database.close();
  return ready.ok ? ok({ database, tables: ready.value }) : ready;
}

/**
 * A known schema version is created as it was, so that later migrations also convert the data. A schema from
 * before the first release is unknown: there the column names decide.
 */
async function prepare(
  database: Database,
  schema: readonly string[],
): Promise<Result<readonly StoreTable[]>> {
  const where = database.location;
  const servers = await liveServers(database.pool);
  if (servers > 0) return fail("target_in_use", { where, servers });
  const known = knownMigrations();
  const steps = isStartOf(schema, known) ? schema.length : known.length;
  const before = await appliedMigrations(database.pool);
  if (before.length > steps) {
    return fail("target_not_empty", { where, what: "the tables of a later version" });
  }
  await migrate(database, steps);
  const tables = await storeTables(database.pool);
  const [filled] = await tablesWithRows(database.pool, tables);
  if (filled !== undefined) return fail("target_not_empty", { where, what: `rows in "${filled}"` });
  return ok(tables);
}
