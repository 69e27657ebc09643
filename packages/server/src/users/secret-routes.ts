/** /v1/secrets: secrets of capabilities, by name. Values are write-only. */
import { type SecretInfo, SecretList, SecretPlace, SecretPut, SecretWhose } from "@capstan/client/wire";
import { fail } from "@capstan/core";
import type { AuditLog, CapabilitySecrets, SecretRecord } from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import { seesAll } from "../auth/ownership.ts";
import type { Caller } from "../http/caller.ts";
import { json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";

const list = createRoute({
  operationId: "listSecrets",
  ...needs("secret", "see"),
  method: "get",
  path: "/v1/secrets",
  summary: "Names of the secrets given to capabilities; your own, or all for an admin",
  responses: { 200: json(SecretList, "Names, without values.") },
});
const put = createRoute({
  operationId: "putSecret",
  ...needs("secret", "change"),
  method: "put",
  path: "/v1/secrets/{capability}/{name}",
  summary: "Give a capability a secret: an environment variable of its commands",
  request: { params: SecretPlace, body: jsonBody(SecretPut) },
  responses: { 200: json(SecretPlace, "Saved.") },
});
const remove = createRoute({
  operationId: "removeSecret",
  ...needs("secret", "change"),
  method: "delete",
  path: "/v1/secrets/{capability}/{name}",
  summary: "Forget a secret",
  request: { params: SecretPlace, query: SecretWhose },
  responses: { 204: { description: "Forgotten." } },
});

export interface SecretRouteParts {
  readonly capabilitySecrets: CapabilitySecrets;
  readonly audit: AuditLog;
}

export function secretRoutes({ capabilitySecrets: secrets, audit }: SecretRouteParts) {
  const routes = newRoutes("settings");
  routes.openapi(list, async (c) => {
    const caller = c.get("caller");
    const all = await secrets.list();
    const items = all.filter(({ user }) => seesAll(caller) || user === caller.email).map(secretDto);
    return c.json({ items, total: items.length }, 200);
  });
  routes.openapi(put, async (c) => {
    const caller = c.get("caller");
    const { user, value } = c.req.valid("json");
    const refused = whyNot(caller, user);
    if (refused) return problem(c, refused);
    const place = c.req.valid("param");
    await secrets.put({ ...place, user }, value, caller.email);
    await audit.add({ actor: caller.email, action: "secret.set", subject: placeText(place, user) });
    return c.json(place, 200);
  });
  routes.openapi(remove, async (c) => {
    const caller = c.get("caller");
    const { user } = c.req.valid("query");
    const refused = whyNot(caller, user);
    if (refused) return problem(c, refused);
    const place = c.req.valid("param");
    if (!(await secrets.remove({ ...place, user })))
      return problem(c, fail("not_found", { what: "secret", id: place.name }).failure);
    await audit.add({ actor: caller.email, action: "secret.removed", subject: placeText(place, user) });
    return c.body(null, 204);
  });
  return routes;
}

/** Everyone manages their own; those of everyone or of others require an admin. */
function whyNot(caller: Caller, user: string | undefined) {
  if (seesAll(caller) || user === caller.email) return undefined;
  const message = "A secret for every user, or for another one, requires the admin right.";
  return fail("forbidden", { message, nextStep: `Set it for yourself: --user ${caller.email}.` }).failure;
}

const placeText = ({ capability, name }: { capability: string; name: string }, user = "every user"): string =>
  `${name} of ${capability} for ${user}`;

const secretDto = ({ updatedBy, updatedAt, ...place }: SecretRecord): SecretInfo => ({
  ...place,
  updated_by: updatedBy,
  updated_at: updatedAt.toISOString(),
});
