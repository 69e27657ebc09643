/**
 * Parses the model lists that CLIs and providers print. Each takes text and returns models; unparsable input is refused.
 *
 * Formats as printed by the versions in the manifests; those marked (docs) were read in source or documentation only.
 */
import { readInput } from "@capstan/core/internal";
import { z } from "zod";
import type { RemoteModel } from "./remote-model.ts";

const MAX_MODELS = 5_000; // the longest list known has 600 models; more means that something else is being read

/** Thrown for an invalid list; the registry keeps the old list and shows this. */
export class ModelListError extends Error {
  constructor(source: string, why: string) {
    super(`The model list of ${source} could not be read: ${why}`);
    this.name = "ModelListError";
  }
}

/** `model/list` of `codex app-server`: the answer with our id, among other lines. */
export function readCodexModels(stdout: string, requestId: number): RemoteModel[] {
  const answer = stdout
    .split("\n")
    .map(parsedOrNull)
    .map((line) => codexAnswer.safeParse(line));
  const found = answer.find((line) => line.success && line.data.id === requestId);
  if (!found?.success) throw new ModelListError("codex", "the app-server gave no answer");
  return checked(
    "codex",
    found.data.result.data
      .filter(({ hidden }) => !hidden)
      .map((model) => ({
        id: model.id,
        name: model.displayName,
        levels: model.supportedReasoningEfforts.map(({ reasoningEffort }) => reasoningEffort),
        images: model.inputModalities.includes("image"),
        provider: "openai",
        isDefault: model.isDefault,
        successorModelId: model.upgrade ?? undefined,
      })),
  );
}

const codexAnswer = z.object({
  id: z.number(),
  result: z.object({
    data: z.array(
      z.object({
        id: z.string(),
        displayName: z.string(),
        hidden: z.boolean().default(false),
        upgrade: z.string().nullish(),
        supportedReasoningEfforts: z.array(z.object({ reasoningEffort: z.string() })).default([]),
        inputModalities: z.array(z.string()).default(["text"]),
        isDefault: z.boolean().default(false),
      }),
    ),
  }),
});

/** `opencode models --verbose`: a line with the id, then a JSON object over several lines. */
export function readOpencodeModels(stdout: string): RemoteModel[] {
  const blocks = stdout.split(/^(?=[\w.-]+\/\S+$)/m).map((block) => {
    const end = block.indexOf("\n");
    return { id: block.slice(0, end).trim(), json: block.slice(end + 1) };
  });
  const models = blocks.flatMap(({ id, json }) => {
    const parsed = opencodeModel.safeParse(parsedOrNull(json));
    if (!parsed.success || !parsed.data.capabilities.toolcall) return [];
    const { name, cost, limit, capabilities, variants, providerID } = parsed.data;
    return [
      {
        id,
        name,
        provider: providerID,
        contextWindow: limit.context,
        maxOutputTokens: limit.output,
        price: [cost.input, cost.output, cost.cache.read] as const,
        ...opencodeThinking(capabilities.reasoning, variants),
        images: capabilities.input.image,
      },
    ];
  });
  return checked("opencode", models);
}

const opencodeModel = z.object({
  name: z.string(),
  providerID: z.string(),
  cost: z.object({
    input: z.number(),
    output: z.number(),
    cache: z.object({ read: z.number().default(0) }).default({ read: 0 }),
  }),
  limit: z.object({ context: z.number(), output: z.number() }),
  capabilities: z.object({
    reasoning: z.boolean(),
    toolcall: z.boolean(),
    input: z.object({ image: z.boolean().default(false) }),
  }),
  variants: z.record(z.string(), z.unknown()).default({}),
});

/** Variants that hold a number are sizes of a budget, not levels. */
function opencodeThinking(reasoning: boolean, variants: Record<string, unknown>): Partial<RemoteModel> {
  if (!reasoning) return { levels: [] };
  const isBudget = /"(budgetTokens|thinkingBudget)":/.test(JSON.stringify(variants));
  return isBudget ? {} : { levels: Object.keys(variants) };
}

/** `pi --list-models`: a table with the columns provider, model, context, max-out, thinking, images. */
export function readPiModels(stdout: string): RemoteModel[] {
  const [, ...rows] = stdout.trim().split("\n");
  const models = rows.flatMap((row) => {
    const [provider, model, context, output, thinking, images] = row.trim().split(/\s+/);
    if (!provider || !model || !context || !output) return [];
    const thinks = thinking === "yes" ? {} : { levels: [] };
    return [
      {
        id: `${provider}/${model}`,
        provider,
        contextWindow: shortNumber(context),
        maxOutputTokens: shortNumber(output),
        ...thinks,
        images: images === "yes",
      },
    ];
  });
  return checked("pi", models);
}

