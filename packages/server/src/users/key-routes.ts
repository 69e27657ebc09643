/** /v1/keys: API keys, shown once. */
import { type ApiKey, KeyCreate, KeyList, KeyQuery, NewApiKey, WebhookKey } from "@capstan/client/wire";
import { fail } from "@capstan/core";
import { type AuditLog, type KeyRecord, type KeyStore, pageInMemory } from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { hasText, wirePage } from "../http/list-page.ts";
import { problem } from "../http/problem.ts";
import type { Settings } from "../settings/settings.ts";

const listKeys = createRoute({
  operationId: "listKeys",
  ...needs("key", "see"),
  method: "get",
  path: "/v1/keys",
  summary: "API keys, newest first",
  request: { query: KeyQuery },
  responses: {
    200: json(KeyList, "All keys, without the keys themselves."),
  },
});
const createKey = createRoute({
  operationId: "createKey",
  ...needs("key", "change"),
  method: "post",
  path: "/v1/keys",
  summary: "Create an API key; it is shown once",
  request: { body: jsonBody(KeyCreate) },
  responses: { 201: json(NewApiKey, "The key.") },
});
const revokeKey = createRoute({
  operationId: "revokeKey",
  ...needs("key", "change"),
  method: "delete",
  path: "/v1/keys/{id}",
  summary: "Revoke a key",
  request: { params: Id },
  responses: { 204: { description: "Revoked." } },
});
const getWebhookKey = createRoute({
  operationId: "getWebhookKey",
  ...needs("key", "see"),
  method: "get",
  path: "/v1/webhook-key",
  summary: "The key that receivers verify webhooks with; it gives no access",
  responses: { 200: json(WebhookKey, "The key.") },
});

export interface KeyRouteParts {
  readonly webhookKey: string;
  readonly keys: KeyStore;
  readonly audit: AuditLog;
  readonly settings: Settings;
}

export function keyRoutes({ keys, audit, settings, webhookKey }: KeyRouteParts) {
  const routes = newRoutes("settings");
  routes.openapi(getWebhookKey, (c) => c.json({ key: webhookKey }, 200));
  routes.openapi(listKeys, async (c) => {
    const { owner, revoked, q, ...page } = c.req.valid("query");
    const found = (await keys.list()).filter(
      (key) =>
        (owner === undefined || key.owner === owner) &&
        (revoked === undefined || String(key.revoked) === revoked) &&
        hasText(q, key.name, key.owner, key.prefix),
    );
    const paged = pageInMemory(found, page, { keyOf: ({ id }) => id });
    return paged.ok ? c.json(wirePage(paged.value, keyDto), 200) : problem(c, paged.failure);
  });
  routes.openapi(createKey, async (c) => {
    const { name, owner, rights, per_minute } = c.req.valid("json");
    const { email } = c.get("caller");
    const perMinute = per_minute ?? settings.CAPSTAN_RATE_LIMIT_PER_MINUTE;
    const { key, record } = await keys.create({ name, owner: owner ?? email, rights, perMinute });
    await audit.add({
      actor: email,
      action: "key.created",
      subject: record.id,
      details: { name, rights, owner: record.owner },
    });
    return c.json({ ...keyDto(record), key }, 201);
  });
  routes.openapi(revokeKey, async (c) => {
    const { id } = c.req.valid("param");
    if (!(await keys.revoke(id))) return problem(c, fail("not_found", { what: "key", id }).failure);
    await audit.add({ actor: c.get("caller").email, action: "key.revoked", subject: id });
    return c.body(null, 204);
  });
  return routes;
}

const keyDto = ({ perMinute, createdAt, lastUsedAt: _, ...key }: KeyRecord): ApiKey => ({
  ...key,
  per_minute: perMinute,
  created_at: createdAt.toISOString(),
});
