/** /v1/providers and /v1/models: providers' keys (write-only) and addresses, and the default model. */
import {
  DefaultModel,
  DefaultModelPut,
  ModelChoices,
  ProviderChecked,
  type ProviderInfo,
  ProviderList,
  ProviderName,
  ProviderPut,
} from "@capstan/client/wire";
import { fail } from "@capstan/core";
import type { AuditLog } from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import { json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { modelChoices } from "./model-choices.ts";
import type { ServerModels } from "./models.ts";
import type { ProviderState, Providers } from "./providers.ts";
import { type SavedProvider, saveProvider } from "./save-provider.ts";
import { sentModelProvider } from "./sent-model-provider.ts";

const Named = z.object({ provider: ProviderName });

const listProviders = createRoute({
  operationId: "listProviders",
  ...needs("provider", "see"),
  method: "get",
  path: "/v1/providers",
  summary: "Model providers and whether they are configured",
  responses: { 200: json(ProviderList, "All providers.") },
});
const putProvider = createRoute({
  operationId: "setProvider",
  ...needs("provider", "change"),
  method: "put",
  path: "/v1/providers/{provider}",
  summary: "Save a provider's key or address, after testing it",
  request: { params: Named, body: jsonBody(ProviderPut) },
  responses: {
    200: json(ProviderChecked, "The provider without its key, its models, and the default model."),
  },
});
const removeProvider = createRoute({
  operationId: "removeProvider",
  ...needs("provider", "change"),
  method: "delete",
  path: "/v1/providers/{provider}",
  summary: "Delete a provider's key and address",
  request: { params: Named },
  responses: { 204: { description: "Forgotten." } },
});
const listChoices = createRoute({
  operationId: "listModelChoices",
  ...needs("model", "see"),
  method: "get",
  path: "/v1/models/choices",
  summary: "Available models, and what was found on the server's machine",
  responses: { 200: json(ModelChoices, "The models.") },
});
const putDefault = createRoute({
  operationId: "useModel",
  ...needs("model", "change"),
  method: "put",
  path: "/v1/models/default",
  summary: "Choose the default model",
  request: { body: jsonBody(DefaultModelPut) },
  responses: { 200: json(DefaultModel, "The new default.") },
});

export interface ModelRouteParts {
  readonly models: ServerModels;
  readonly providers: Providers;
  readonly audit: AuditLog;
}

export function modelRoutes({ models, providers, audit }: ModelRouteParts) {
  const routes = newRoutes("settings");
  routes.openapi(listProviders, async (c) => {
    const items = (await providers.list()).map(providerInfo);
    return c.json({ items, total: items.length }, 200);
  });
  routes.openapi(putProvider, async (c) => {
    const { provider } = c.req.valid("param");
    const body = c.req.valid("json");
    const { email: by } = c.get("caller");
    const before = await infoOf(providers, provider);
    const sent = await sentModelProvider(providers, { provider, current: before }, body);
    if (!sent.ok) return problem(c, sent.failure);
    if (before && !sent.value)
      return c.json(checkedDto(before, { ...UNTESTED, default: await models.defaultModel() }), 200);
    const { default_model: defaultModel, check } = body;
    const saved = await saveProvider(
      { providers, models },
      { provider, ...sent.value, defaultModel, check, by, signal: c.req.raw.signal },
    );
    if (!saved.ok) return problem(c, saved.failure);
    await audit.add({
      actor: by,
      action: "provider.updated",
      subject: provider,
      details: { checked: check },
    });
    const after = await infoOf(providers, provider);
    if (!after) throw new Error("the provider just saved is not listed");
    return c.json(checkedDto(after, saved.value), 200);
  });
  routes.openapi(removeProvider, async (c) => {
    const { provider } = c.req.valid("param");
    if (!(await providers.remove(provider)))
      return problem(c, fail("not_found", { what: "provider", id: provider }).failure);
    await audit.add({ actor: c.get("caller").email, action: "provider.removed", subject: provider });
    return c.body(null, 204);
  });
  routes.openapi(listChoices, async (c) => c.json(await modelChoices({ models, providers }), 200));
  routes.openapi(putDefault, async (c) => {
    const { model } = c.req.valid("json");
    const { email } = c.get("caller");
    const used = await models.useModel(model ?? undefined, email);
    if (!used.ok) return problem(c, used.failure);
    await audit.add({ actor: email, action: "model.default", subject: used.value.name });
    return c.json(used.value, 200);
  });
  return routes;
}

const UNTESTED = { models: [], triedModel: null, tookMs: null };

const checkedDto = (info: ProviderInfo, { models, triedModel, tookMs, default: current }: SavedProvider) => ({
  ...info,
  models: [...models],
  tried_model: triedModel,
  took_ms: tookMs,
  default: current,
});

async function infoOf(providers: Providers, provider: string): Promise<ProviderInfo | undefined> {
  const state = (await providers.list()).find((each) => each.provider === provider);
  return state && providerInfo(state);
}

const providerInfo = (state: ProviderState): ProviderInfo => ({
  provider: state.provider,
  label: state.label,
  configured: state.configured,
  from: state.from,
  ...(state.baseUrl !== undefined && { base_url: state.baseUrl }),
  needs_address: state.keyless,
  example_address: state.example,
});
