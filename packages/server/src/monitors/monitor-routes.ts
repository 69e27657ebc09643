/** /v1/monitors: a share of live runs is scored in the background; drift between revisions raises an alert. */
import { monitorWire, PageQuery } from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import { isUuid, type MonitorRecord } from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import { isTheirs, ownerFilter } from "../auth/ownership.ts";
import type { Caller } from "../http/caller.ts";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { wirePage } from "../http/list-page.ts";
import { problem } from "../http/problem.ts";
import { checkWebhook, createMonitor, type MonitorParts } from "./create-monitor.ts";
import { alertDto, monitorDto, revisionsDto, scoreDto, settingsOf, storedSettings } from "./monitor-dto.ts";

const create = createRoute({
  operationId: "createMonitor",
  ...needs("monitor", "change"),
  method: "post",
  path: "/v1/monitors",
  summary: "Score a share of an agent's live runs from now on",
  request: { body: jsonBody(monitorWire.MonitorCreate) },
  responses: { 201: json(monitorWire.Monitor, "The monitor.") },
});
const list = createRoute({
  operationId: "listMonitors",
  ...needs("monitor", "see"),
  method: "get",
  path: "/v1/monitors",
  summary: "Monitors, newest first",
  request: { query: monitorWire.MonitorQuery },
  responses: { 200: json(monitorWire.MonitorPage, "Monitors.") },
});
const get = createRoute({
  operationId: "getMonitor",
  ...needs("monitor", "see"),
  method: "get",
  path: "/v1/monitors/{id}",
  summary: "One monitor, with the mean scores of each revision",
  request: { params: Id },
  responses: { 200: json(monitorWire.MonitorReport, "The monitor with its figures.") },
});
const change = createRoute({
  operationId: "changeMonitor",
  ...needs("monitor", "change"),
  method: "patch",
  path: "/v1/monitors/{id}",
  summary: "Change the fields that are sent; `status` pauses it. Runs of a pause are not scored",
  request: { params: Id, body: jsonBody(monitorWire.MonitorPatch) },
  responses: { 200: json(monitorWire.Monitor, "The monitor as it is now.") },
});
const remove = createRoute({
  operationId: "deleteMonitor",
  ...needs("monitor", "change"),
  method: "delete",
  path: "/v1/monitors/{id}",
  summary: "Delete a monitor with its scores and alerts",
  request: { params: Id },
  responses: { 204: { description: "It is deleted." } },
});
const scores = createRoute({
  operationId: "listMonitorScores",
  ...needs("monitor", "see"),
  method: "get",
  path: "/v1/monitors/{id}/scores",
  summary: "The runs that were chosen, with their scores, newest first",
  request: { params: Id, query: monitorWire.MonitorScoreQuery },
  responses: { 200: json(monitorWire.MonitorScorePage, "Runs of sessions that you may see.") },
});
const alerts = createRoute({
  operationId: "listMonitorAlerts",
  ...needs("monitor", "see"),
  method: "get",
  path: "/v1/monitors/{id}/alerts",
  summary: "Alerts of a monitor, newest first",
  request: { params: Id, query: PageQuery },
  responses: { 200: json(monitorWire.MonitorAlertPage, "Alerts.") },
});
const acknowledge = createRoute({
  operationId: "acknowledgeAlert",
  ...needs("monitor", "change"),
  method: "post",
  path: "/v1/monitors/{id}/alerts/{alert_id}/acknowledge",
  summary: "Say that you have seen an alert; it no longer counts as open",
  request: { params: monitorWire.AlertParams },
  responses: { 200: json(monitorWire.MonitorAlert, "The alert.") },
});

