/** /v1/keys and /v1/providers: API keys, shown once; providers' keys, never shown again. */
import { fail } from "@capstan/core";
import type { AuditLog, KeyRecord, KeyStore } from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import { json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import type { Providers } from "../models/providers.ts";
import type { Settings } from "../settings/settings.ts";

const Right = z.enum(["read", "run", "admin"]);
const KeyDto = z
  .object({
    id: z.string(),
    name: z.string(),
    owner: z.string(),
    prefix: z.string(),
    rights: z.array(Right),
    per_minute: z.int(),
    revoked: z.boolean(),
    created_at: z.string(),
  })
  .openapi("ApiKey");
const NewKey = z.object({
  name: z.string().trim().min(1).max(200),
  owner: z.email().optional().openapi({ description: "Whose scopes count; the caller by default." }),
  rights: z.array(Right).min(1).default(["run"]),
  per_minute: z.int().min(1).max(1_000_000).optional(),
});
const ProviderName = z.object({
  provider: z.enum(["anthropic", "openai", "google", "openai-compatible", "localai"]),
});
const ProviderDto = z
  .object({
    provider: z.string(),
    configured: z.boolean(),
    from: z.enum(["environment", "settings", "none"]),
    base_url: z.string().optional(),
  })
  .openapi("Provider");

const listKeys = createRoute({
  ...needs("admin"),
  method: "get",
  path: "/v1/keys",
  tags: ["settings"],
  summary: "List API keys",
  responses: {
    200: json(z.object({ items: z.array(KeyDto), total: z.int() }), "All keys, without the keys themselves."),
  },
});
const createKey = createRoute({
  ...needs("admin"),
  method: "post",
  path: "/v1/keys",
  tags: ["settings"],
  summary: "Make an API key; it is shown once",
  request: { body: jsonBody(NewKey) },
  responses: { 201: json(KeyDto.extend({ key: z.string() }).openapi("NewApiKey"), "The key.") },
});
const revokeKey = createRoute({
  ...needs("admin"),
  method: "delete",
  path: "/v1/keys/{id}",
  tags: ["settings"],
  summary: "Revoke a key",
  request: { params: z.object({ id: z.string() }) },
  responses: { 204: { description: "It no longer works." } },
});
const listProviders = createRoute({
  ...needs("read"),
  method: "get",
  path: "/v1/providers",
  tags: ["settings"],
  summary: "Model providers and whether they are configured",
  responses: { 200: json(z.object({ items: z.array(ProviderDto), total: z.int() }), "All providers.") },
});
const putProvider = createRoute({
  ...needs("admin"),
  method: "put",
  path: "/v1/providers/{provider}",
  tags: ["settings"],
  summary: "Set a provider's key or base URL",
  request: {
    params: ProviderName,
    body: jsonBody(
      z.object({ api_key: z.string().min(1).max(1000).optional(), base_url: z.url().optional() }),
    ),
  },
  responses: { 200: json(ProviderDto, "The provider, without its key.") },
});
const removeProvider = createRoute({
  ...needs("admin"),
  method: "delete",
  path: "/v1/providers/{provider}",
  tags: ["settings"],
  summary: "Forget a provider's key",
  request: { params: ProviderName },
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

const keyDto = ({ perMinute, createdAt, lastUsedAt: _, ...key }: KeyRecord): z.input<typeof KeyDto> => ({
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
}): z.input<typeof ProviderDto> => ({ ...provider, ...(baseUrl !== undefined && { base_url: baseUrl }) });
