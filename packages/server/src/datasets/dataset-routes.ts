/** /v1/datasets: cases to measure agents on. */
import { Dataset, DatasetCreate, DatasetPage, DatasetPatch, DatasetQuery } from "@capstan/client/wire";
import { fail } from "@capstan/core";
import { isUuid } from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import { ownerFilter } from "../auth/ownership.ts";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { changesOf } from "../http/sent-back.ts";
import { datasetDto } from "./dataset-dto.ts";
import { type DatasetParts, ownDataset } from "./import-items.ts";

const list = createRoute({
  operationId: "listDatasets",
  ...needs("dataset", "see"),
  method: "get",
  path: "/v1/datasets",
  summary: "Datasets, newest first",
  request: { query: DatasetQuery },
  responses: { 200: json(DatasetPage, "Datasets.") },
});
const create = createRoute({
  operationId: "createDataset",
  ...needs("dataset", "change"),
  method: "post",
  path: "/v1/datasets",
  summary: "Create an empty dataset",
  request: { body: jsonBody(DatasetCreate) },
  responses: { 201: json(Dataset, "The dataset.") },
});
const get = createRoute({
  operationId: "getDataset",
  ...needs("dataset", "see"),
  method: "get",
  path: "/v1/datasets/{id}",
  summary: "One dataset",
  request: { params: Id },
  responses: { 200: json(Dataset, "The dataset.") },
});
const update = createRoute({
  operationId: "updateDataset",
  ...needs("dataset", "change"),
  method: "patch",
  path: "/v1/datasets/{id}",
  summary: "Rename or describe a dataset",
  request: { params: Id, body: jsonBody(DatasetPatch) },
  responses: { 200: json(Dataset, "The dataset as it is now.") },
});
const remove = createRoute({
  operationId: "deleteDataset",
  ...needs("dataset", "change"),
  method: "delete",
  path: "/v1/datasets/{id}",
  summary: "Delete a dataset with all its versions",
  request: { params: Id },
  responses: { 204: { description: "It is deleted." } },
});

export function datasetRoutes(parts: DatasetParts) {
  const { datasets, audit } = parts;
  const routes = newRoutes("datasets");
  routes.openapi(list, async (c) => {
    const { limit, cursor, name, q: text } = c.req.valid("query");
    if (cursor !== undefined && !isUuid(cursor))
      return problem(c, fail("cursor_invalid", { cursor }).failure);
    const owner = ownerFilter(c.get("caller"));
    const page = await datasets.list({ owner, before: cursor, name, text, limit });
    const { nextCursor } = page;
    return c.json({ items: page.items.map(datasetDto), ...(nextCursor && { next_cursor: nextCursor }) }, 200);
  });
  routes.openapi(create, async (c) => {
    const caller = c.get("caller");
    const made = await datasets.create({ owner: caller.email, ...c.req.valid("json") });
    if (!made.ok) return problem(c, made.failure);
    const { id, name } = made.value;
    await audit.add({ actor: caller.email, action: "dataset.created", subject: id, details: { name } });
    return c.json(datasetDto(made.value), 201);
  });
  routes.openapi(get, async (c) => {
    const found = await ownDataset(parts, c.req.valid("param").id, c.get("caller"));
    return found.ok ? c.json(datasetDto(found.value), 200) : problem(c, found.failure);
  });
  routes.openapi(update, async (c) => {
    const found = await ownDataset(parts, c.req.valid("param").id, c.get("caller"));
    if (!found.ok) return problem(c, found.failure);
    const current = datasetDto(found.value);
    const changes = changesOf({ schema: DatasetPatch, what: "dataset", current }, c.req.valid("json"));
    if (!changes.ok) return problem(c, changes.failure);
    if (Object.keys(changes.value).length === 0) return c.json(current, 200);
    const changed = await datasets.change(found.value.id, changes.value);
    return changed.ok ? c.json(datasetDto(changed.value), 200) : problem(c, changed.failure);
  });
  routes.openapi(remove, async (c) => {
    const caller = c.get("caller");
    const found = await ownDataset(parts, c.req.valid("param").id, caller);
    if (!found.ok) return problem(c, found.failure);
    const { id, name } = found.value;
    await datasets.remove(id);
    await audit.add({ actor: caller.email, action: "dataset.deleted", subject: id, details: { name } });
    return c.body(null, 204);
  });
  return routes;
}
