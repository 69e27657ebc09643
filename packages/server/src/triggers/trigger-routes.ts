/** /v1/triggers and /v1/schedules: triggers sent by services, their outcome, and schedules. */

import { TriggerInfo, TriggerList, TriggerQuery } from "@capstan/client/wire";
import { fail } from "@capstan/core";
import { dropTrigger, listTriggers, retryTrigger, type TriggerManager } from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import { ownerFilter } from "../auth/ownership.ts";
import { json, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";

/** A place in the order of triggers: status, capability, id. */
const TRIGGER_CURSOR = /^\d\.[^.]+\..+$/;

const list = createRoute({
  operationId: "listTriggers",
  ...needs("trigger", "see"),
  method: "get",
  path: "/v1/triggers",
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
  summary: "Retry a failed trigger, or drop one",
  request: { params: z.object({ id: z.string().max(100), verb: z.enum(["retry", "drop"]) }) },
  responses: { 200: json(TriggerInfo, "The trigger.") },
});
export interface TriggerRouteParts {
  /** The folder of trigger files, and a look for new ones at once. */
  readonly triggers: Pick<TriggerManager, "root" | "look">;
}

export function triggerRoutes({ triggers }: TriggerRouteParts) {
  const triggerRoot = triggers.root;
  const routes = newRoutes("triggers");
  routes.openapi(list, async (c) => {
    const { q: text, ...query } = c.req.valid("query");
    const { cursor } = query;
    if (cursor !== undefined && !TRIGGER_CURSOR.test(cursor))
      return problem(c, fail("cursor_invalid", { cursor }).failure);
    const user = ownerFilter(c.get("caller")) ?? query.user;
    return c.json(await listTriggers(triggerRoot, { ...query, user, text }), 200);
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
  return routes;
}
