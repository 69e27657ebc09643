/** /v1/replays: recorded runs, run again with a change, and the differences. Nothing with side effects runs. */
import {
  listQueries,
  Replay,
  ReplayCreate,
  ReplayedRun,
  ReplayPage,
  ReplayQuery,
  ReplayReport,
  ReplayRunParams,
} from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import {
  type AgentSharings,
  type AuditLog,
  agentsOfRuns,
  type Composer,
  type ConfigSeal,
  type Database,
  isUuid,
  type LeasedWorker,
  type Models,
  type ReplayRecord,
  type ReplayStore,
  type RevisionStore,
  readNumberCursor,
  readRecording,
  selectRuns,
} from "@capstan/runtime";
import { createRoute, type z } from "@hono/zod-openapi";
import { isTheirs, ownerFilter } from "../auth/ownership.ts";
import type { Caller } from "../http/caller.ts";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { checkAgents, checkChange } from "./check-change.ts";
import { changeOf, comparisonDto, replayDto, replayedRunDto, selectionOf } from "./replay-dto.ts";

const create = createRoute({
  operationId: "createReplay",
  ...needs("replay", "change"),
  method: "post",
  path: "/v1/replays",
  summary: "Run recorded runs again with a change; tool results come from the recording",
  request: { body: jsonBody(ReplayCreate) },
  responses: { 202: json(Replay, "It has started; `GET /v1/replays/{id}` says how far it is.") },
});
const list = createRoute({
  operationId: "listReplays",
  ...needs("replay", "see"),
  method: "get",
  path: "/v1/replays",
  summary: "Replays, newest first",
  request: { query: listQueries.ReplayListQuery },
  responses: { 200: json(ReplayPage, "Replays.") },
});
const get = createRoute({
  operationId: "getReplay",
  ...needs("replay", "see"),
  method: "get",
  path: "/v1/replays/{id}",
  summary: "How far a replay is, with one comparison per run",
  request: { params: Id, query: ReplayQuery },
  responses: { 200: json(ReplayReport, "The replay.") },
});
const ofRun = createRoute({
  operationId: "getReplayedRun",
  ...needs("replay", "see"),
  method: "get",
  path: "/v1/replays/{id}/runs/{run_id}",
  summary: "One run and its replay, side by side",
  request: { params: ReplayRunParams },
  responses: { 200: json(ReplayedRun, "Both conversations and how they differ.") },
});
const cancel = createRoute({
  operationId: "cancelReplay",
  ...needs("replay", "change"),
  method: "post",
  path: "/v1/replays/{id}/cancel",
  summary: "Stop a replay; what it has compared stays",
  request: { params: Id },
  responses: { 200: json(Replay, "The replay as it is now.") },
});
const remove = createRoute({
  operationId: "deleteReplay",
  ...needs("replay", "change"),
  method: "delete",
  path: "/v1/replays/{id}",
  summary: "Delete a replay and its comparisons",
  request: { params: Id },
  responses: { 204: { description: "It is deleted." } },
});

export interface ReplayRouteParts {
  readonly database: Pick<Database, "pool">;
  readonly replays: ReplayStore;
  readonly worker: LeasedWorker;
  readonly configSeal: Pick<ConfigSeal, "seal">;
  readonly models: Pick<Models, "check">;
  readonly audit: AuditLog;
  readonly sharing: AgentSharings;
  readonly composer: Pick<Composer, "knows">;
  readonly revisions: Pick<RevisionStore, "labels">;
}

