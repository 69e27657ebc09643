/**
 * The model providers, one row each: how to create a model, and what the provider supports. A provider's SDK is
 * loaded with its first model.
 */
import type { LanguageModelV4, SharedV4ProviderOptions } from "@ai-sdk/provider";
import { joinedDeltas } from "./joined-deltas.ts";
import type { ModelInputs } from "./models.ts";
import { fetchThrough, nodeFetch } from "./node-fetch.ts";

export interface Credentials {
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
}

export interface ProviderRow {
  /** The environment variable of the key, for the next step when it is missing. */
  readonly keyVariable: string;
  readonly needsKey: boolean;
  readonly make: (modelId: string, credentials: Credentials, name: string) => Promise<LanguageModelV4>;
  /** What the provider's models accept beyond the model list. */
  readonly inputs: ModelInputs;
  readonly cacheMark?: SharedV4ProviderOptions;
  /** Sent with every call. */
  readonly callOptions?: SharedV4ProviderOptions;
  readonly jsonWithTools: boolean;
}

const base = ({ baseUrl }: Credentials) => (baseUrl === undefined ? {} : { baseURL: baseUrl });
/** Claude Code expects this address without the version, the SDK with it; people use one variable for both. */
const versioned = ({ baseUrl }: Credentials) =>
  base({ baseUrl: baseUrl?.replace(/\/*$/, "").replace(/(?<!\/v\d+)$/, "/v1") });
const key = ({ apiKey }: Credentials) => (apiKey === undefined ? {} : { apiKey });

export const PROVIDERS: Readonly<Record<string, ProviderRow>> = {
  anthropic: {
    keyVariable: "ANTHROPIC_API_KEY",
    needsKey: true,
    make: async (modelId, credentials) => {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ ...key(credentials), ...versioned(credentials), fetch: nodeFetch })(modelId);
    },
    inputs: { image: true, audio: false, video: false, pdf: true },
    cacheMark: { anthropic: { cacheControl: { type: "ephemeral" } } },
    jsonWithTools: false,
  },
  openai: {
    keyVariable: "OPENAI_API_KEY",
    needsKey: true,
    make: async (modelId, credentials) => {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI({ ...key(credentials), ...base(credentials), fetch: nodeFetch }).responses(modelId);
    },
    inputs: { image: true, audio: false, video: false, pdf: true },
    // The conversation is stored here: the provider stores nothing, and reasoning comes back encrypted.
    callOptions: { openai: { store: false } },
    jsonWithTools: true,
  },
  google: {
    keyVariable: "GOOGLE_GENERATIVE_AI_API_KEY",
    needsKey: true,
    make: async (modelId, credentials) => {
      const { createGoogleGenerativeAI: createGoogle } = await import("@ai-sdk/google");
      return createGoogle({ ...key(credentials), ...base(credentials), fetch: nodeFetch })(modelId);
    },
    inputs: { image: true, audio: true, video: true, pdf: true },
    jsonWithTools: false,
  },
};

/** Any endpoint with OpenAI's chat completions API: Ollama, vLLM, LocalAI, a gateway. */
export const COMPATIBLE: ProviderRow = {
  keyVariable: "OPENAI_COMPATIBLE_BASE_URL",
  needsKey: false,
  make: async (modelId, credentials, name) => {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    return createOpenAICompatible({
      name,
      baseURL: credentials.baseUrl ?? "",
      ...key(credentials),
      includeUsage: true,
      fetch: fetchThrough(joinedDeltas),
    }).chatModel(modelId);
  },
  inputs: { image: true, audio: false, video: false, pdf: false },
  jsonWithTools: false,
};
