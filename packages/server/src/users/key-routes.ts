/** /v1/keys and /v1/providers: API keys, shown once; providers' keys, never shown again. */
import {
  type ApiKey,
  KeyCreate,
  KeyList,
  NewApiKey,
  ProviderInfo,
  ProviderList,
  ProviderName,
  ProviderPut,
} from "@capstan/client/wire";
import { fail } from "@capstan/core";
import type { AuditLog, KeyRecord, KeyStore } from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import type { Providers } from "../models/providers.ts";
import type { Settings } from "../settings/settings.ts";

const Provider = z.object({ provider: ProviderName });

const listKeys = createRoute({
  operationId: "listKeys",
  ...needs("admin"),
  method: "get",
  path: "/v1/keys",
  tags: ["settings"],
  summary: "List API keys",
  responses: {
    200: json(KeyList, "All keys, without the keys themselves."),
  },
});
const createKey = createRoute({
  operationId: "createKey",
  ...needs("admin"),
  method: "post",
  path: "/v1/keys",
  tags: ["settings"],
  summary: "Make an API key; it is shown once",
  request: { body: jsonBody(KeyCreate) },
  responses: { 201: json(NewApiKey, "The key.") },
});
const revokeKey = createRoute({
  operationId: "revokeKey",
  ...needs("admin"),
  method: "delete",
  path: "/v1/keys/{id}",
  tags: ["settings"],
  summary: "Revoke a key",
  request: { params: Id },
  responses: { 204: { description: "It no longer works." } },
});
const listProviders = createRoute({
  operationId: "listProviders",
  ...needs("read"),
  method: "get",
  path: "/v1/providers",
  tags: ["settings"],
  summary: "Model providers and whether they are configured",
  responses: { 200: json(ProviderList, "All providers.") },
});
const putProvider = createRoute({
  operationId: "setProvider",
  ...needs("admin"),
  method: "put",
  path: "/v1/providers/{provider}",
  tags: ["settings"],
  summary: "Set a provider's key or base URL",
  request: {
    params: Provider,
    body: jsonBody(ProviderPut),
  },
  responses: { 200: json(ProviderInfo, "The provider, without its key.") },
});
const removeProvider = createRoute({
  operationId: "removeProvider",
  ...needs("admin"),
  method: "delete",
  path: "/v1/providers/{provider}",
  tags: ["settings"],
  summary: "Forget a provider's key",
  request: { params: Provider },
  responses: { 204: { description: "Forgotten." } },
});

export interface KeyRouteParts {
  readonly keys: KeyStore;
  readonly providers: Providers;
  readonly audit: AuditLog;
  readonly settings: Settings;
}

export function keyRoutes({ keys, providers, audit, settings }: KeyRouteParts) {
  const routes = newRoutes();
  routes.openapi(listKeys, async (c) => {
    const items = (await keys.list()).map(keyDto);
    return c.json({ items, total: items.length }, 200);
  });
  routes.openapi(createKey, async (c) => {
    const { name, owner, rights, per_minute } = c.req.valid("json");
    const { email } = c.get("caller");
    const perMinute = per_minute ?? settings.CAPSTAN_RATE_LIMIT_PER_MINUTE;
    const { key, record } = await keys.create({ name, owner: owner ?? email, rights, perMinute });
    await audit.add({ actor: email, action: "key.created", subject: record.id, details: { name, rights } });
    return c.json({ ...keyDto(record), key }, 201);
  });
  routes.openapi(revokeKey, async (c) => {
    const { id } = c.req.valid("param");
    if (!(await keys.revoke(id))) return problem(c, fail("not_found", { what: "key", id }).failure);
    await audit.add({ actor: c.get("caller").email, action: "key.revoked", subject: id });
    return c.body(null, 204);
  });
  routes.openapi(listProviders, async (c) => {
    const items = await providers.list();
    return c.json({ items: items.map(providerDto), total: items.length }, 200);
  });
  routes.openapi(putProvider, async (c) => {
    const { provider } = c.req.valid("param");
    const { api_key, base_url } = c.req.valid("json");
    await providers.put(provider, { apiKey: api_key, baseUrl: base_url });
    await audit.add({ actor: c.get("caller").email, action: "provider.updated", subject: provider });
    const found = (await providers.list()).find((item) => item.provider === provider);
    return c.json(providerDto(found ?? { provider, configured: false, from: "none" }), 200);
  });
  routes.openapi(removeProvider, async (c) => {
    const { provider } = c.req.valid("param");
    if (!(await providers.remove(provider)))
      return problem(c, fail("not_found", { what: "provider", id: provider }).failure);
    await audit.add({ actor: c.get("caller").email, action: "provider.removed", subject: provider });
    return c.body(null, 204);
  });
  return routes;
}

const keyDto = ({ perMinute, createdAt, lastUsedAt: _, ...key }: KeyRecord): ApiKey => ({
  ...key,
  per_minute: perMinute,
  created_at: createdAt.toISOString(),
});

const providerDto = ({
  baseUrl,
  ...provider
}: {
  provider: string;
  configured: boolean;
  from: "environment" | "settings" | "none";
  baseUrl?: string;
}): ProviderInfo => ({ ...provider, ...(baseUrl !== undefined && { base_url: baseUrl }) });
