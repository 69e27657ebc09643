/** `capstan backup`: all data of an installation in one file. The embedded store must not be in use; Postgres may be. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { fail, ok, type Result } from "@capstan/core";
import { type Database, openDatabase } from "../db/database.ts";
import { appliedMigrations, knownMigrations, tablesAfter } from "../db/migrate.ts";
import { writeArchive } from "./archive-writer.ts";
import { BACKUP_FORMAT, BACKUP_FORMAT_OF_SEVERAL, type BackupLine } from "./backup-format.ts";
import type { CopyCounts, StoreProgress } from "./copy-progress.ts";
import { packFolder } from "./pack-folder.ts";
import { readRows } from "./read-rows.ts";
import {
  liveServers,
  type StoredOrganisation,
  type StoreTable,
  storedOrganisations,
  storeTables,
} from "./store-tables.ts";

/** Where an installation stores its data. */
export interface StorePlace {
  readonly dataDir: string;
  /** Absent: the embedded store in the data folder. */
  readonly url?: string | undefined;
}

export interface BackupOptions {
  readonly from: StorePlace;
  readonly path: string;
  readonly version: string;
  readonly now: () => Date;
  readonly progress: StoreProgress;
}

export interface BackupReport extends CopyCounts {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Servers that were running during the backup. */
  readonly servers: number;
  /** Whether the file contains the key that encrypts provider keys; otherwise it is the operator's CAPSTAN_SECRET. */
  readonly holdsSecret: boolean;
}

export async function backUp({
  from,
  path,
  version,
  now,
  progress,
}: BackupOptions): Promise<Result<BackupReport>> {
  const opened = await openAsItIs(from);
  if (!opened.ok) return opened;
  const { database, schema, tables, organisations } = opened.value;
  const counts = { rows: {} as Record<string, number>, files: 0 };
  async function* lines(): AsyncGenerator<BackupLine> {
    yield {
      is: "capstan-backup",
      format: organisations.length === 0 ? BACKUP_FORMAT : BACKUP_FORMAT_OF_SEVERAL,
      version,
      made_at: now().toISOString(),
      store: database.kind,
      platform: `${process.platform}-${process.arch}`,
      schema,
      organisations,
    };
    for await (const batch of readRows(database.pool, tables)) {
      counts.rows[batch.table] = (counts.rows[batch.table] ?? 0) + batch.rows.length;
      progress({ table: batch.table, ...counts });
      yield { is: "rows", ...batch };
    }
    const own = [resolve(path), `${resolve(path)}.partial`];
    for await (const entry of packFolder(resolve(from.dataDir), own)) {
      if (entry.is === "file") counts.files++;
      progress({ table: "files", ...counts });
      yield entry;
    }
  }
  try {
    const servers = await liveServers(database.pool);
    const written = await writeArchive(path, lines(), () => counts);
    if (!written.ok) return written;
    return ok({ ...written.value, ...counts, servers, holdsSecret: hasSecret(from.dataDir) });
  } finally {
    await database.close();
  }
}

interface StoreAsItIs {
  readonly database: Database;
  readonly schema: string[];
  /** Over all organisations. */
  readonly tables: StoreTable[];
  readonly organisations: StoredOrganisation[];
}

/** Opens a store without migrating it: a backup before an upgrade must not perform the upgrade. */
export async function openAsItIs(place: StorePlace): Promise<Result<StoreAsItIs>> {
  if (place.url === undefined && !existsSync(join(place.dataDir, "db", "PG_VERSION"))) {
    return fail("backup_nothing_there", { folder: place.dataDir });
  }
  const opened = await openDatabase({ ...place, migrations: 0 });
  if (!opened.ok) return opened;
  const database = opened.value;
  const schema = await appliedMigrations(database.pool);
  if (schema.length === 0) {
    await database.close();
    return fail("backup_nothing_there", { folder: database.location });
  }
  // A shared database may contain tables of other programs.
  const named = isStartOf(schema, knownMigrations()) ? tablesAfter(schema.length) : undefined;
  const organisations = await storedOrganisations(database.pool);
  const tables = await storeTables(database.pool, named);
  for (const { id } of organisations)
    tables.push(...(await storeTables(database.pool, named ?? tablesAfter(knownMigrations().length), id)));
  return ok({ database, schema, tables, organisations });
}

export const isStartOf = (some: readonly string[], all: readonly string[]): boolean =>
  some.length <= all.length && some.every((each, index) => each === all[index]);

const hasSecret = (dataDir: string): boolean => existsSync(join(dataDir, "secret.key"));
