/** /v1/tokens: agent tokens and client logins that are valid now: your own, or everyone's for an admin. */
import { type ActiveToken, ActiveTokenList, listQueries } from "@capstan/client/wire";
import { fail } from "@capstan/core";
import {
  type AuditLog,
  type ClientLogin,
  type ClientLogins,
  pageInMemory,
  type TokenRecord,
  type TokenStore,
} from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import { ownerFilter } from "../auth/ownership.ts";
import { Id, json, needs, newRoutes } from "../http/define-route.ts";
import { hasText, wirePage } from "../http/list-page.ts";
import { problem } from "../http/problem.ts";
import { receiverOf } from "./redirect-uris.ts";

const list = createRoute({
  operationId: "listTokens",
  ...needs("token", "see"),
  method: "get",
  path: "/v1/tokens",
  summary: "Tokens of agents and clients that logged in, newest first; your own, or all for an admin",
  request: { query: listQueries.ActiveTokenQuery },
  responses: { 200: json(ActiveTokenList, "What is in force, without its secrets.") },
});

const revoke = createRoute({
  operationId: "revokeToken",
  ...needs("token", "change"),
  method: "delete",
  path: "/v1/tokens/{id}",
  summary: "Revoke a token or a client's login, effective immediately",
  request: { params: Id },
  responses: { 204: { description: "Revoked." } },
});

export interface ActiveTokenParts {
  readonly tokens: TokenStore;
  readonly clientLogins: ClientLogins;
  readonly audit: AuditLog;
}

export function activeTokenRoutes({ tokens, clientLogins, audit }: ActiveTokenParts) {
  const routes = newRoutes("logins");
  routes.openapi(list, async (c) => {
    const owner = ownerFilter(c.get("caller"));
    const [logins, ofAgents] = await Promise.all([clientLogins.list(owner), tokens.listOf(owner)]);
    const all = [
      ...logins.map((login) => ({ createdAt: login.createdAt, shown: loginDto(login) })),
      ...ofAgents.map((token) => ({ createdAt: token.createdAt, shown: tokenDto(token) })),
    ];
    const { agent_id, kind, q, ...rest } = c.req.valid("query");
    const found = all.filter(
      ({ shown }) =>
        (agent_id === undefined || shown.agent_id === agent_id) &&
        (kind === undefined || shown.kind === kind) &&
        hasText(q, shown.name, shown.user, shown.resource ?? undefined),
    );
    const page = pageInMemory(found, rest, { keyOf: ({ shown }) => shown.id });
    return page.ok
      ? c.json(
          wirePage(page.value, ({ shown }) => shown),
          200,
        )
      : problem(c, page.failure);
  });
  routes.openapi(revoke, async (c) => {
    const caller = c.get("caller");
    const { id } = c.req.valid("param");
    const owner = ownerFilter(caller);
    const login = (await clientLogins.list(owner)).find((each) => each.id === id);
    const token = login ? undefined : (await tokens.listOf(owner)).find((each) => each.id === id);
    const found = login ?? token;
    const isGone =
      found !== undefined && (login ? await clientLogins.revoke(id) : await tokens.revoke(found.agentId, id));
    if (!isGone) return problem(c, fail("not_found", { what: "token", id }).failure);
    const action = login ? "client.revoked" : "token.revoked";
    await audit.add({ actor: caller.email, action, subject: id });
    return c.body(null, 204);
  });
  return routes;
}

const loginDto = (login: ClientLogin): ActiveToken => ({
  id: login.id,
  kind: "client",
  name: login.clientName,
  agent_id: login.agentId,
  user: login.userEmail,
  resource: login.resource,
  scopes: login.scopes,
  receiver: receiverOf(login.redirectUri),
  expires_at: null,
  created_at: login.createdAt.toISOString(),
  last_used_at: login.lastUsedAt?.toISOString() ?? null,
});

const tokenDto = (token: TokenRecord): ActiveToken => ({
  id: token.id,
  kind: "agent",
  name: token.name,
  agent_id: token.agentId,
  user: token.userEmail,
  resource: null,
  scopes: ["tools"],
  receiver: null,
  expires_at: token.expiresAt?.toISOString() ?? null,
  created_at: token.createdAt.toISOString(),
  last_used_at: token.lastUsedAt?.toISOString() ?? null,
});
