/** /v1/connection-providers: where users can connect accounts. An admin sets the client; its secret is write-only. */
import {
  ConnectionProviderId,
  ConnectionProviderInfo,
  ConnectionProviderList,
  ConnectionProviderPut,
} from "@capstan/client/wire";
import { fail, type GuardedFetch, ok, type Result } from "@capstan/core";
import {
  type AuditLog,
  type ConfiguredProvider,
  type ConnectionProviders,
  clientDocument,
  type ProviderSettings,
  readAuthorizationServer,
  redirectUriOf,
} from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import { publicOrigin } from "../auth/resources.ts";
import { json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { ownOrigin, type Settings } from "../settings/settings.ts";
import { providerDto } from "./connection-dto.ts";
import { type ProviderChange, sentProvider } from "./sent-provider.ts";

const list = createRoute({
  operationId: "listConnectionProviders",
  ...needs("provider", "see"),
  method: "get",
  path: "/v1/connection-providers",
  summary: "Providers that users can connect accounts at, and whether each is set up",
  responses: { 200: json(ConnectionProviderList, "Providers.") },
});
const put = createRoute({
  operationId: "putConnectionProvider",
  ...needs("provider", "change"),
  method: "put",
  path: "/v1/connection-providers/{id}",
  summary: "Set the client at a provider, or add a provider by its addresses and hosts",
  request: { params: ConnectionProviderId, body: jsonBody(ConnectionProviderPut) },
  responses: { 200: json(ConnectionProviderInfo, "As it is now.") },
});
const remove = createRoute({
  operationId: "removeConnectionProvider",
  ...needs("provider", "change"),
  method: "delete",
  path: "/v1/connection-providers/{id}",
  summary: "Forget the client at a provider; connections stay and cannot be used or refreshed",
  request: { params: ConnectionProviderId },
  responses: { 204: { description: "Forgotten." } },
});

export interface ProviderRouteParts {
  readonly settings: Settings;
  readonly connectionProviders: ConnectionProviders;
  readonly fetch: GuardedFetch;
  readonly audit: AuditLog;
}

export function connectionProviderRoutes(parts: ProviderRouteParts) {
  const { settings, connectionProviders: providers, audit } = parts;
  const routes = newRoutes("connections");
  const dtoFor = (c: Context) => (provider: ConfiguredProvider) =>
    providerDto(provider, redirectUriOf(publicOrigin(c, settings), provider));
  routes.openapi(list, async (c) => {
    const items = (await providers.list()).map(dtoFor(c));
    return c.json({ items, total: items.length }, 200);
  });
  routes.openapi(put, async (c) => {
    const { id } = c.req.valid("param");
    const dto = dtoFor(c);
    const before = await providers.get(id);
    const current = before.ok ? dto(before.value) : undefined;
    const sent = sentProvider(id, current, c.req.valid("json"));
    if (!sent.ok) return problem(c, sent.failure);
    if (!sent.value && current) return c.json(current, 200);
    const saved = await save(parts, id, sent.value ?? NOTHING, c.get("caller").email);
    return saved.ok ? c.json(dto(saved.value), 200) : problem(c, saved.failure);
  });
  // Our client metadata, for authorization servers that read clients' documents.
  routes.get("/connections/clients/:id", (c) => {
    const id = ConnectionProviderId.safeParse(c.req.param());
    if (!id.success) return problem(c, fail("not_found", { what: "client", id: c.req.param("id") }).failure);
    return c.json(clientDocument(ownOrigin(settings), id.data.id), 200);
  });
  routes.openapi(remove, async (c) => {
    const { id } = c.req.valid("param");
    if (!(await providers.remove(id)))
      return problem(c, fail("not_found", { what: "connection provider", id }).failure);
    await audit.add({ actor: c.get("caller").email, action: "connection_provider.removed", subject: id });
    return c.body(null, 204);
  });
  return routes;
}

const NOTHING: ProviderChange = { settings: {}, secret: undefined };

async function save(
  { connectionProviders: providers, fetch, audit }: ProviderRouteParts,
  id: string,
  { settings, secret }: ProviderChange,
  by: string,
): Promise<Result<ConfiguredProvider>> {
  const complete = await withDiscovery(fetch, settings);
  if (!complete.ok) return complete;
  const saved = await providers.put(id, complete.value, secret, by);
  if (!saved.ok) return saved;
  const found = await providers.get(id);
  if (!found.ok) return found;
  const details = { hosts: found.value.hosts, client_id: found.value.clientId };
  await audit.add({ actor: by, action: "connection_provider.set", subject: id, details });
  return found;
}

/** Who the account is, and a refresh token. */
const BASE_SCOPES = ["openid", "email", "offline_access"];

/** Missing fields are read from the issuer's metadata. */
async function withDiscovery(
  fetch: GuardedFetch,
  given: ProviderSettings,
): Promise<Result<ProviderSettings>> {
  const { issuer } = given;
  if (issuer === undefined || (given.authorization_url && given.token_url)) return ok(given);
  const found = await readAuthorizationServer(fetch, issuer);
  if (!found.ok) return found;
  const base = BASE_SCOPES.filter((scope) => found.value.scopes_supported?.includes(scope));
  return ok({
    ...(base.length > 0 && { base_scopes: base }),
    authorization_url: found.value.authorization_endpoint,
    token_url: found.value.token_endpoint,
    revocation_url: found.value.revocation_endpoint,
    account_url: found.value.userinfo_endpoint,
    ...given,
    issuer: found.value.issuer,
    names_itself: found.value.authorization_response_iss_parameter_supported,
  });
}
