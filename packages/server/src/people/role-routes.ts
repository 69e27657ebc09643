/** /v1/roles: which right and scopes a provider's groups and claims grant. */
import { RoleCreate, RoleInfo, RoleList } from "@capstan/client/wire";
import { fail } from "@capstan/core";
import type { RoleRule } from "@capstan/core/internal";
import type { AuditLog, PeopleStore, StoredRule } from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { givesNoRole } from "./claims.ts";

const list = createRoute({
  operationId: "listRoles",
  ...needs("grant", "see"),
  method: "get",
  path: "/v1/roles",
  summary: "Which claims of the provider give which right and scopes",
  responses: { 200: json(RoleList, "All rules for roles.") },
});

const create = createRoute({
  operationId: "createRole",
  ...needs("grant", "change"),
  method: "post",
  path: "/v1/roles",
  summary: "Give everyone with this claim a right and scopes, effective within a second",
  request: { body: jsonBody(RoleCreate) },
  responses: { 201: json(RoleInfo, "The rule.") },
});

const remove = createRoute({
  operationId: "removeRole",
  ...needs("grant", "change"),
  method: "delete",
  path: "/v1/roles/{id}",
  summary: "Take the right and scopes back, effective within a second",
  request: { params: Id },
  responses: { 204: { description: "Removed." } },
});

export interface RoleParts {
  readonly people: PeopleStore;
  readonly audit: AuditLog;
  readonly fixedRules: readonly RoleRule[];
}

export function roleRoutes({ people, audit, fixedRules }: RoleParts) {
  const routes = newRoutes("users");
  routes.openapi(list, async (c) => {
    const items = [...fixedRules.map(fixedDto), ...(await people.rules()).map(roleDto)];
    return c.json({ items, total: items.length }, 200);
  });
  routes.openapi(create, async (c) => {
    const { email } = c.get("caller");
    const rule = c.req.valid("json");
    if (givesNoRole(rule.claim))
      return problem(c, fail("input_invalid", { where: `claim: ${rule.claim} never gives a role` }).failure);
    const made = await people.addRule(rule, email);
    if (!made.ok) return problem(c, made.failure);
    await audit.add({
      actor: email,
      action: "role.created",
      subject: made.value.id,
      details: factsOf(made.value),
    });
    return c.json(roleDto(made.value), 201);
  });
  routes.openapi(remove, async (c) => {
    const { id } = c.req.valid("param");
    const gone = await people.removeRule(id);
    if (!gone) return problem(c, fail("not_found", { what: "role", id }).failure);
    const { email } = c.get("caller");
    await audit.add({ actor: email, action: "role.removed", subject: id, details: factsOf(gone) });
    return c.body(null, 204);
  });
  return routes;
}

const factsOf = ({ claim, value, role, scopes }: RoleRule) => ({ claim, value, role, scopes: [...scopes] });

const fixedDto = (rule: RoleRule): RoleInfo => ({
  id: null,
  ...factsOf(rule),
  created_by: null,
  created_at: null,
});

const roleDto = ({ id, createdBy, createdAt, ...rule }: StoredRule): RoleInfo => ({
  id,
  ...factsOf(rule),
  created_by: createdBy,
  created_at: createdAt.toISOString(),
});