export function replayRoutes(parts: ReplayRouteParts) {
  const { database, replays, worker } = parts;
  const routes = newRoutes("replays");
  const own = async (id: string, caller: Caller): Promise<Result<ReplayRecord>> => {
    const found = await replays.get(id);
    return found.ok && !isTheirs(caller, found.value.owner)
      ? fail("not_found", { what: "replay", id })
      : found;
  };

  routes.openapi(create, async (c) => {
    const made = await createReplay(parts, c.get("caller"), c.req.valid("json"));
    return made.ok ? c.json(replayDto(made.value), 202) : problem(c, made.failure);
  });
  routes.openapi(list, async (c) => {
    const { limit, cursor, agent_id: agentId, status, q: text } = c.req.valid("query");
    if (cursor !== undefined && !isUuid(cursor))
      return problem(c, fail("cursor_invalid", { cursor }).failure);
    const { items, nextCursor } = await replays.list({
      owner: ownerFilter(c.get("caller")),
      before: cursor,
      agentId,
      status,
      text,
      limit,
    });
    return c.json({ items: items.map(replayDto), ...(nextCursor && { next_cursor: nextCursor }) }, 200);
  });
  routes.openapi(get, async (c) => {
    const { limit, cursor, verdict } = c.req.valid("query");
    const after = readNumberCursor(cursor);
    if (!after.ok) return problem(c, after.failure);
    const found = await own(c.req.valid("param").id, c.get("caller"));
    if (!found.ok) return problem(c, found.failure);
    const page = { owner: ownerFilter(c.get("caller")), limit, after: after.value, verdict };
    const { items, nextAfter } = await replays.items(found.value.id, page);
    return c.json(
      {
        ...replayDto(found.value),
        comparisons: items.map(comparisonDto),
        ...(nextAfter !== undefined && { next_cursor: String(nextAfter) }),
      },
      200,
    );
  });
  routes.openapi(ofRun, async (c) => {
    const { id, run_id: runId } = c.req.valid("param");
    const found = await own(id, c.get("caller"));
    if (!found.ok) return problem(c, found.failure);
    const [item, recording] = await Promise.all([
      replays.item(id, runId, ownerFilter(c.get("caller"))),
      readRecording(database.pool, runId),
    ]);
    if (!item.ok) return problem(c, item.failure);
    return c.json(replayedRunDto(item.value, recording.ok ? recording.value.messages : []), 200);
  });
  routes.openapi(cancel, async (c) => {
    const found = await own(c.req.valid("param").id, c.get("caller"));
    if (!found.ok) return problem(c, found.failure);
    const cancelled = await replays.cancel(found.value.id);
    worker.stop(found.value.id);
    return cancelled.ok ? c.json(replayDto(cancelled.value), 200) : problem(c, cancelled.failure);
  });
  routes.openapi(remove, async (c) => {
    const found = await own(c.req.valid("param").id, c.get("caller"));
    if (!found.ok) return problem(c, found.failure);
    const gone = await replays.remove(found.value.id);
    worker.stop(found.value.id);
    return gone.ok ? c.body(null, 204) : problem(c, gone.failure);
  });
  return routes;
}

async function createReplay(
  parts: ReplayRouteParts,
  caller: Caller,
  body: z.output<typeof ReplayCreate>,
): Promise<Result<ReplayRecord>> {
  const { database, replays, worker, audit } = parts;
  const allowed = await checkChange(parts, caller, body);
  if (!allowed.ok) return allowed;
  const runIds = await selectRuns(database.pool, selectionOf(body), ownerFilter(caller));
  if (!runIds.ok) return runIds;
  const revision = await revisionNumber(parts, body.with.revision, runIds.value);
  if (!revision.ok) return revision;
  const usable = await checkAgents(parts, caller, runIds.value, revision.value);
  if (!usable.ok) return usable;
  const made = await replays.create({
    owner: caller.email,
    change: changeOf({ ...body.with, revision: revision.value }, parts.configSeal.seal),
    runIds: runIds.value,
    liveReads: body.live_reads,
    standIns: body.stand_ins as ReplayRecord["standIns"], // any JSON value, as parsed
    concurrency: body.concurrency,
    budgetUsd: body.budget_usd,
  });
  worker.wake();
  const details = { runs: runIds.value.length, live_reads: body.live_reads };
  await audit.add({ actor: caller.email, action: "replay.created", subject: made.id, details });
  return ok(made);
}

/** A label is resolved once, for the whole replay. */
async function revisionNumber(
  { database, revisions }: Pick<ReplayRouteParts, "database" | "revisions">,
  asked: z.output<typeof ReplayCreate>["with"]["revision"],
  runIds: readonly string[],
): Promise<Result<number | undefined>> {
  if (typeof asked !== "string") return ok(asked);
  const [agentId = "", ...others] = await agentsOfRuns(database.pool, runIds);
  if (others.length > 0)
    return fail("input_invalid", {
      where: `with.revision: "${asked}" is a label of one agent, but the runs are of ${others.length + 1}; choose runs of one`,
    });
  const labels = await revisions.labels(agentId);
  if (!labels.ok) return labels;
  const found = labels.value.find(({ label }) => label === asked);
  return found ? ok(found.revision) : fail("not_found", { what: "revision with the label", id: asked });
}
