/**
 * Model servers on this machine: Ollama, LM Studio, llama.cpp, vLLM and others, found by probing their usual ports.
 * One row each: where it listens, what identifies it, and how it lists its models.
 */
import { z } from "zod";
import type { ListedModel } from "./model-lists.ts";

export interface LocalServer {
  /** The provider's name in `provider/model`. */
  readonly provider: string;
  readonly label: string;
  /** Of its OpenAI-compatible API. */
  readonly baseUrl: string;
  readonly models: readonly ListedModel[];
}

type Ask = (path: string, body?: object) => Promise<unknown>;

interface LocalRow {
  readonly provider: string;
  readonly label: string;
  readonly port: number;
  /** The environment variable that overrides the address, as in the program itself. */
  readonly variable?: string;
  readonly apiPath: string;
  readonly list: (ask: Ask) => Promise<readonly ListedModel[] | undefined>;
}

const ANSWER_WITHIN_MS = 1_500; // where nothing listens the refusal is instant; a busy machine takes its time, and a port that hangs must not hold up the banner for long
const MOST_SHOWN = 50;

const OllamaTags = z.object({ models: z.array(z.object({ name: z.string() })) });
const OllamaModel = z.object({
  capabilities: z.array(z.string()).default([]),
  model_info: z.record(z.string(), z.unknown()).default({}),
});
const LmStudioModels = z.object({
  models: z.array(
    z.object({
      key: z.string(),
      type: z.string().default("llm"),
      max_context_length: z.number().optional(),
      loaded_instances: z
        .array(z.object({ config: z.object({ context_length: z.number().optional() }).default({}) }))
        .default([]),
      capabilities: z
        .object({ vision: z.boolean().optional(), trained_for_tool_use: z.boolean().optional() })
        .default({}),
    }),
  ),
});
/** Before LM Studio 0.4. */
const OldLmStudioModels = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      type: z.string(),
      max_context_length: z.number().optional(),
      loaded_context_length: z.number().optional(),
      capabilities: z.array(z.string()).optional(),
    }),
  ),
});
const OpenAiModels = z.object({
  data: z.array(
    z.object({ id: z.string(), owned_by: z.string().default(""), max_model_len: z.number().optional() }),
  ),
});
const LlamaProps = z.object({
  default_generation_settings: z.object({ n_ctx: z.number().optional() }).default({}),
});

async function ollamaModels(ask: Ask): Promise<readonly ListedModel[] | undefined> {
  const tags = OllamaTags.safeParse(await ask("/api/tags"));
  if (!tags.success) return undefined;
  const models = await Promise.all(
    tags.data.models.slice(0, MOST_SHOWN).map(async ({ name }): Promise<ListedModel & { chat: boolean }> => {
      const shown = OllamaModel.safeParse(await ask("/api/show", { model: name }).catch(() => ({})));
      const { capabilities = [], model_info = {} } = shown.data ?? {};
      const context = Object.entries(model_info).find(([key]) => key.endsWith(".context_length"))?.[1];
      return {
        id: name,
        contextWindow: typeof context === "number" ? context : undefined,
        tools: capabilities.length === 0 ? undefined : capabilities.includes("tools"),
        images: capabilities.includes("vision"),
        chat: capabilities.length === 0 || capabilities.includes("completion"),
      };
    }),
  );
  return models.filter(({ chat }) => chat).map(({ chat: _, ...model }) => model);
}

export async function lmStudioModels(ask: Ask): Promise<readonly ListedModel[] | undefined> {
  const answer = LmStudioModels.safeParse(await ask("/api/v1/models").catch(() => undefined));
  if (!answer.success) return oldLmStudioModels(ask);
  return answer.data.models
    .filter(({ type }) => type === "llm" || type === "vlm")
    .map(({ key, max_context_length, loaded_instances, capabilities }) => ({
      id: key,
      contextWindow: loaded_instances[0]?.config.context_length ?? max_context_length,
      tools: capabilities.trained_for_tool_use,
      images: capabilities.vision,
    }));
}

