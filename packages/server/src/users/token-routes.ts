/** /v1/agents/{id}/tokens: tokens that act as the agent, for MCP clients. The token itself is returned only once. */
import { AgentToken, AgentTokenCreate, countedPageOf, NewAgentToken, PageQuery } from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import {
  type AgentSharings,
  type AgentStore,
  type AuditLog,
  pageInMemory,
  type RevisionStore,
  type SessionStore,
  type TokenRecord,
  type TokenStore,
} from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import { checkedFollows, followsDto } from "../auth/follows.ts";
import { isTheirs, usableAgents } from "../auth/ownership.ts";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { wirePage } from "../http/list-page.ts";
import { problem } from "../http/problem.ts";

const Token = Id.extend({ token_id: z.string() });

const create = createRoute({
  operationId: "createAgentToken",
  ...needs("token", "change"),
  method: "post",
  path: "/v1/agents/{id}/tokens",
  summary: "Create a token that acts as the agent with your rights; it is shown once",
  request: { params: Id, body: jsonBody(AgentTokenCreate) },
  responses: { 201: json(NewAgentToken, "The token.") },
});

const list = createRoute({
  operationId: "listAgentTokens",
  ...needs("token", "see"),
  method: "get",
  path: "/v1/agents/{id}/tokens",
  summary: "The agent's active tokens, newest first",
  request: { params: Id, query: PageQuery },
  responses: { 200: json(countedPageOf(AgentToken), "The tokens, without their secrets.") },
});

const revoke = createRoute({
  operationId: "revokeAgentToken",
  ...needs("token", "change"),
  method: "delete",
  path: "/v1/agents/{id}/tokens/{token_id}",
  summary: "Revoke a token, effective immediately",
  request: { params: Token },
  responses: { 204: { description: "Revoked." } },
});

export interface TokenRouteParts {
  readonly agents: AgentStore;
  readonly tokens: TokenStore;
  readonly sessions: SessionStore;
  readonly audit: AuditLog;
  readonly revisions: RevisionStore;
  readonly sharing: AgentSharings;
}

export function tokenRoutes({ agents, tokens, sessions, audit, revisions, sharing }: TokenRouteParts) {
  const routes = newRoutes("agents");
  routes.openapi(create, async (c) => {
    const agent = await agents.get(c.req.valid("param").id);
    if (!agent.ok) return problem(c, agent.failure);
    const isUsable = await usableAgents(sharing, [agent.value.id], c.get("caller"));
    if (!isUsable.ok) return problem(c, isUsable.failure);
    const { name, expires_in_seconds, max_calls, session_id, follows: wanted } = c.req.valid("json");
    const { email } = c.get("caller");
    const session = await ownSession(sessions, session_id, email);
    if (!session.ok) return problem(c, session.failure);
    const follows = await checkedFollows(
      { agents, revisions, sharing },
      c.get("caller"),
      agent.value.id,
      wanted,
    );
    if (!follows.ok) return problem(c, follows.failure);
    const { token, record } = await tokens.create({
      name,
      agentId: agent.value.id,
      userEmail: email,
      createdBy: email,
      maxCalls: max_calls,
      follows: follows.value,
      ...(session_id !== undefined && { sessionId: session_id }),
      ...(expires_in_seconds !== undefined && {
        expiresAt: new Date(Date.now() + expires_in_seconds * 1000),
      }),
    });
    const details = { agent_id: record.agentId, name, expires_at: record.expiresAt?.toISOString() ?? null };
    await audit.add({ actor: email, action: "token.created", subject: record.id, details });
    return c.json({ ...tokenDto(record), token }, 201);
  });
  routes.openapi(list, async (c) => {
    const agent = await agents.get(c.req.valid("param").id);
    if (!agent.ok) return problem(c, agent.failure);
    const all = await tokens.list(agent.value.id);
    const theirs = all.filter(({ userEmail }) => isTheirs(c.get("caller"), userEmail));
    const page = pageInMemory(theirs, c.req.valid("query"), { keyOf: ({ id }) => id });
    return page.ok ? c.json(wirePage(page.value, tokenDto), 200) : problem(c, page.failure);
  });
  routes.openapi(revoke, async (c) => {
    const { id, token_id } = c.req.valid("param");
    const known = (await tokens.list(id)).find((token) => token.id === token_id);
    const may = known !== undefined && isTheirs(c.get("caller"), known.userEmail);
    if (!may || !(await tokens.revoke(id, token_id)))
      return problem(c, fail("not_found", { what: "token", id: token_id }).failure);
    await audit.add({ actor: c.get("caller").email, action: "token.revoked", subject: token_id });
    return c.body(null, 204);
  });
  return routes;
}

async function ownSession(
  sessions: SessionStore,
  id: string | undefined,
  email: string,
): Promise<Result<true>> {
  if (id === undefined) return ok(true);
  const session = await sessions.get(id);
  if (!session.ok) return session;
  return session.value.owner === email ? ok(true) : fail("not_found", { what: "session", id });
}

const tokenDto = (record: TokenRecord): AgentToken => ({
  id: record.id,
  name: record.name,
  agent_id: record.agentId,
  user: record.userEmail,
  prefix: record.prefix,
  session_id: record.sessionId,
  follows: followsDto(record.follows),
  max_calls: record.maxCalls,
  calls: record.calls,
  expires_at: record.expiresAt?.toISOString() ?? null,
  created_by: record.createdBy,
  created_at: record.createdAt.toISOString(),
  last_used_at: record.lastUsedAt?.toISOString() ?? null,
});
