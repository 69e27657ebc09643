/** Available models, including the default, and their providers. */
import type { Connection } from "../connection.ts";
import type {
  DefaultModel,
  ModelChoices,
  ProviderChecked,
  ProviderInfo,
  ProviderPut,
} from "../wire/models.ts";
import type { Items } from "../wire/page.ts";

const part = encodeURIComponent;

export const providerEndpoints = ({ json }: Connection) => ({
  list: (signal?: AbortSignal) => json<Items<ProviderInfo>>("GET", "/v1/providers", { signal }),
  /** Tests the provider before saving. The key is stored encrypted and never returned. */
  set: (provider: string, settings: ProviderPut, signal?: AbortSignal) =>
    json<ProviderChecked>("PUT", `/v1/providers/${part(provider)}`, { json: settings, signal }),
  remove: (provider: string) => json<void>("DELETE", `/v1/providers/${part(provider)}`),
});

export const modelEndpoints = ({ json }: Connection) => ({
  choices: (signal?: AbortSignal) => json<ModelChoices>("GET", "/v1/models/choices", { signal }),
  /** Null restores automatic selection. */
  use: (model: string | null) => json<DefaultModel>("PUT", "/v1/models/default", { json: { model } }),
});