export function monitorRoutes(parts: MonitorParts) {
  const { monitors, audit } = parts;
  const routes = newRoutes("monitors");
  const own = (id: string, caller: Caller) => ownMonitor(parts, id, caller);
  routes.openapi(create, async (c) => {
    const made = await createMonitor(parts, c.get("caller"), c.req.valid("json"));
    return made.ok ? c.json(monitorDto(made.value), 201) : problem(c, made.failure);
  });
  routes.openapi(list, async (c) => {
    const { limit, cursor, agent_id: agentId, status, q: text } = c.req.valid("query");
    const before = idCursor(cursor);
    if (!before.ok) return problem(c, before.failure);
    const owner = ownerFilter(c.get("caller"));
    const page = await monitors.list({ owner, before: before.value, agentId, status, text, limit });
    return c.json(wirePage(page, monitorDto), 200);
  });
  routes.openapi(get, async (c) => {
    const found = await own(c.req.valid("param").id, c.get("caller"));
    if (!found.ok) return problem(c, found.failure);
    const revisions = revisionsDto(await monitors.byRevision(found.value.id));
    return c.json({ ...monitorDto(found.value), revisions }, 200);
  });
  routes.openapi(change, async (c) => {
    const caller = c.get("caller");
    const found = await own(c.req.valid("param").id, caller);
    if (!found.ok) return problem(c, found.failure);
    const sent = monitorWire.MonitorSettings.parse({ ...settingsOf(found.value), ...c.req.valid("json") });
    const reachable = await checkWebhook(parts, c.req.valid("json").webhook);
    if (!reachable.ok) return problem(c, reachable.failure);
    const changed = await monitors.change(found.value.id, storedSettings(sent));
    if (!changed.ok) return problem(c, changed.failure);
    const entry = { actor: caller.email, action: "monitor.changed", subject: changed.value.id };
    await audit.add({ ...entry, details: { ...c.req.valid("json") } });
    return c.json(monitorDto(changed.value), 200);
  });
  routes.openapi(remove, async (c) => {
    const caller = c.get("caller");
    const found = await own(c.req.valid("param").id, caller);
    if (!found.ok) return problem(c, found.failure);
    await monitors.remove(found.value.id);
    const entry = { actor: caller.email, action: "monitor.deleted", subject: found.value.id };
    await audit.add({ ...entry, details: {} });
    return c.body(null, 204);
  });
  addResults(routes, parts);
  return routes;
}

/** What was scored, and the alerts. */
function addResults(routes: ReturnType<typeof newRoutes>, parts: MonitorParts): void {
  const { monitors, audit } = parts;
  const own = (id: string, caller: Caller) => ownMonitor(parts, id, caller);
  routes.openapi(scores, async (c) => {
    const caller = c.get("caller");
    const { limit, cursor, revision } = c.req.valid("query");
    const before = idCursor(cursor);
    if (!before.ok) return problem(c, before.failure);
    const found = await own(c.req.valid("param").id, caller);
    if (!found.ok) return problem(c, found.failure);
    const asked = { owner: ownerFilter(caller), revision, before: before.value, limit };
    return c.json(wirePage(await monitors.scores(found.value.id, asked), scoreDto), 200);
  });
  routes.openapi(alerts, async (c) => {
    const { limit, cursor } = c.req.valid("query");
    const before = idCursor(cursor);
    if (!before.ok) return problem(c, before.failure);
    const found = await own(c.req.valid("param").id, c.get("caller"));
    if (!found.ok) return problem(c, found.failure);
    const page = await monitors.alerts(found.value.id, { before: before.value, limit });
    return c.json(wirePage(page, alertDto), 200);
  });
  routes.openapi(acknowledge, async (c) => {
    const caller = c.get("caller");
    const { id, alert_id } = c.req.valid("param");
    const found = await own(id, caller);
    const seen = found.ok ? await monitors.acknowledge(found.value.id, alert_id, caller.email) : found;
    if (!seen.ok) return problem(c, seen.failure);
    const entry = { actor: caller.email, action: "monitor.alert_acknowledged", subject: seen.value.id };
    await audit.add({ ...entry, details: { monitor: id } });
    return c.json(alertDto(seen.value), 200);
  });
}

async function ownMonitor(
  { monitors }: MonitorParts,
  id: string,
  caller: Caller,
): Promise<Result<MonitorRecord>> {
  const found = await monitors.get(id);
  if (!found.ok || isTheirs(caller, found.value.owner)) return found;
  return fail("not_found", { what: "monitor", id });
}

const idCursor = (cursor: string | undefined): Result<string | undefined> =>
  cursor === undefined || isUuid(cursor) ? ok(cursor) : fail("cursor_invalid", { cursor });
