/** /v1/datasets/{id}/items, import, versions, export. Every write creates a new version; secrets are removed first. */
import {
  DatasetExportQuery,
  DatasetImport,
  DatasetItemPage,
  DatasetItemParams,
  DatasetItemQuery,
  DatasetItemsPut,
  DatasetPurgeQuery,
  DatasetVersionPage,
  DatasetWritten,
  listQueries,
} from "@capstan/client/wire";
import { fail } from "@capstan/core";
import { readNumberCursor } from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import { answer, Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { FILE_TYPES, fileOf, itemDto, versionDto } from "./dataset-dto.ts";
import {
  type DatasetParts,
  everyItem,
  importItems,
  ownDataset,
  putItems,
  versionOf,
} from "./import-items.ts";

const items = createRoute({
  operationId: "listDatasetItems",
  ...needs("dataset", "see"),
  method: "get",
  path: "/v1/datasets/{id}/items",
  summary: "The items of a version, with what was removed from each",
  request: { params: Id, query: DatasetItemQuery },
  responses: { 200: json(DatasetItemPage, "Items.") },
});
const put = createRoute({
  operationId: "putDatasetItems",
  ...needs("dataset", "change"),
  method: "post",
  path: "/v1/datasets/{id}/items",
  summary: "Add items, or replace those with the same id, as a new version",
  request: { params: Id, body: jsonBody(DatasetItemsPut) },
  responses: { 200: json(DatasetWritten, "What changed, and what was taken out.") },
});
const removeItem = createRoute({
  operationId: "deleteDatasetItem",
  ...needs("dataset", "change"),
  method: "delete",
  path: "/v1/datasets/{id}/items/{item_id}",
  summary: "Remove an item, as a new version; with `purge` from every version",
  request: { params: DatasetItemParams, query: DatasetPurgeQuery },
  responses: { 200: json(DatasetWritten, "What changed.") },
});
const importRoute = createRoute({
  operationId: "importDatasetItems",
  ...needs("dataset", "change"),
  method: "post",
  path: "/v1/datasets/{id}/import",
  summary: "Add items from recorded runs or from a JSONL or CSV file, as a new version",
  request: { params: Id, body: jsonBody(DatasetImport) },
  responses: { 200: json(DatasetWritten, "What changed, and what was taken out.") },
});
const versions = createRoute({
  operationId: "listDatasetVersions",
  ...needs("dataset", "see"),
  method: "get",
  path: "/v1/datasets/{id}/versions",
  summary: "Versions, newest first: who, when, why, and how many items changed",
  request: { params: Id, query: listQueries.DatasetVersionQuery },
  responses: { 200: json(DatasetVersionPage, "Versions.") },
});
const exportRoute = createRoute({
  operationId: "exportDataset",
  ...needs("dataset", "see"),
  method: "get",
  path: "/v1/datasets/{id}/export",
  summary: "A version as a JSONL or CSV file",
  request: { params: Id, query: DatasetExportQuery },
  responses: {
    200: {
      description: "The file.",
      content: { "application/jsonl": { schema: z.string() }, "text/csv": { schema: z.string() } },
    },
  },
});

export function datasetItemRoutes(parts: DatasetParts) {
  const { datasets } = parts;
  const routes = newRoutes("datasets");
  routes.openapi(items, async (c) => {
    const { limit, cursor, version: asked, label, q: text } = c.req.valid("query");
    const after = readNumberCursor(cursor);
    if (!after.ok) return problem(c, after.failure);
    const found = await ownDataset(parts, c.req.valid("param").id, c.get("caller"));
    if (!found.ok) return problem(c, found.failure);
    const version = versionOf(found.value, asked);
    if (!version.ok) return problem(c, version.failure);
    const page = await datasets.items(found.value.id, {
      version: version.value,
      label,
      text,
      after: after.value,
      limit,
    });
    const next = page.nextAfter === undefined ? {} : { next_cursor: String(page.nextAfter) };
    return c.json({ items: page.items.map(itemDto), ...next }, 200);
  });
  routes.openapi(put, async (c) => {
    const written = await putItems(parts, c.req.valid("param").id, c.get("caller"), c.req.valid("json"));
    return written.ok ? c.json(written.value, 200) : problem(c, written.failure);
  });
  routes.openapi(importRoute, async (c) => {
    const written = await importItems(parts, c.req.valid("param").id, c.get("caller"), c.req.valid("json"));
    return written.ok ? c.json(written.value, 200) : problem(c, written.failure);
  });
  routes.openapi(removeItem, async (c) => {
    const caller = c.get("caller");
    const { id, item_id: itemId } = c.req.valid("param");
    const found = await ownDataset(parts, id, caller);
    if (!found.ok) return problem(c, found.failure);
    const gone =
      c.req.valid("query").purge === "true"
        ? await datasets.purge(id, itemId, caller.email)
        : await datasets.write(id, { remove: [itemId], by: caller.email, why: "" });
    if (!gone.ok) return problem(c, gone.failure);
    if (gone.value.removed === 0 && c.req.valid("query").purge !== "true")
      return problem(c, fail("not_found", { what: "item", id: itemId }).failure);
    return c.json({ ...gone.value, scrubbed: [], skipped: [] }, 200);
  });
  routes.openapi(versions, async (c) => {
    const { limit, cursor, q } = c.req.valid("query");
    const before = readNumberCursor(cursor);
    if (!before.ok) return problem(c, before.failure);
    const found = await ownDataset(parts, c.req.valid("param").id, c.get("caller"));
    if (!found.ok) return problem(c, found.failure);
    const page = await datasets.versions(found.value.id, { before: before.value, text: q, limit });
    const next = page.nextBefore === undefined ? {} : { next_cursor: String(page.nextBefore) };
    return c.json({ items: page.items.map(versionDto), ...next }, 200);
  });
  return routes;
}

export function datasetExportRoutes(parts: DatasetParts) {
  const { datasets } = parts;
  const routes = newRoutes("datasets");
  routes.openapi(exportRoute, async (c) => {
    const { format, version: asked } = c.req.valid("query");
    const found = await ownDataset(parts, c.req.valid("param").id, c.get("caller"));
    if (!found.ok) return problem(c, found.failure);
    const version = versionOf(found.value, asked);
    if (!version.ok) return problem(c, version.failure);
    const all = await everyItem(datasets, found.value.id, version.value);
    const file = fileOf(
      format,
      all.map(({ item }) => item),
    );
    const name = `dataset-${found.value.id}-v${version.value}.${format}`;
    return answer(
      c.body(file, 200, {
        "content-type": `${FILE_TYPES[format]}; charset=utf-8`,
        "content-disposition": `attachment; filename="${name}"`,
      }),
    );
  });
  return routes;
}
