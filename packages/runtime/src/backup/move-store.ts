/**
 * `capstan migrate`: copies the rows of the embedded store to an empty Postgres; the data folder stays in
 * use. The embedded store is only read, so you can go back by starting without DATABASE_URL.
 */
import { fail, ok, type Result } from "@capstan/core";
import { migrate } from "../db/migrate.ts";
import { openAsItIs } from "./backup.ts";
import type { CopyCounts, StoreProgress } from "./copy-progress.ts";
import { RowLoader } from "./load-rows.ts";
import { openTarget } from "./open-target.ts";
import { placeOrganisations } from "./place-organisations.ts";
import { readRows } from "./read-rows.ts";
import { fillStore, reason } from "./restore.ts";

export interface MoveOptions {
  readonly dataDir: string;
  readonly url: string;
  readonly version: string;
  readonly progress: StoreProgress;
}

export interface MoveReport extends CopyCounts {
  readonly location: string;
}

export async function moveStore({
  dataDir,
  url,
  version,
  progress,
}: MoveOptions): Promise<Result<MoveReport>> {
  const source = await openAsItIs({ dataDir });
  if (!source.ok) return source;
  const { database: from, schema } = source.value;
  try {
    const target = await openTarget({ dataDir, url }, schema);
    if (!target.ok) return target;
    const { database, tables } = target.value;
    try {
      const loaded = await fillStore(database.pool, async (client) => {
        const placed = await placeOrganisations(client, source.value.organisations, database.location);
        if (!placed.ok) return placed;
        const rows = new RowLoader(client, [...tables, ...placed.value], version);
        for await (const batch of readRows(from.pool, source.value.tables)) {
          const added = await rows.load(batch);
          if (!added.ok) return added;
          progress({ table: batch.table, rows: rows.counts, files: 0 });
        }
        await rows.finish();
        return ok(rows.counts);
      });
      if (!loaded.ok) return loaded;
      await migrate(database);
      return ok({ location: database.location, rows: loaded.value, files: 0 });
    } catch (error) {
      return fail("store_copy_failed", { where: database.location, why: reason(error) });
    } finally {
      await database.close();
    }
  } finally {
    await from.close();
  }
}
