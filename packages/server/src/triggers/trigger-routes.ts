/** /v1/triggers and /v1/schedules: what services sent, what became of it, and what comes by the clock. */

import { type CapabilityRegistry, fail } from "@capstan/core";
import {
  dropTrigger,
  LISTED_STATUSES,
  type ListedStatus,
  listTriggers,
  retryTrigger,
} from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import { uuidv7 } from "uuidv7";
import { isTheirs } from "../auth/ownership.ts";
import { json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import type { ServerTriggers } from "./triggers.ts";

const AnyObject = z.record(z.string(), z.unknown());

const list = createRoute({
  ...needs("read"),
  method: "get",
  path: "/v1/triggers",
  tags: ["triggers"],
  summary: "Triggers by state",
  request: {
    query: z.object({
      status: z.enum(LISTED_STATUSES as [ListedStatus, ...ListedStatus[]]).optional(),
      capability: z.string().max(100).optional(),
      user: z.string().max(320).optional(),
      limit: z.coerce.number().int().min(1).max(1000).default(200),
    }),
  },
  responses: { 200: json(z.object({ items: z.array(AnyObject), total: z.int() }), "Triggers.") },
});
const change = createRoute({
  ...needs("run"),
  method: "post",
  path: "/v1/triggers/{id}/{verb}",
  tags: ["triggers"],
  summary: "Try a failed trigger again, or drop one",
  request: { params: z.object({ id: z.string().max(100), verb: z.enum(["retry", "drop"]) }) },
  responses: { 200: json(AnyObject, "The trigger.") },
});
const Schedule = z.object({
  id: z.uuid().optional(),
  capability: z.string().min(1).max(50),
  user: z.email().or(z.literal("local@localhost")).optional(),
  cron: z.string().min(1).max(100),
  timezone: z.string().max(64).default("UTC"),
  type: z.string().min(1).max(200).default("schedule"),
  payload: AnyObject.default({}),
  enabled: z.boolean().default(true),
});
const schedules = createRoute({
  ...needs("read"),
  method: "get",
  path: "/v1/schedules",
  tags: ["triggers"],
  summary: "Schedules: cron expressions that send triggers",
  responses: { 200: json(z.object({ items: z.array(AnyObject), total: z.int() }), "Schedules.") },
});
const putSchedule = createRoute({
  ...needs("run"),
  method: "post",
  path: "/v1/schedules",
  tags: ["triggers"],
  summary: "Make or change a schedule",
  request: { body: jsonBody(Schedule) },
  responses: { 201: json(AnyObject, "The schedule.") },
});
const removeSchedule = createRoute({
  ...needs("run"),
  method: "delete",
  path: "/v1/schedules/{id}",
  tags: ["triggers"],
  summary: "Remove a schedule",
  request: { params: z.object({ id: z.string().max(64) }) },
  responses: { 204: { description: "It is gone." } },
});

const NOT_THEIRS = {
  message: "A schedule runs with the rights of its user, and this key is someone else's.",
  nextStep: "Make it for yourself, or ask an admin.",
};

export interface TriggerRouteParts {
  readonly triggers: ServerTriggers;
  readonly registry: CapabilityRegistry;
}

export function triggerRoutes({ triggers, registry }: TriggerRouteParts) {
  const { root: triggerRoot, schedules: store } = triggers;
  const routes = newRoutes();
  routes.openapi(list, async (c) => {
    const { items, total } = await listTriggers(triggerRoot, c.req.valid("query"));
    return c.json({ items: items as unknown as Record<string, unknown>[], total }, 200);
  });
  routes.openapi(change, async (c) => {
    const { id, verb } = c.req.valid("param");
    const changed = await (verb === "retry" ? retryTrigger : dropTrigger)(triggerRoot, id);
    if (!changed.ok) return problem(c, changed.failure);
    triggers.look();
    return c.json({ ...changed.value } as Record<string, unknown>, 200);
  });
  routes.openapi(schedules, async (c) => {
    const items = await store.list();
    return c.json({ items: items as unknown as Record<string, unknown>[], total: items.length }, 200);
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
    const saved = await store.put({
      ...body,
      id: body.id ?? uuidv7(),
      user,
      createdAt: new Date(),
    });
    return saved.ok
      ? c.json({ ...saved.value } as unknown as Record<string, unknown>, 201)
      : problem(c, saved.failure);
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