async function oldLmStudioModels(ask: Ask): Promise<readonly ListedModel[] | undefined> {
  const answer = OldLmStudioModels.safeParse(await ask("/api/v0/models").catch(() => undefined));
  if (!answer.success) return openAiModels("organization_owner")(ask);
  return answer.data.data
    .filter(({ type }) => type === "llm" || type === "vlm")
    .map(({ id, type, max_context_length, loaded_context_length, capabilities }) => ({
      id,
      contextWindow: loaded_context_length ?? max_context_length,
      tools: capabilities?.includes("tool_use"),
      images: type === "vlm",
    }));
}

async function llamaModels(ask: Ask): Promise<readonly ListedModel[] | undefined> {
  const answer = OpenAiModels.safeParse(await ask("/v1/models"));
  if (!answer.success || !answer.data.data.some(({ owned_by }) => owned_by === "llamacpp")) return undefined;
  const props = LlamaProps.safeParse(await ask("/props").catch(() => ({})));
  const contextWindow = props.data?.default_generation_settings.n_ctx;
  return answer.data.data.map(({ id }) => ({ id, contextWindow }));
}

/** A server that supports OpenAI's list and identifies itself by `owned_by`, or is alone on its port. */
const openAiModels =
  (ownedBy?: string) =>
  async (ask: Ask): Promise<readonly ListedModel[] | undefined> => {
    const answer = OpenAiModels.safeParse(await ask("/v1/models"));
    if (!answer.success) return undefined;
    const own = answer.data.data.filter(
      ({ id, owned_by }) => (ownedBy === undefined || owned_by === ownedBy) && !/embed/i.test(id),
    );
    if (own.length === 0) return undefined;
    return own.map(({ id, max_model_len }) => ({ id, contextWindow: max_model_len }));
  };

const ROWS: readonly LocalRow[] = [
  {
    provider: "ollama",
    label: "Ollama",
    port: 11434,
    variable: "OLLAMA_HOST",
    apiPath: "/v1",
    list: ollamaModels,
  },
  { provider: "lmstudio", label: "LM Studio", port: 1234, apiPath: "/v1", list: lmStudioModels },
  { provider: "llamacpp", label: "llama.cpp", port: 8080, apiPath: "/v1", list: llamaModels },
  { provider: "vllm", label: "vLLM", port: 8000, apiPath: "/v1", list: openAiModels("vllm") },
  { provider: "jan", label: "Jan", port: 1337, apiPath: "/v1", list: openAiModels() },
];

/** Prefixes of model names of local servers. */
export const LOCAL_PROVIDERS: readonly string[] = ROWS.map(({ provider }) => provider);

export interface FindOptions {
  /** For variables that override the address, such as OLLAMA_HOST. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs?: number;
}

export async function findLocalServers({
  environment = {},
  timeoutMs = ANSWER_WITHIN_MS,
}: FindOptions = {}): Promise<readonly LocalServer[]> {
  const found = await Promise.all(
    ROWS.map(async ({ provider, label, port, variable, apiPath, list }): Promise<LocalServer[]> => {
      const origin = originOf(variable === undefined ? undefined : environment[variable], port);
      const models = await list(asker(origin, timeoutMs)).catch(() => undefined);
      return models && models.length > 0 ? [{ provider, label, baseUrl: origin + apiPath, models }] : [];
    }),
  );
  return found.flat();
}

/** `OLLAMA_HOST` may be a host, a host with a port, or a URL; 0.0.0.0 is a listening address, not one to connect to. */
function originOf(given: string | undefined, port: number): string {
  const fallback = `http://127.0.0.1:${port}`;
  if (given === undefined || given.trim() === "") return fallback;
  const text = given.includes("://") ? given : `http://${given}`;
  if (!URL.canParse(text)) return fallback;
  const url = new URL(text);
  const host = url.hostname === "0.0.0.0" ? "127.0.0.1" : url.hostname;
  return `${url.protocol}//${host}:${url.port || port}`;
}

const asker =
  (origin: string, timeoutMs: number): Ask =>
  async (path, body) => {
    const response = await fetch(origin + path, {
      signal: AbortSignal.timeout(timeoutMs),
      redirect: "error",
      ...(body && {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      }),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    return response.json();
  };
