/** The cells of an experiment: each variant's answer, calls and scores, and the queue for human review. */
import {
  CellParams,
  CellQuery,
  ExperimentCell,
  ExperimentCellPage,
  ExperimentTrace,
  PageQuery,
  ReviewCreate,
  ReviewPage,
} from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import {
  type CellRecord,
  type ExperimentRecord,
  type ExperimentStore,
  readNumberCursor,
} from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import { isTheirs } from "../auth/ownership.ts";
import type { Caller } from "../http/caller.ts";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { cellDto, reviewDto, traceDto } from "./experiment-dto.ts";

const cells = createRoute({
  operationId: "listExperimentCells",
  ...needs("experiment", "see"),
  method: "get",
  path: "/v1/experiments/{id}/cells",
  summary: "The cells of an experiment: one item with one variant, and its scores",
  request: { params: Id, query: CellQuery },
  responses: { 200: json(ExperimentCellPage, "Cells.") },
});
const cell = createRoute({
  operationId: "getExperimentCell",
  ...needs("experiment", "see"),
  method: "get",
  path: "/v1/experiments/{id}/cells/{cell_id}",
  summary: "One cell with its trace: what was said, called and answered",
  request: { params: CellParams },
  responses: { 200: json(ExperimentTrace, "The cell.") },
});
const queue = createRoute({
  operationId: "listReviews",
  ...needs("experiment", "see"),
  method: "get",
  path: "/v1/experiments/{id}/reviews",
  summary: "Cells that wait for your score",
  request: { params: Id, query: PageQuery },
  responses: { 200: json(ReviewPage, "Cells with the questions that are open.") },
});
const review = createRoute({
  operationId: "reviewCell",
  ...needs("experiment", "use"),
  method: "post",
  path: "/v1/experiments/{id}/cells/{cell_id}/reviews",
  summary: "Score a cell in person; a second score of yours replaces the first",
  request: { params: CellParams, body: jsonBody(ReviewCreate) },
  responses: { 200: json(ExperimentCell, "The cell as it is now.") },
});

interface CellParts {
  readonly experiments: ExperimentStore;
}

/** Another's experiment looks as if it did not exist. */
export async function ownExperiment(
  { experiments }: CellParts,
  id: string,
  caller: Caller,
): Promise<Result<ExperimentRecord>> {
  const found = await experiments.get(id);
  return found.ok && !isTheirs(caller, found.value.owner)
    ? fail("not_found", { what: "experiment", id })
    : found;
}

async function ownCell(
  parts: CellParts,
  { id, cell_id: cellId }: { id: string; cell_id: string },
  caller: Caller,
): Promise<Result<{ readonly experiment: ExperimentRecord; readonly cell: CellRecord }>> {
  const experiment = await ownExperiment(parts, id, caller);
  if (!experiment.ok) return experiment;
  const found = await parts.experiments.cell(id, cellId);
  return found.ok ? ok({ experiment: experiment.value, cell: found.value }) : found;
}

export function cellRoutes(parts: CellParts) {
  const { experiments } = parts;
  const routes = newRoutes("experiments");
  routes.openapi(cells, async (c) => {
    const { limit, cursor, variant, item_id: itemId, status } = c.req.valid("query");
    const after = readNumberCursor(cursor);
    if (!after.ok) return problem(c, after.failure);
    const found = await ownExperiment(parts, c.req.valid("param").id, c.get("caller"));
    if (!found.ok) return problem(c, found.failure);
    const { id, scorers } = found.value;
    const page = await experiments.cells(id, { variant, itemId, status, after: after.value, limit });
    return c.json({ items: page.items.map((each) => cellDto(each, scorers)), ...nextOf(page) }, 200);
  });
  routes.openapi(cell, async (c) => {
    const found = await ownCell(parts, c.req.valid("param"), c.get("caller"));
    if (!found.ok) return problem(c, found.failure);
    return c.json(traceDto(found.value.cell, found.value.experiment.scorers), 200);
  });
  routes.openapi(queue, async (c) => {
    const caller = c.get("caller");
    const { limit, cursor } = c.req.valid("query");
    const after = readNumberCursor(cursor);
    if (!after.ok) return problem(c, after.failure);
    const found = await ownExperiment(parts, c.req.valid("param").id, caller);
    if (!found.ok) return problem(c, found.failure);
    const { id, scorers } = found.value;
    const page = await experiments.toReview(id, caller.email, { after: after.value, limit });
    return c.json(
      { items: page.items.map((each) => reviewDto(each, scorers, caller.email)), ...nextOf(page) },
      200,
    );
  });
  routes.openapi(review, async (c) => {
    const caller = c.get("caller");
    const given = c.req.valid("json");
    const found = await ownCell(parts, c.req.valid("param"), caller);
    if (!found.ok) return problem(c, found.failure);
    const { experiment, cell: of } = found.value;
    const isAsked = (of.scores ?? []).some(({ scorer, pending }) => pending && scorer === given.scorer);
    if (!isAsked)
      return problem(c, fail("not_found", { what: "question to people", id: given.scorer }).failure);
    await experiments.review(of.id, { ...given, by: caller.email });
    const now = await experiments.cell(experiment.id, of.id);
    return now.ok ? c.json(cellDto(now.value, experiment.scorers), 200) : problem(c, now.failure);
  });
  return routes;
}

const nextOf = ({ nextAfter }: { nextAfter?: number }) =>
  nextAfter === undefined ? {} : { next_cursor: String(nextAfter) };
