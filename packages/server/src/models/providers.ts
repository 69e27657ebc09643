/** Model providers: saved by an operator, otherwise from the environment. Keys only go to the model layer. */
import type { ProviderStore } from "@capstan/runtime";
import type { Settings } from "../settings/settings.ts";

export interface ProviderState {
  readonly provider: string;
  /** In its owner's spelling. */
  readonly label: string;
  readonly configured: boolean;
  readonly from: "environment" | "settings" | "none";
  readonly baseUrl?: string;
  /** It has no default address: a base URL configures it, with or without a key. */
  readonly keyless: boolean;
  /** Which models it has, only it knows: no snapshot of prices describes them. */
  readonly listsModels: boolean;
  /** An example address. */
  readonly example: string;
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
  /** The effect of a new key or address, combined with the existing settings. */
  withGiven(provider: string, given: Credentials): Promise<Credentials>;
  /** False in organisations after the first: models are reached without a guard, so their addresses are the operator's. */
  readonly takesAddresses: boolean;
}

interface ProviderRow {
  readonly label: string;
  readonly key?: keyof Settings;
  /** Another variable that people keep the same key in. */
  readonly otherKey?: keyof Settings;
  readonly url?: keyof Settings;
  readonly keyless?: true;
  readonly listsModels?: true;
  /** Its default address. */
  readonly address?: string;
  /** The SDK's own default address. */
  readonly usual?: string;
  readonly example: string;
}

const LOCAL_EXAMPLE = "http://127.0.0.1:11434/v1";

/** Environment variables per provider. */
const PROVIDERS: Readonly<Record<string, ProviderRow>> = {
  anthropic: {
    label: "Anthropic",
    key: "ANTHROPIC_API_KEY",
    url: "ANTHROPIC_BASE_URL",
    usual: "https://api.anthropic.com/v1",
    example: "https://api.anthropic.com",
  },
  openai: {
    label: "OpenAI",
    key: "OPENAI_API_KEY",
    url: "OPENAI_BASE_URL",
    usual: "https://api.openai.com/v1",
    example: "https://api.openai.com/v1",
  },
  google: {
    label: "Google",
    key: "GOOGLE_GENERATIVE_AI_API_KEY",
    otherKey: "GEMINI_API_KEY",
    url: "GOOGLE_BASE_URL",
    usual: "https://generativelanguage.googleapis.com/v1beta",
    example: "https://generativelanguage.googleapis.com/v1beta",
  },
  openrouter: compatible("OpenRouter", "OPENROUTER_API_KEY", "https://openrouter.ai/api/v1"),
  groq: compatible("Groq", "GROQ_API_KEY", "https://api.groq.com/openai/v1"),
  mistral: compatible("Mistral", "MISTRAL_API_KEY", "https://api.mistral.ai/v1"),
  deepseek: compatible("DeepSeek", "DEEPSEEK_API_KEY", "https://api.deepseek.com/v1"),
  xai: compatible("xAI", "XAI_API_KEY", "https://api.x.ai/v1"),
  "openai-compatible": {
    label: "OpenAI-compatible server",
    key: "OPENAI_COMPATIBLE_API_KEY",
    url: "OPENAI_COMPATIBLE_BASE_URL",
    keyless: true,
    listsModels: true,
    example: LOCAL_EXAMPLE,
  },
  localai: {
    label: "LocalAI",
    key: "OPENAI_COMPATIBLE_API_KEY",
    url: "LOCALAI_BASE_URL",
    keyless: true,
    listsModels: true,
    example: "http://127.0.0.1:8080/v1",
  },
};

/** A provider with OpenAI's chat completions API at a known address. */
function compatible(label: string, key: keyof Settings, address: string): ProviderRow {
  return { label, key, address, listsModels: true, example: address };
}

/** Added by an operator under a custom name: an OpenAI-compatible server with an address. */
const ownRow = (provider: string): ProviderRow => ({
  label: provider,
  keyless: true,
  listsModels: true,
  example: LOCAL_EXAMPLE,
});
const rowOf = (provider: string): ProviderRow =>
  (Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : undefined) ?? ownRow(provider);

const keyOf = ({ apiKey }: Credentials): Credentials => (apiKey === undefined ? {} : { apiKey });
const withoutKey = ({ baseUrl }: Credentials): Credentials => (baseUrl === undefined ? {} : { baseUrl });
const isSameAddress = (one = "", other = ""): boolean =>
  one.replace(/\/+$/, "") === other.replace(/\/+$/, "");

export const PROVIDER_NAMES: readonly string[] = Object.keys(PROVIDERS);

export function openProviders(settings: Settings, store: ProviderStore, takesAddresses = true): Providers {
  const fromEnvironment = (provider: string): Credentials => {
    const row = rowOf(provider);
    const apiKey = (row.key && settings[row.key]) ?? (row.otherKey && settings[row.otherKey]);
    const baseUrl = (row.url && settings[row.url]) ?? row.address;
    return { ...(typeof apiKey === "string" && { apiKey }), ...(typeof baseUrl === "string" && { baseUrl }) };
  };
  const usable = (provider: string, { apiKey, baseUrl }: Credentials): boolean =>
    (rowOf(provider).keyless ? baseUrl : apiKey) !== undefined;
  const addressOf = (provider: string, ...from: readonly Credentials[]): string | undefined =>
    from.find(({ baseUrl }) => baseUrl !== undefined)?.baseUrl ?? rowOf(provider).usual;
  const readSaved = async (provider: string): Promise<Credentials> => {
    const { baseUrl, ...key } = (await store.credentials(provider)) ?? {};
    return takesAddresses && baseUrl !== undefined ? { ...key, baseUrl } : key;
  };
  /** A key is only sent to the address it was given for: a new address needs a new key. */
  const withGiven = async (provider: string, given: Credentials): Promise<Credentials> => {
    const [environment, stored] = [fromEnvironment(provider), await readSaved(provider)];
    const address = addressOf(provider, given, stored, environment);
    const isHere = (...from: readonly Credentials[]) => isSameAddress(address, addressOf(provider, ...from));
    return {
      ...withoutKey(environment),
      ...(isHere(environment) && keyOf(environment)),
      ...withoutKey(stored),
      ...(isHere(stored, environment) && keyOf(stored)),
      ...given,
    };
  };
  const credentials = async (provider: string): Promise<Credentials | undefined> => {
    const both = await withGiven(provider, {});
    return usable(provider, both) ? both : undefined;
  };
  return {
    credentials,
    withGiven,
    takesAddresses,
    async put(provider, input) {
      const { apiKey, baseUrl } = input;
      const before = addressOf(provider, await readSaved(provider), fromEnvironment(provider));
      const hasMoved = baseUrl !== undefined && !isSameAddress(baseUrl, before);
      await store.put(provider, hasMoved && apiKey === undefined ? { baseUrl, apiKey: null } : input);
    },
    remove: (provider) => store.remove(provider),
    async list() {
      const saved = new Set((await store.list()).map(({ provider }) => provider));
      return Promise.all(
        [...new Set([...PROVIDER_NAMES, ...saved])].map(async (provider): Promise<ProviderState> => {
          const row = rowOf(provider);
          const found = await credentials(provider);
          const from = !found ? "none" : saved.has(provider) ? "settings" : "environment";
          const own = found?.baseUrl !== row.address ? found?.baseUrl : undefined;
          return {
            provider,
            label: row.label,
            configured: found !== undefined,
            from,
            keyless: row.keyless === true,
            listsModels: row.listsModels === true,
            example: row.example,
            ...(own !== undefined && { baseUrl: own }),
          };
        }),
      );
    },
  };
}
