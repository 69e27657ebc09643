/** `capstan restore`: restores a backup into an empty installation. All of it, or nothing. */
import { mkdir } from "node:fs/promises";
import { fail, ok, type Result } from "@capstan/core";
import type pg from "pg";
import { migrate } from "../db/migrate.ts";
import { openArchive } from "./archive-reader.ts";
import type { StorePlace } from "./backup.ts";
import type { BackupLine } from "./backup-format.ts";
import type { CopyCounts, StoreProgress } from "./copy-progress.ts";
import { RowLoader } from "./load-rows.ts";
import { openTarget } from "./open-target.ts";
import { placeOrganisations } from "./place-organisations.ts";
import { FolderUnpacker, foldersInTheWay } from "./unpack-folder.ts";

export interface RestoreOptions {
  readonly path: string;
  readonly to: StorePlace;
  readonly progress: StoreProgress;
}

export interface RestoreReport extends CopyCounts {
  readonly location: string;
  readonly madeAt: string;
  readonly version: string;
}

export async function restore({ path, to, progress }: RestoreOptions): Promise<Result<RestoreReport>> {
  const archive = await openArchive(path);
  if (!archive.ok) return archive;
  const { header } = archive.value;
  const [inTheWay] = await foldersInTheWay(to.dataDir);
  if (inTheWay !== undefined) return fail("target_not_empty", { where: to.dataDir, what: `"${inTheWay}"` });
  await mkdir(to.dataDir, { recursive: true });
  const target = await openTarget(to, header.schema);
  if (!target.ok) return target;
  const { database, tables } = target.value;
  const withPackages = header.platform === `${process.platform}-${process.arch}`;
  const folder = new FolderUnpacker(to.dataDir, { withPackages });
  try {
    const loaded = await fillStore(database.pool, async (client) => {
      const placed = await placeOrganisations(client, header.organisations, database.location);
      if (!placed.ok) return placed;
      const rows = new RowLoader(client, [...tables, ...placed.value], header.version);
      for await (const line of archive.value.lines()) {
        const added = await add(line, rows, folder);
        if (!added.ok) return added;
        progress({ table: added.value, rows: rows.counts, files: folder.files });
      }
      await rows.finish();
      await folder.finish();
      return ok(rows.counts);
    });
    if (!loaded.ok) {
      await folder.undo();
      return loaded;
    }
    await migrate(database);
    const { made_at: madeAt, version } = header;
    return ok({ location: database.location, madeAt, version, rows: loaded.value, files: folder.files });
  } catch (error) {
    await folder.undo();
    return fail("store_copy_failed", { where: database.location, why: reason(error) });
  } finally {
    await database.close();
  }
}

/** Returns what is being written, for the progress. */
async function add(line: BackupLine, rows: RowLoader, folder: FolderUnpacker): Promise<Result<string>> {
  if (line.is === "rows") {
    const loaded = await rows.load(line);
    return loaded.ok ? ok(line.table) : loaded;
  }
  if (line.is !== "capstan-backup" && line.is !== "end") await folder.add(line);
  return ok("files");
}

/** One transaction; both a refusal and an error roll it back. */
export async function fillStore<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result<T>>,
): Promise<Result<T>> {
  const client = await pool.connect();
  let done = false;
  try {
    await client.query("begin");
    const result = await work(client);
    if (result.ok) {
      await client.query("commit");
      done = true;
    }
    return result;
  } finally {
    if (!done) await client.query("rollback").catch(() => {});
    client.release();
  }
}

export const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));
