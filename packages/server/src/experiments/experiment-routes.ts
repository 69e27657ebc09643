/** /v1/experiments: variants of an agent, measured on a dataset. Nothing with side effects runs. */
import {
  Experiment,
  ExperimentCreate,
  ExperimentPage,
  ExperimentQuery,
  ExperimentReport,
  ScorerList,
} from "@capstan/client/wire";
import { fail } from "@capstan/core";
import { isUuid } from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import { ownerFilter } from "../auth/ownership.ts";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { ownExperiment } from "./cell-routes.ts";
import { createExperiment, type ExperimentParts } from "./create-experiment.ts";
import { experimentDto, figuresOf } from "./experiment-dto.ts";

const create = createRoute({
  operationId: "createExperiment",
  ...needs("experiment", "change"),
  method: "post",
  path: "/v1/experiments",
  summary: "Try variants of an agent on every item of a dataset, and score them",
  request: { body: jsonBody(ExperimentCreate) },
  responses: { 202: json(Experiment, "It has started; `GET /v1/experiments/{id}` says how far it is.") },
});
const list = createRoute({
  operationId: "listExperiments",
  ...needs("experiment", "see"),
  method: "get",
  path: "/v1/experiments",
  summary: "Experiments, newest first",
  request: { query: ExperimentQuery },
  responses: { 200: json(ExperimentPage, "Experiments.") },
});
const get = createRoute({
  operationId: "getExperiment",
  ...needs("experiment", "see"),
  method: "get",
  path: "/v1/experiments/{id}",
  summary: "How far an experiment is, and what it has found: means, differences, regressions, flaky items",
  request: { params: Id },
  responses: { 200: json(ExperimentReport, "The experiment with its figures.") },
});
const cancel = createRoute({
  operationId: "cancelExperiment",
  ...needs("experiment", "change"),
  method: "post",
  path: "/v1/experiments/{id}/cancel",
  summary: "Stop an experiment; what it has scored stays",
  request: { params: Id },
  responses: { 200: json(Experiment, "The experiment as it is now.") },
});
const remove = createRoute({
  operationId: "deleteExperiment",
  ...needs("experiment", "change"),
  method: "delete",
  path: "/v1/experiments/{id}",
  summary: "Delete an experiment and its cells",
  request: { params: Id },
  responses: { 204: { description: "It is deleted." } },
});
const scorers = createRoute({
  operationId: "listScorers",
  ...needs("experiment", "see"),
  method: "get",
  path: "/v1/scorers",
  summary: "Scorers of `capstan.config.ts`, for scorers of type `code`",
  responses: { 200: json(ScorerList, "Scorers.") },
});

export function experimentRoutes(parts: ExperimentParts) {
  const { experiments, worker, audit } = parts;
  const routes = newRoutes("experiments");
  routes.openapi(create, async (c) => {
    const made = await createExperiment(parts, c.get("caller"), c.req.valid("json"));
    return made.ok ? c.json(experimentDto(made.value), 202) : problem(c, made.failure);
  });
  routes.openapi(list, async (c) => {
    const { limit, cursor, status, q: text, ...filter } = c.req.valid("query");
    if (cursor !== undefined && !isUuid(cursor))
      return problem(c, fail("cursor_invalid", { cursor }).failure);
    const owner = ownerFilter(c.get("caller"));
    const { items, nextCursor } = await experiments.list({
      owner,
      before: cursor,
      datasetId: filter.dataset_id,
      agentId: filter.agent_id,
      status,
      text,
      limit,
    });
    return c.json({ items: items.map(experimentDto), ...(nextCursor && { next_cursor: nextCursor }) }, 200);
  });
  routes.openapi(get, async (c) => {
    const found = await ownExperiment(parts, c.req.valid("param").id, c.get("caller"));
    if (!found.ok) return problem(c, found.failure);
    const figures = figuresOf(found.value, await experiments.scores(found.value.id));
    return c.json({ ...experimentDto(found.value), figures }, 200);
  });
  routes.openapi(cancel, async (c) => {
    const found = await ownExperiment(parts, c.req.valid("param").id, c.get("caller"));
    if (!found.ok) return problem(c, found.failure);
    const cancelled = await experiments.cancel(found.value.id);
    worker.stop(found.value.id);
    return cancelled.ok ? c.json(experimentDto(cancelled.value), 200) : problem(c, cancelled.failure);
  });
  routes.openapi(remove, async (c) => {
    const caller = c.get("caller");
    const found = await ownExperiment(parts, c.req.valid("param").id, caller);
    if (!found.ok) return problem(c, found.failure);
    await experiments.remove(found.value.id);
    worker.stop(found.value.id);
    await audit.add({
      actor: caller.email,
      action: "experiment.deleted",
      subject: found.value.id,
      details: {},
    });
    return c.body(null, 204);
  });
  routes.openapi(scorers, async (c) =>
    c.json({ items: parts.scorers.map(({ name, description }) => ({ name, description })) }, 200),
  );
  return routes;
}
