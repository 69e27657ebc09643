/** Sources of dataset items: recorded runs that the caller may see, files, and items written by hand. */
import {
  type DatasetImport,
  type DatasetItemsPut,
  type DatasetWritten,
  itemsInFile,
} from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import type { DatasetItem, TextKind } from "@capstan/core/internal";
import {
  type AuditLog,
  cleanItem,
  type Database,
  type DatasetRecord,
  type DatasetStore,
  type ItemRecord,
  itemsOfRuns,
  type NewItem,
  selectRuns,
} from "@capstan/runtime";
import type { z } from "@hono/zod-openapi";
import { isTheirs, ownerFilter } from "../auth/ownership.ts";
import type { Caller } from "../http/caller.ts";
import { selectionOf } from "../replays/replay-dto.ts";
import { writtenDto } from "./dataset-dto.ts";

export interface DatasetParts {
  readonly database: Pick<Database, "pool">;
  readonly datasets: DatasetStore;
  readonly audit: AuditLog;
}

/** Another's dataset looks as if it did not exist. */
export async function ownDataset(
  { datasets }: Pick<DatasetParts, "datasets">,
  id: string,
  caller: Caller,
): Promise<Result<DatasetRecord>> {
  const found = await datasets.get(id);
  return found.ok && !isTheirs(caller, found.value.owner)
    ? fail("not_found", { what: "dataset", id })
    : found;
}

/** The newest, unless one that exists is named. */
export const versionOf = (dataset: DatasetRecord, asked: number | undefined): Result<number> =>
  asked !== undefined && asked > dataset.version
    ? fail("not_found", { what: "version of this dataset", id: String(asked) })
    : ok(asked ?? dataset.version);

const PAGE = 500;

export async function everyItem(datasets: DatasetStore, id: string, version: number): Promise<ItemRecord[]> {
  const all: ItemRecord[] = [];
  for (let after: number | undefined; ; ) {
    const { items, nextAfter } = await datasets.items(id, { version, after, limit: PAGE });
    all.push(...items);
    if (nextAfter === undefined) return all;
    after = nextAfter;
  }
}

export async function putItems(
  parts: DatasetParts,
  id: string,
  caller: Caller,
  { items, scrub, why }: z.output<typeof DatasetItemsPut>,
): Promise<Result<DatasetWritten>> {
  const found = await ownDataset(parts, id, caller);
  if (!found.ok) return found;
  const clean = cleaned(items as DatasetItem[], "hand", caller, scrub);
  return clean.ok ? store(parts, id, caller, { items: clean.value, why }) : clean;
}

export async function importItems(
  parts: DatasetParts,
  id: string,
  caller: Caller,
  body: z.output<typeof DatasetImport>,
): Promise<Result<DatasetWritten>> {
  const found = await ownDataset(parts, id, caller);
  if (!found.ok) return found;
  const { file, labels, scrub, expect, why } = body;
  if (file) {
    const read = itemsInFile(file.format, file.text);
    if (!read.ok) return read;
    const items = read.value as DatasetItem[];
    const labelled = items.map((item) =>
      labels.length === 0 ? item : { ...item, labels: [...new Set([...(item.labels ?? []), ...labels])] },
    );
    const clean = cleaned(labelled, "file", caller, scrub);
    return clean.ok ? store(parts, id, caller, { items: clean.value, why }) : clean;
  }
  const runIds = await selectRuns(parts.database.pool, selectionOf(body), ownerFilter(caller));
  if (!runIds.ok) return runIds;
  const { items, skipped } = await itemsOfRuns(parts.database.pool, runIds.value, caller.email, {
    scrubbed: scrub,
    labels,
    expectAnswer: expect === "answer",
  });
  return store(parts, id, caller, { items, skipped, why });
}

function cleaned(
  items: readonly DatasetItem[],
  kind: "file" | "hand",
  { email: by }: Caller,
  kinds: readonly TextKind[],
): Result<NewItem[]> {
  const clean: NewItem[] = [];
  for (const item of items) {
    const kept = cleanItem(item, { kind, by }, kinds);
    if (!kept) return fail("dataset_file_invalid", { where: `the item "${item.id}" is too large` });
    clean.push(kept);
  }
  return ok(clean);
}

interface ToStore {
  readonly items: readonly NewItem[];
  readonly skipped?: readonly { readonly runId: string; readonly why: string }[];
  readonly why: string;
}

async function store(
  { datasets, audit }: DatasetParts,
  id: string,
  { email: by }: Caller,
  { items, skipped = [], why }: ToStore,
): Promise<Result<DatasetWritten>> {
  const written = await datasets.write(id, { put: items, by, why });
  if (!written.ok) return written;
  const { version, added, changed } = written.value;
  await audit.add({
    actor: by,
    action: "dataset.written",
    subject: id,
    details: { version, added, changed },
  });
  return ok(writtenDto(written.value, items, skipped));
}
