/** Datasets: cases to measure agents on. */
import { ok, type Result } from "@capstan/core";
import type { Connection } from "../connection.ts";
import { everyPage, LARGEST_PAGE, pagedList } from "../every-page.ts";
import type {
  Dataset,
  DatasetCreate,
  DatasetExportQuery,
  DatasetImport,
  DatasetItem,
  DatasetItemQuery,
  DatasetItemsPut,
  DatasetPatch,
  DatasetQuery,
  DatasetVersion,
  DatasetVersionQuery,
  DatasetWritten,
} from "../wire/datasets.ts";
import type { Page, PageQuery } from "../wire/page.ts";

const at = (id: string) => `/v1/datasets/${encodeURIComponent(id)}`;

export const datasetEndpoints = ({ json, send }: Connection) => {
  const items = (id: string, query: DatasetItemQuery = {}, signal?: AbortSignal) =>
    json<Page<DatasetItem>>("GET", `${at(id)}/items`, { query: { ...query }, signal });
  return {
    ...pagedList<Dataset, DatasetQuery, object>({ json }, "/v1/datasets"),
    create: (dataset: DatasetCreate) => json<Dataset>("POST", "/v1/datasets", { json: dataset }),
    get: (id: string, signal?: AbortSignal) => json<Dataset>("GET", at(id), { signal }),
    update: (id: string, change: DatasetPatch) => json<Dataset>("PATCH", at(id), { json: change }),
    remove: (id: string) => json<void>("DELETE", at(id)),
    items,
    everyItem: (id: string, query: Omit<DatasetItemQuery, "limit" | "cursor"> = {}) =>
      everyPage<DatasetItem>((cursor) =>
        items(id, { ...query, limit: LARGEST_PAGE, ...(cursor !== undefined && { cursor }) }),
      ),
    /** Items with an id that is known replace it; each call makes one version. */
    putItems: (id: string, body: DatasetItemsPut) =>
      json<DatasetWritten>("POST", `${at(id)}/items`, { json: body }),
    removeItem: (id: string, itemId: string, query: { purge?: "true" | "false" } = {}) =>
      json<DatasetWritten>("DELETE", `${at(id)}/items/${encodeURIComponent(itemId)}`, {
        query: { ...query },
      }),
    import: (id: string, body: DatasetImport) =>
      json<DatasetWritten>("POST", `${at(id)}/import`, { json: body }),
    versions: (id: string, query: DatasetVersionQuery = {}, signal?: AbortSignal) =>
      json<Page<DatasetVersion>>("GET", `${at(id)}/versions`, { query: { ...query }, signal }),
    /** As JSONL or CSV. */
    async export(id: string, query: DatasetExportQuery = {}): Promise<Result<string>> {
      const sent = await send("GET", `${at(id)}/export`, { query: { ...query } });
      return sent.ok ? ok(await sent.value.text()) : sent;
    },
  };
};
