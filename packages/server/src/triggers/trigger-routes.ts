/** /v1/triggers and /v1/schedules: triggers sent by services, their outcome, and schedules. */

import {
  Schedule,
  ScheduleCreate,
  ScheduleList,
  TriggerInfo,
  TriggerList,
  TriggerQuery,
} from "@capstan/client/wire";
import type { CapabilityRegistry } from "@capstan/core";
import { fail } from "@capstan/core";
import {
  dropTrigger,
  listTriggers,
  retryTrigger,
  type Schedule as ScheduleRecord,
  type ScheduleStore,
  type TriggerManager,
} from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import { uuidv7 } from "uuidv7";
import { isTheirs, ownerFilter } from "../auth/ownership.ts";
import { json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";

const list = createRoute({
  operationId: "listTriggers",
  ...needs("trigger", "see"),
  method: "get",
  path: "/v1/triggers",
  tags: ["triggers"],
  summary: "Triggers in pages, failed and invalid ones first",
  request: {
    query: TriggerQuery,
  },
  responses: { 200: json(TriggerList, "Triggers.") },
});
const change = createRoute({
  operationId: "changeTrigger",
  ...needs("trigger", "use"),
  method: "post",
  path: "/v1/triggers/{id}/{verb}",
  tags: ["triggers"],
  summary: "Retry a failed trigger, or drop one",
  request: { params: z.object({ id: z.string().max(100), verb: z.enum(["retry", "drop"]) }) },
  responses: { 200: json(TriggerInfo, "The trigger.") },
});
const schedules = createRoute({
  operationId: "listSchedules",
  ...needs("schedule", "see"),
  method: "get",
  path: "/v1/schedules",
  tags: ["triggers"],
  summary: "Schedules: cron expressions that send triggers",
  responses: { 200: json(ScheduleList, "Schedules.") },
});
const putSchedule = createRoute({
  operationId: "putSchedule",
  ...needs("schedule", "change"),
  method: "post",
  path: "/v1/schedules",
  tags: ["triggers"],
  summary: "Create or update a schedule",
  request: { body: jsonBody(ScheduleCreate) },
  responses: { 201: json(Schedule, "The schedule.") },
});
const removeSchedule = createRoute({
  operationId: "removeSchedule",
  ...needs("schedule", "change"),
  method: "delete",
  path: "/v1/schedules/{id}",
  tags: ["triggers"],
  summary: "Remove a schedule",
  request: { params: z.object({ id: z.string().max(64) }) },
  responses: { 204: { description: "Deleted." } },
});

const NOT_THEIRS = {
  message: "A schedule runs with the rights of its user, but this key belongs to someone else.",
  nextStep: "Create it for yourself, or ask an admin.",
};

export interface TriggerRouteParts {
  /** The folder of trigger files, and a look for new ones at once. */
  readonly triggers: Pick<TriggerManager, "root" | "look">;
  readonly schedules: ScheduleStore;
  readonly registry: CapabilityRegistry;
}

export function triggerRoutes({ triggers, schedules: store, registry }: TriggerRouteParts) {
  const triggerRoot = triggers.root;
  const routes = newRoutes();
  routes.openapi(list, async (c) => {
    const query = c.req.valid("query");
    const user = ownerFilter(c.get("caller")) ?? query.user;
    return c.json(await listTriggers(triggerRoot, { ...query, user }), 200);
  });
  routes.openapi(change, async (c) => {
    const { id, verb } = c.req.valid("param");
    const changed = await (verb === "retry" ? retryTrigger : dropTrigger)(
      triggerRoot,
      id,
      ownerFilter(c.get("caller")),
    );
    if (!changed.ok) return problem(c, changed.failure);
    triggers.look();
    return c.json({ ...changed.value }, 200);
  });
  routes.openapi(schedules, async (c) => {
    const all = await store.list();
    const items = all.filter(({ user }) => isTheirs(c.get("caller"), user)).map(scheduleDto);
    return c.json({ items, total: items.length }, 200);
  });
  routes.openapi(putSchedule, async (c) => {
    const body = c.req.valid("json");
    const known = registry.get(body.capability);
    if (!known.ok) return problem(c, known.failure);
    const caller = c.get("caller");
    const user = body.user ?? caller.email;
    const older = (await store.list()).find(({ id }) => id === body.id);
    if (!isTheirs(caller, user) || !isTheirs(caller, older?.user ?? user))
      return problem(c, fail("forbidden", NOT_THEIRS).failure);
    const saved = await store.put(scheduleRecord(body, user, older));
    return saved.ok ? c.json(scheduleDto(saved.value), 201) : problem(c, saved.failure);
  });
  routes.openapi(removeSchedule, async (c) => {
    const { id } = c.req.valid("param");
    const found = (await store.list()).find((each) => each.id === id);
    return found && isTheirs(c.get("caller"), found.user) && (await store.remove(id))
      ? c.body(null, 204)
      : problem(c, fail("not_found", { what: "schedule", id }).failure);
  });
  return routes;
}

/** A schedule's history is kept when it is changed. */
function scheduleRecord(
  { last_fired_at: _, created_at: __, ...fields }: z.output<typeof ScheduleCreate>,
  user: string,
  older: ScheduleRecord | undefined,
): ScheduleRecord {
  return {
    ...fields,
    id: fields.id ?? uuidv7(),
    user,
    lastFiredAt: older?.lastFiredAt,
    createdAt: older?.createdAt ?? new Date(),
  };
}

const scheduleDto = ({ lastFiredAt, createdAt, ...schedule }: ScheduleRecord): Schedule => ({
  ...schedule,
  last_fired_at: lastFiredAt?.toISOString() ?? null,
  created_at: createdAt.toISOString(),
});
