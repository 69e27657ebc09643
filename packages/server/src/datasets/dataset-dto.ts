/** Converts datasets between the API, the code and files. */
import type { Dataset, DatasetItem, DatasetVersion, DatasetWritten } from "@capstan/client/wire";
import type { DatasetItem as Item } from "@capstan/core/internal";
import type {
  DatasetRecord,
  ItemRecord,
  NewItem,
  DatasetVersion as VersionRecord,
  Written,
} from "@capstan/runtime";
import { asWire } from "../http/define-route.ts";
import { csvText } from "../observability/csv-text.ts";

export const datasetDto = (dataset: DatasetRecord): Dataset => ({
  id: dataset.id,
  name: dataset.name,
  description: dataset.description,
  version: dataset.version,
  items: dataset.items,
  created_by: dataset.owner,
  created_at: dataset.createdAt.toISOString(),
  updated_at: dataset.updatedAt.toISOString(),
});

export const versionDto = ({ at, ...version }: VersionRecord): DatasetVersion => ({
  ...version,
  at: at.toISOString(),
});

export const itemDto = ({ item, scrubbed, source, fromVersion }: ItemRecord): DatasetItem => ({
  ...asWire<DatasetItem>(item as DatasetItem),
  scrubbed: [...scrubbed],
  source: {
    kind: source.kind,
    by: source.by,
    run_id: source.runId ?? null,
    session_id: source.sessionId ?? null,
    agent_id: source.agentId ?? null,
    revision: source.revision ?? null,
  },
  since_version: fromVersion,
});

export const writtenDto = (
  written: Written,
  items: readonly NewItem[] = [],
  skipped: readonly { runId: string; why: string }[] = [],
): DatasetWritten => ({
  ...written,
  scrubbed: items.flatMap(({ item, scrubbed }) => scrubbed.map((each) => ({ item_id: item.id, ...each }))),
  skipped: skipped.map(({ runId, why }) => ({ run_id: runId, why })),
});

const CSV_COLUMNS = [
  "id",
  "input",
  "expected",
  "labels",
  "note",
  "history",
  "stubs",
  "recorded",
  "scorers",
] as const;

export const FILE_TYPES = { jsonl: "application/jsonl", csv: "text/csv" } as const;

export function fileOf(format: keyof typeof FILE_TYPES, items: readonly Item[]): string {
  if (format === "jsonl") return items.map((item) => `${JSON.stringify(item)}\n`).join("");
  const cell = (item: Item, name: (typeof CSV_COLUMNS)[number]): string => {
    const value = item[name];
    if (value === undefined) return "";
    if (name === "labels") return (item.labels ?? []).join(";");
    return typeof value === "string" ? value : JSON.stringify(value);
  };
  return csvText([CSV_COLUMNS, ...items.map((item) => CSV_COLUMNS.map((name) => cell(item, name)))]);
}
