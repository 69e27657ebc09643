/**
 * /v1/connections: a user's accounts at other services. Everyone connects and uses their own; an admin can also see
 * and end other people's.
 */
import {
  ConnectionFinish,
  ConnectionFinished,
  type ConnectionInfo,
  ConnectionList,
  ConnectionStart,
  ConnectionStarted,
  listQueries,
} from "@capstan/client/wire";
import { fail } from "@capstan/core";
import {
  type AgentSharings,
  type AuditLog,
  type ConnectAccounts,
  type ConnectionProviders,
  type ConnectionRecord,
  type ConnectionStore,
  type Database,
  pageInMemory,
  subjectNames,
} from "@capstan/runtime";
import { createRoute, type z } from "@hono/zod-openapi";
import { ownerFilter, usableAgents } from "../auth/ownership.ts";
import { publicOrigin } from "../auth/resources.ts";
import { json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { hasText, wirePage } from "../http/list-page.ts";
import { problem } from "../http/problem.ts";
import type { Settings } from "../settings/settings.ts";
import { connectionDto } from "./connection-dto.ts";
import { connectionNote } from "./own-connection-routes.ts";

const list = createRoute({
  operationId: "listConnections",
  ...needs("connection", "see"),
  method: "get",
  path: "/v1/connections",
  summary: "Connected accounts, newest first; your own, or all for an admin",
  request: { query: listQueries.ConnectionQuery },
  responses: { 200: json(ConnectionList, "Accounts with their scopes, without tokens.") },
});
const start = createRoute({
  operationId: "startConnection",
  ...needs("connection", "change"),
  method: "post",
  path: "/v1/connections",
  summary:
    "Connect an account of yours: the address where you consent, or the connection when a key was given",
  request: { body: jsonBody(ConnectionStart) },
  responses: { 200: json(ConnectionStarted, "Where to go on.") },
});
const finish = createRoute({
  operationId: "finishConnection",
  ...needs("connection", "change"),
  method: "post",
  path: "/v1/connections/finish",
  summary: "Pass on what the provider sent back; counts once, for the user who started",
  request: { body: jsonBody(ConnectionFinish) },
  responses: { 200: json(ConnectionFinished, "The connection; a run that waited for it continues.") },
});
export interface ConnectionRouteParts {
  readonly settings: Settings;
  readonly database: Database;
  readonly connections: ConnectionStore;
  readonly connectionProviders: ConnectionProviders;
  readonly connectAccounts: ConnectAccounts;
  readonly audit: AuditLog;
  readonly sharing: AgentSharings;
}

const isAskedFor = (
  { consents, provider, provider_name, status, account, user }: ConnectionInfo,
  query: Omit<z.output<typeof listQueries.ConnectionQuery>, "limit" | "cursor">,
): boolean =>
  (query.agent_id === undefined ||
    consents.some(({ agent_id }) => agent_id === "*" || agent_id === query.agent_id)) &&
  (query.provider === undefined || provider === query.provider) &&
  (query.status === undefined || status === query.status) &&
  hasText(query.q, account, provider, provider_name, user);

/** Its name is shown with the connection. `*` is every agent. */
const namedAgents = (id: string | undefined): (string | undefined)[] => (id === "*" ? [] : [id]);

const SECONDS_PER_HOUR = 3600;

export function connectionRoutes(parts: ConnectionRouteParts) {
  const { settings, connections, connectAccounts: accounts, audit } = parts;
  const routes = newRoutes("connections");
  const note = connectionNote(audit);
  routes.openapi(list, async (c) => {
    const { limit, cursor, ...filter } = c.req.valid("query");
    const all = await connections.list(ownerFilter(c.get("caller")));
    const found = (await dtos(parts, all))
      .filter((shown) => isAskedFor(shown, filter))
      .map((shown) => ({ shown, createdAt: new Date(shown.created_at) }));
    const page = pageInMemory(found, { limit, cursor }, { keyOf: ({ shown }) => shown.id });
    return page.ok
      ? c.json(
          wirePage(page.value, ({ shown }) => shown),
          200,
        )
      : problem(c, page.failure);
  });
  routes.openapi(start, async (c) => {
    const {
      provider,
      scopes = [],
      agent_id,
      approval_id,
      term,
      hours,
      key,
      user,
      password,
    } = c.req.valid("json");
    const caller = c.get("caller");
    const named = await usableAgents(parts.sharing, namedAgents(agent_id), caller);
    const started = !named.ok
      ? named
      : await accounts.start({
          userEmail: caller.email,
          origin: publicOrigin(c, settings),
          provider,
          scopes,
          agentId: agent_id,
          approvalId: approval_id,
          once: term === "once",
          forSeconds: term === "time" ? hours * SECONDS_PER_HOUR : undefined,
          secret: { ...(key && { key }), ...(user && { user }), ...(password && { password }) },
        });
    if (!started.ok) return problem(c, started.failure);
    if ("url" in started.value)
      return c.json({ authorization_url: started.value.url, connection: null }, 200);
    await note(caller, "made", started.value.connection);
    const [connection = null] = await dtos(parts, [started.value.connection]);
    return c.json({ authorization_url: null, connection }, 200);
  });
  routes.openapi(finish, async (c) => {
    const caller = c.get("caller");
    const { iss: issuer, ...answer } = c.req.valid("json");
    const finished = await accounts.finish({ ...answer, issuer, userEmail: caller.email });
    if (!finished.ok) return problem(c, finished.failure);
    const { connection, missingScopes, sessionId } = finished.value;
    await note(caller, "made", connection);
    const [shown] = await dtos(parts, [connection]);
    if (!shown) return problem(c, fail("not_found", { what: "connection", id: connection.id }).failure);
    return c.json({ connection: shown, missing_scopes: [...missingScopes], session_id: sessionId }, 200);
  });
  return routes;
}

async function dtos(
  { connections, connectionProviders, database }: ConnectionRouteParts,
  records: readonly ConnectionRecord[],
): Promise<ConnectionInfo[]> {
  const consents = await connections.consents(records.map(({ id }) => id));
  const [known, agents] = await Promise.all([
    connectionProviders.list(),
    subjectNames(
      database,
      consents.map(({ agentId }) => agentId),
    ),
  ]);
  const providers = new Map(known.map((each) => [each.id, each]));
  return records.map((record) => connectionDto(record, consents, { providers, agents }));
}
