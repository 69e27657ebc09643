/** /v1/schedules: scheduled work: the next run, for whom, the outcome of the last one; run now, pause, resume. */
import {
  Schedule,
  ScheduleCreate,
  ScheduleFired,
  ScheduleList,
  SchedulePatch,
  ScheduleQuery,
} from "@capstan/client/wire";
import type { CapabilityRegistry } from "@capstan/core";
import { fail, ok, type Result } from "@capstan/core";
import {
  type AgentStore,
  type Composer,
  type Database,
  fireSchedule,
  pageInMemory,
  type Schedule as ScheduleRecord,
  type ScheduleStore,
  type TriggerManager,
} from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import { uuidv7 } from "uuidv7";
import { isTheirs } from "../auth/ownership.ts";
import type { Caller } from "../http/caller.ts";
import { json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { hasText, wirePage } from "../http/list-page.ts";
import { problem } from "../http/problem.ts";
import { changesOf, mergedWith } from "../http/sent-back.ts";
import { describeSchedules } from "./describe-schedules.ts";

const ScheduleId = z.object({ id: z.string().max(64) });

const list = createRoute({
  operationId: "listSchedules",
  ...needs("schedule", "see"),
  method: "get",
  path: "/v1/schedules",
  summary: "Schedules, newest first, with their next run, their agent and the outcome of the last run",
  request: { query: ScheduleQuery },
  responses: { 200: json(ScheduleList, "Schedules.") },
});
const put = createRoute({
  operationId: "putSchedule",
  ...needs("schedule", "change"),
  method: "post",
  path: "/v1/schedules",
  summary: "Make or change a schedule",
  request: { body: jsonBody(ScheduleCreate) },
  responses: { 201: json(Schedule, "The schedule.") },
});
const patch = createRoute({
  operationId: "updateSchedule",
  ...needs("schedule", "change"),
  method: "patch",
  path: "/v1/schedules/{id}",
  summary: "Change the fields that are sent, such as `enabled` to pause it",
  request: { params: ScheduleId, body: jsonBody(SchedulePatch) },
  responses: { 200: json(Schedule, "The schedule as it is now.") },
});
const run = createRoute({
  operationId: "runSchedule",
  ...needs("schedule", "change"),
  method: "post",
  path: "/v1/schedules/{id}/run",
  summary: "Run a schedule once, now; its plan stays",
  request: { params: ScheduleId },
  responses: { 202: json(ScheduleFired, "Its trigger, and the session that handles it.") },
});
const remove = createRoute({
  operationId: "removeSchedule",
  ...needs("schedule", "change"),
  method: "delete",
  path: "/v1/schedules/{id}",
  summary: "Remove a schedule",
  request: { params: ScheduleId },
  responses: { 204: { description: "It is gone." } },
});

/** Changed by the server: not compared when a schedule is sent back. */
const FIGURES = ["last_fired_at", "next_run_at", "agent", "last_run"];
const NOT_THEIRS = {
  message: "A schedule runs with the rights of its user, and this key is someone else's.",
  nextStep: "Create it for yourself, or ask an admin.",
};

export interface ScheduleRouteParts {
  /** The folder of trigger files, and a look for new ones at once. */
  readonly triggers: Pick<TriggerManager, "root" | "look">;
  readonly schedules: ScheduleStore;
  readonly registry: CapabilityRegistry;
  readonly composer: Pick<Composer, "knows">;
  readonly agents: Pick<AgentStore, "using">;
  readonly database: Pick<Database, "reader">;
}

export function scheduleRoutes(parts: ScheduleRouteParts) {
  const { triggers, schedules: store } = parts;
  const { root } = triggers;
  const routes = newRoutes("schedules");
  const describe = (records: readonly ScheduleRecord[]) =>
    describeSchedules({ ...parts, root, now: new Date() }, records);
  const describeOne = async (record: ScheduleRecord): Promise<Schedule> => {
    const [described] = await describe([record]);
    if (!described) throw new Error("one schedule is described as one");
    return described;
  };
  const handledBy = async (agentId: string, found: readonly ScheduleRecord[]) => {
    const theirs = (await describe(found)).filter(({ agent }) => agent?.id === agentId);
    const ids = new Set(theirs.map(({ id }) => id));
    return found.filter(({ id }) => ids.has(id));
  };
  const theirs = async (id: string, caller: Caller): Promise<Result<ScheduleRecord>> => {
    const found = (await store.list()).find((each) => each.id === id);
    return found && isTheirs(caller, found.user) ? ok(found) : fail("not_found", { what: "schedule", id });
  };
  routes.openapi(list, async (c) => {
    const { capability, user, enabled, agent_id, q, ...page } = c.req.valid("query");
    const found = (await store.list()).filter(
      (each) =>
        isTheirs(c.get("caller"), each.user) &&
        (capability === undefined || each.capability === capability) &&
        (user === undefined || each.user === user) &&
        (enabled === undefined || String(each.enabled) === enabled) &&
        hasText(q, each.type, each.capability, each.user),
    );
    const handled = agent_id === undefined ? found : await handledBy(agent_id, found);
    const paged = pageInMemory(handled, page, { keyOf: ({ id }) => id });
    if (!paged.ok) return problem(c, paged.failure);
    const items = await describe(paged.value.items);
    return c.json(
      wirePage({ ...paged.value, items }, (item) => item),
      200,
    );
  });
  routes.openapi(put, async (c) => {
    const saved = await saveSchedule(parts, c.req.valid("json"), c.get("caller"));
    return saved.ok ? c.json(await describeOne(saved.value), 201) : problem(c, saved.failure);
  });
  routes.openapi(patch, async (c) => {
    const found = await theirs(c.req.valid("param").id, c.get("caller"));
    if (!found.ok) return problem(c, found.failure);
    const whole = patched(await describeOne(found.value), c.req.valid("json"));
    if (!whole.ok) return problem(c, whole.failure);
    const saved = whole.value ? await saveSchedule(parts, whole.value, c.get("caller")) : found;
    return saved.ok ? c.json(await describeOne(saved.value), 200) : problem(c, saved.failure);
  });
  routes.openapi(run, async (c) => {
    const found = await theirs(c.req.valid("param").id, c.get("caller"));
    if (!found.ok) return problem(c, found.failure);
    const id = await fireSchedule({ store, root }, found.value, new Date());
    triggers.look();
    return c.json({ trigger_id: id, session_id: id }, 202);
  });
  routes.openapi(remove, async (c) => {
    const { id } = c.req.valid("param");
    const found = await theirs(id, c.get("caller"));
    if (!found.ok) return problem(c, found.failure);
    await store.remove(id);
    return c.body(null, 204);
  });
  return routes;
}

async function saveSchedule(
  { schedules: store, registry, composer, agents }: ScheduleRouteParts,
  body: z.output<typeof ScheduleCreate>,
  caller: Caller,
): Promise<Result<ScheduleRecord>> {
  const known = registry.get(body.capability);
  if (!known.ok) return known;
  const user = body.user ?? caller.email;
  if (!(await composer.knows(body.capability, user)))
    return fail("capability_unknown", { id: body.capability, nearest: [] });
  if (body.agent_id !== null && !(await lists(agents, body.capability, user, body.agent_id)))
    return fail("not_found", { what: `agent with the capability ${body.capability}`, id: body.agent_id });
  const older = (await store.list()).find(({ id }) => id === body.id);
  if (!isTheirs(caller, user) || !isTheirs(caller, older?.user ?? user)) return fail("forbidden", NOT_THEIRS);
  return store.put(scheduleRecord(body, user, older));
}

/** Only an agent of the schedule's own user, as without a choice. */
const lists = async (agents: ScheduleRouteParts["agents"], capability: string, owner: string, id: string) =>
  (await agents.using(capability, { owner })).some((agent) => agent.id === id);

/** The whole schedule after a change; undefined: nothing changes. */
function patched(
  current: Schedule,
  patch: z.output<typeof SchedulePatch>,
): Result<z.output<typeof ScheduleCreate> | undefined> {
  const parts = { schema: SchedulePatch, what: "schedule", current, figures: FIGURES };
  const changes = changesOf(parts, patch);
  if (!changes.ok || Object.keys(changes.value).length === 0) return changes.ok ? ok(undefined) : changes;
  return mergedWith(ScheduleCreate, current, changes.value);
}

/** What fell due during a pause is not caught up. */
const switched = (schedule: ScheduleRecord, enabled: boolean): ScheduleRecord => ({
  ...schedule,
  enabled,
  ...(enabled && !schedule.enabled && { resumedAt: new Date() }),
});

/** A change keeps the schedule's history. */
function scheduleRecord(
  fields: z.output<typeof ScheduleCreate>,
  user: string,
  older: ScheduleRecord | undefined,
): ScheduleRecord {
  const { capability, cron, timezone, type, payload, routing, agent_id, enabled } = fields;
  const made = {
    id: fields.id ?? uuidv7(),
    capability,
    user,
    cron,
    timezone,
    type,
    payload,
    ...(routing && { routing }),
    ...(agent_id !== null && { agentId: agent_id }),
    lastFiredAt: older?.lastFiredAt,
    resumedAt: older?.resumedAt,
    createdAt: older?.createdAt ?? new Date(),
  };
  return switched({ ...made, enabled: older?.enabled ?? enabled }, enabled);
}