/** `200K`, `1.0M`, `8.2K`. */
function shortNumber(text: string): number | undefined {
  const match = /^([\d.]+)([KM]?)$/.exec(text);
  if (!match) return undefined;
  return Math.round(Number(match[1]) * (match[2] === "M" ? 1_000_000 : match[2] === "K" ? 1_000 : 1));
}

/** `copilot help config`: the quoted ids below the key `model`. */
export function readCopilotModels(stdout: string): RemoteModel[] {
  const section = /^ *`model`:[^\n]*\n((?: +- "[^"\n]+"\n?)+)/m.exec(stdout)?.[1] ?? "";
  return checked(
    "copilot",
    [...section.matchAll(/- "([^"\n]+)"/g)].map(([, id = ""]) => ({ id })),
  );
}

/** `omp models --json`. */
export function readOmpModels(stdout: string): RemoteModel[] {
  const { models } = parsedAs("omp", z.object({ models: z.array(ompModel) }), stdout);
  return checked(
    "omp",
    models.map(
      ({ selector, name, provider, contextWindow, maxTokens, reasoning, thinking, input, cost }) => ({
        id: selector,
        name,
        provider,
        contextWindow,
        maxOutputTokens: maxTokens,
        price: cost && ([cost.input, cost.output, cost.cacheRead] as const),
        ...(reasoning ? {} : { levels: [] }),
        ...(reasoning && thinking ? { levels: thinking } : {}),
        images: input.includes("image"),
      }),
    ),
  );
}

const ompModel = z.object({
  selector: z.string(),
  name: z.string(),
  provider: z.string(),
  contextWindow: z.number(),
  maxTokens: z.number(),
  reasoning: z.boolean().default(false),
  thinking: z.array(z.string()).nullish(),
  input: z.array(z.string()).default(["text"]),
  cost: z.object({ input: z.number(), output: z.number(), cacheRead: z.number().default(0) }).optional(),
});

/** `openclaw models list --json`. */
export function readOpenclawModels(stdout: string): RemoteModel[] {
  const row = z.object({
    key: z.string(),
    name: z.string().optional(),
    contextWindow: z.number().nullish(),
    input: z.string().nullish(),
    tags: z.array(z.string()).default([]),
  });
  const { models } = parsedAs("openclaw", z.object({ models: z.array(row) }), stdout);
  return checked(
    "openclaw",
    models.map(({ key, name, contextWindow, input, tags }) => ({
      id: key,
      name,
      contextWindow: contextWindow ?? undefined,
      isDefault: tags.includes("default"),
      ...(typeof input === "string" && { images: input.includes("image") }),
    })),
  );
}

/**
 * `agent models` of Cursor (docs): one `id - name` per line. Names that differ only in their level are also one model:
 * requested by level, it becomes the name that has it. Requested by name, the level is fixed.
 */
export function readCursorModels(stdout: string): RemoteModel[] {
  const lines = stdout
    .split("\n")
    .map((line) => /^\s*[*-]?\s*([a-z0-9][\w.-]*)(?:\s+-\s+(.+?))?\s*$/i.exec(line));
  const models = lines.flatMap((match) => {
    const [, id = "", title = ""] = match ?? [];
    if (!match || !/\d|auto/.test(id)) return [];
    const name = title.replace(/\s*\(.*\)$/, "");
    return [{ id, ...(name && { name }), levels: [], isDefault: /\(.*default.*\)/.test(title) }];
  });
  return checked("cursor", [...models, ...families(models.map(({ id }) => id))]);
}

function families(ids: readonly string[]): RemoteModel[] {
  const named = ids.flatMap((id) => {
    const [, base, level] = /^(.+)-(low|medium|high|xhigh|max)$/.exec(id) ?? [];
    return base && level ? [{ id, base, level: level === "xhigh" ? "max" : level }] : [];
  });
  const groups = Map.groupBy(named, ({ base }) => base);
  return [...groups].flatMap(([base, group]) => {
    if (group.length < 2 || ids.includes(base)) return [];
    return [{ id: base, effortNames: Object.fromEntries(group.map(({ level, id }) => [level, id])) }];
  });
}

/** `GET /v1/models` of Anthropic. */
export function readAnthropicModels(body: string, prefix = ""): RemoteModel[] {
  const row = z.object({
    id: z.string(),
    display_name: z.string().optional(),
    max_input_tokens: z.number().positive().optional(),
    max_tokens: z.number().positive().optional(),
  });
  const { data } = parsedAs("Anthropic", z.object({ data: z.array(row) }), body);
  return checked(
    "Anthropic",
    data.map(({ id, display_name, max_input_tokens, max_tokens }) => ({
      id: `${prefix}${id}`,
      name: display_name,
      contextWindow: max_input_tokens,
      maxOutputTokens: max_tokens,
      provider: "anthropic",
    })),
  );
}

const NOT_CHAT =
  /embed|tts|whisper|image|audio|realtime|moderation|dall-e|transcribe|sora|davinci|babbage|search/;

/** `GET /v1/models` of OpenAI: ids only, of every kind. */
export function readOpenaiModels(body: string, prefix = ""): RemoteModel[] {
  const { data } = parsedAs("OpenAI", z.object({ data: z.array(z.object({ id: z.string() })) }), body);
  const chat = data.filter(({ id }) => /^(gpt|o\d|chatgpt|codex)/.test(id) && !NOT_CHAT.test(id));
  return checked(
    "OpenAI",
    chat.map(({ id }) => ({ id: `${prefix}${id}`, provider: "openai" })),
  );
}

/** `GET /v1beta/models` of Google. */
export function readGoogleModels(body: string, prefix = ""): RemoteModel[] {
  const row = z.object({
    name: z.string(),
    displayName: z.string().optional(),
    inputTokenLimit: z.number().positive().optional(),
    outputTokenLimit: z.number().positive().optional(),
    supportedGenerationMethods: z.array(z.string()).default([]),
    thinking: z.boolean().optional(),
  });
  const { models } = parsedAs("Google", z.object({ models: z.array(row) }), body);
  const chat = models.filter(
    ({ name, supportedGenerationMethods }) =>
      supportedGenerationMethods.includes("generateContent") && /gemini/.test(name) && !NOT_CHAT.test(name),
  );
  return checked(
    "Google",
    chat.map(({ name, displayName, inputTokenLimit, outputTokenLimit, thinking }) => ({
      id: `${prefix}${name.replace(/^models\//, "")}`,
      name: displayName,
      contextWindow: inputTokenLimit,
      maxOutputTokens: outputTokenLimit,
      provider: "google",
      thinks: thinking,
    })),
  );
}

/** `GET /api/v1/models` of OpenRouter: prices are USD per token, as text. */
export function readOpenrouterModels(body: string): RemoteModel[] {
  const price = z.coerce.number().catch(0);
  const row = z.object({
    id: z.string(),
    name: z.string().optional(),
    context_length: z.number().positive().nullish(),
    top_provider: z.object({ max_completion_tokens: z.number().positive().nullish() }).nullish(),
    pricing: z.object({ prompt: price, completion: price, input_cache_read: price.optional() }).optional(),
    supported_parameters: z.array(z.string()).default([]),
  });
  const { data } = parsedAs("OpenRouter", z.object({ data: z.array(row) }), body);
  const perMillion = (usd: number) => Math.round(usd * 1e12) / 1e6;
  return checked(
    "OpenRouter",
    data
      .filter(({ supported_parameters }) => supported_parameters.includes("tools"))
      .map(({ id, name, context_length, top_provider, pricing }) => ({
        id,
        name,
        contextWindow: context_length ?? undefined,
        maxOutputTokens: top_provider?.max_completion_tokens ?? undefined,
        price: pricing && [
          perMillion(pricing.prompt),
          perMillion(pricing.completion),
          perMillion(pricing.input_cache_read ?? pricing.prompt),
        ],
        provider: id.split("/")[0],
      })),
  );
}

function checked(source: string, models: readonly RemoteModel[]): RemoteModel[] {
  if (models.length === 0) throw new ModelListError(source, "it holds no model");
  if (models.length > MAX_MODELS) throw new ModelListError(source, `it has more than ${MAX_MODELS} models`);
  return [...new Map(models.map((model) => [model.id, model])).values()];
}

function parsedAs<T>(source: string, schema: z.ZodType<T>, text: string): T {
  const read = readInput(schema, parsedOrNull(text));
  if (!read.ok) throw new ModelListError(source, read.where.slice(0, 300));
  return read.value;
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
