/** Model providers: what an operator saved, else what the environment gives. Keys go to the model layer and nowhere else. */
import type { ProviderStore } from "@capstan/runtime";
import type { Settings } from "../settings/settings.ts";

export interface ProviderState {
  readonly provider: string;
  readonly configured: boolean;
  readonly from: "environment" | "settings" | "none";
  readonly baseUrl?: string;
}

export interface Credentials {
  readonly apiKey?: string;
  readonly baseUrl?: string;
}

export interface Providers {
  list(): Promise<ProviderState[]>;
  put(provider: string, input: { apiKey?: string | undefined; baseUrl?: string | undefined }): Promise<void>;
  remove(provider: string): Promise<boolean>;
  credentials(provider: string): Promise<Credentials | undefined>;
}

/** Which variables speak for which provider. `keyless` ones have no address of their own: a base URL makes them, with or without a key. */
const PROVIDERS: Record<string, { key: keyof Settings; url: keyof Settings; keyless?: true }> = {
  anthropic: { key: "ANTHROPIC_API_KEY", url: "ANTHROPIC_BASE_URL" },
  openai: { key: "OPENAI_API_KEY", url: "OPENAI_BASE_URL" },
  google: { key: "GOOGLE_GENERATIVE_AI_API_KEY", url: "GOOGLE_BASE_URL" },
  "openai-compatible": { key: "OPENAI_COMPATIBLE_API_KEY", url: "OPENAI_COMPATIBLE_BASE_URL", keyless: true },
  localai: { key: "OPENAI_COMPATIBLE_API_KEY", url: "LOCALAI_BASE_URL", keyless: true },
};

export function openProviders(settings: Settings, store: ProviderStore): Providers {
  const fromEnvironment = (provider: string): Credentials => {
    const names = PROVIDERS[provider];
    const apiKey = names && settings[names.key];
    const baseUrl = names && settings[names.url];
    return { ...(typeof apiKey === "string" && { apiKey }), ...(typeof baseUrl === "string" && { baseUrl }) };
  };
  const usable = (provider: string, { apiKey, baseUrl }: Credentials): boolean =>
    (PROVIDERS[provider]?.keyless ? baseUrl : apiKey) !== undefined;
  const credentials = async (provider: string): Promise<Credentials | undefined> => {
    const both = { ...fromEnvironment(provider), ...(await store.credentials(provider)) };
    return usable(provider, both) ? both : undefined;
  };
  return {
    credentials,
    put: (provider, input) => store.put(provider, input),
    remove: (provider) => store.remove(provider),
    async list() {
      const saved = new Set((await store.list()).map(({ provider }) => provider));
      return Promise.all(
        Object.keys(PROVIDERS).map(async (provider): Promise<ProviderState> => {
          const found = await credentials(provider);
          const from = !found ? "none" : saved.has(provider) ? "settings" : "environment";
          return {
            provider,
            configured: found !== undefined,
            from,
            ...(found?.baseUrl && { baseUrl: found.baseUrl }),
          };
        }),
      );
    },
  };
}
