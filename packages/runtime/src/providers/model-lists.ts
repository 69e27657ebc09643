/** How each provider lists its models, and how to parse the list: one row each, over plain HTTP. */
import { z } from "zod";
import type { Credentials } from "./provider-table.ts";

export interface ListedModel {
  readonly id: string;
  readonly contextWindow?: number | undefined;
  readonly tools?: boolean | undefined;
  readonly images?: boolean | undefined;
  /** In dollars per million tokens. */
  readonly inputPrice?: number | undefined;
  readonly outputPrice?: number | undefined;
}

export interface ModelListRow {
  readonly url: (credentials: Credentials) => string;
  readonly headers: (credentials: Credentials) => Record<string, string>;
  /** Undefined when the response is not a list of models. */
  readonly read: (answer: unknown) => readonly ListedModel[] | undefined;
}

const MOST_MODELS = 1000;

const trimmed = (url: string): string => url.replace(/\/+$/, "");
const withVersion = (url: string, version: string): string =>
  /\/v\d+\w*$/.test(trimmed(url)) ? trimmed(url) : `${trimmed(url)}/${version}`;
const bearer = ({ apiKey }: Credentials): Record<string, string> =>
  apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };

const OpenAiList = z.object({
  data: z.array(
    z.object({
      id: z.string().min(1),
      // vLLM and several gateways report the context length, each under its own name.
      max_model_len: z.number().optional(),
      context_length: z.number().optional(),
      context_window: z.number().optional(),
      max_context_length: z.number().optional(),
      // OpenRouter's, in dollars per token; what it lists otherwise is left alone.
      pricing: z
        .object({ prompt: z.coerce.number().min(0), completion: z.coerce.number().min(0) })
        .optional()
        .catch(undefined),
      supported_parameters: z.array(z.string()).optional().catch(undefined),
      architecture: z
        .object({ input_modalities: z.array(z.string()) })
        .optional()
        .catch(undefined),
    }),
  ),
});

const MILLION = 1_000_000;
const perMillion = (price: number | undefined): number | undefined =>
  price === undefined ? undefined : Math.round(price * MILLION * MILLION) / MILLION;

/** Models that are not for chat, in the same list. */
const NO_CHAT =
  /embed|whisper|tts|dall-e|moderation|transcribe|realtime|image|sora|rerank|audio|davinci|babbage/i;

function readOpenAi(answer: unknown): readonly ListedModel[] | undefined {
  const parsed = OpenAiList.safeParse(answer);
  if (!parsed.success) return undefined;
  return parsed.data.data
    .filter(({ id }) => !NO_CHAT.test(id))
    .slice(0, MOST_MODELS)
    .map((model) => ({
      id: model.id,
      contextWindow:
        model.max_model_len ?? model.context_length ?? model.context_window ?? model.max_context_length,
      tools: model.supported_parameters?.includes("tools"),
      images: model.architecture?.input_modalities.includes("image"),
      inputPrice: perMillion(model.pricing?.prompt),
      outputPrice: perMillion(model.pricing?.completion),
    }));
}

const AnthropicList = z.object({ data: z.array(z.object({ id: z.string().min(1) })) });

const GoogleList = z.object({
  models: z.array(
    z.object({
      name: z.string(),
      inputTokenLimit: z.number().optional(),
      supportedGenerationMethods: z.array(z.string()).default([]),
    }),
  ),
});

function readGoogle(answer: unknown): readonly ListedModel[] | undefined {
  const parsed = GoogleList.safeParse(answer);
  if (!parsed.success) return undefined;
  return parsed.data.models
    .filter(({ supportedGenerationMethods }) => supportedGenerationMethods.includes("generateContent"))
    .map(({ name, inputTokenLimit }) => ({
      id: name.replace(/^models\//, ""),
      contextWindow: inputTokenLimit,
    }));
}

export const COMPATIBLE_LIST: ModelListRow = {
  url: ({ baseUrl = "" }) => `${trimmed(baseUrl)}/models`,
  headers: bearer,
  read: readOpenAi,
};

export const MODEL_LISTS: Readonly<Record<string, ModelListRow>> = {
  anthropic: {
    url: ({ baseUrl = "https://api.anthropic.com" }) => `${withVersion(baseUrl, "v1")}/models?limit=1000`,
    headers: ({ apiKey = "" }) => ({ "x-api-key": apiKey, "anthropic-version": "2023-06-01" }),
    read: (answer) => AnthropicList.safeParse(answer).data?.data,
  },
  openai: {
    url: ({ baseUrl = "https://api.openai.com/v1" }) => `${trimmed(baseUrl)}/models`,
    headers: bearer,
    read: readOpenAi,
  },
  google: {
    url: ({ baseUrl = "https://generativelanguage.googleapis.com/v1beta" }) =>
      `${withVersion(baseUrl, "v1beta")}/models?pageSize=1000`,
    headers: ({ apiKey = "" }) => ({ "x-goog-api-key": apiKey }),
    read: readGoogle,
  },
};
