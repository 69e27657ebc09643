/** /v1/grants: scopes granted to a user or an agent in addition to their own, by whom, why and until when; and revocation. */
import { Grant, GrantCreate, GrantList, GrantQuery } from "@capstan/client/wire";
import { fail, ok } from "@capstan/core";
import {
  type AgentStore,
  type AuditLog,
  type GrantRecord,
  pageInMemory,
  type UserStore,
} from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import { json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { hasText, wirePage } from "../http/list-page.ts";
import { problem } from "../http/problem.ts";

const MS_PER_HOUR = 3_600_000;
const AGENT = /^agent:(.*)$/;
const list = createRoute({
  operationId: "listGrants",
  ...needs("grant", "see"),
  method: "get",
  path: "/v1/grants",
  summary: "Active grants, newest first; other people's require the admin right",
  request: { query: GrantQuery },
  responses: { 200: json(GrantList, "Grants.") },
});
const create = createRoute({
  operationId: "createGrant",
  ...needs("grant", "change"),
  method: "post",
  path: "/v1/grants",
  summary: "Grant a scope to a user or an agent, for a time or until it is revoked",
  request: { body: jsonBody(GrantCreate) },
  responses: { 201: json(Grant, "The grant.") },
});
const revoke = createRoute({
  operationId: "revokeGrant",
  ...needs("grant", "change"),
  method: "delete",
  path: "/v1/grants/{id}",
  summary: "Revoke a grant, effective immediately",
  request: { params: z.object({ id: z.uuid() }) },
  responses: { 204: { description: "Revoked." } },
});

export interface GrantRouteParts {
  readonly users: UserStore;
  readonly agents: AgentStore;
  readonly audit: AuditLog;
}

export function grantRoutes({ users, agents, audit }: GrantRouteParts) {
  const routes = newRoutes("users");
  routes.openapi(list, async (c) => {
    const { email, rights } = c.get("caller");
    const { subject, q, ...page } = c.req.valid("query");
    const found = (await users.grants(subject)).filter(
      (grant) =>
        (rights.includes("admin") || grant.subject === `user:${email}`) &&
        hasText(q, grant.subject, grant.scope, grant.reason),
    );
    const paged = pageInMemory(found, page, { keyOf: ({ id }) => id });
    return paged.ok ? c.json(wirePage(paged.value, grantDto), 200) : problem(c, paged.failure);
  });
  routes.openapi(create, async (c) => {
    const { hours, ...asked } = c.req.valid("json");
    const { email: actor } = c.get("caller");
    const agentId = AGENT.exec(asked.subject)?.[1];
    const agent = agentId === undefined ? ok(true) : await agents.get(agentId);
    if (!agent.ok) return problem(c, agent.failure);
    const expiresAt = hours === undefined ? undefined : new Date(Date.now() + hours * MS_PER_HOUR);
    const made = await users.grant({ ...asked, grantedBy: actor, ...(expiresAt && { expiresAt }) });
    const details = { scope: made.scope, until: expiresAt?.toISOString() ?? null };
    await audit.add({ actor, action: "scope.granted", subject: made.subject, details });
    return c.json(grantDto(made), 201);
  });
  routes.openapi(revoke, async (c) => {
    const { id } = c.req.valid("param");
    const gone = await users.revoke(id);
    if (!gone) return problem(c, fail("not_found", { what: "grant", id }).failure);
    const { email: actor } = c.get("caller");
    await audit.add({
      actor,
      action: "scope.revoked",
      subject: gone.subject,
      details: { scope: gone.scope },
    });
    return c.body(null, 204);
  });
  return routes;
}

const grantDto = ({ id, subject, scope, grantedBy, reason, createdAt, expiresAt }: GrantRecord): Grant => ({
  id,
  subject,
  scope,
  granted_by: grantedBy,
  reason: reason ?? "",
  created_at: createdAt.toISOString(),
  expires_at: expiresAt?.toISOString() ?? null,
});
