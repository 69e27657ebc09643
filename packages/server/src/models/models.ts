/**
 * Which model answers: the agent's, otherwise CAPSTAN_MODEL, the operator's choice, the first provider with a key,
 * a model server on this machine, or the offline demo, in this order.
 */
import { offlineModel } from "@capstan/builtins";
import { fail, ok, type Result } from "@capstan/core";
import {
  createModelRegistry,
  type ModelCapabilities,
  type ModelRegistry,
  type ModelValidationResult,
  NATIVE_AGENT,
} from "@capstan/core/internal";
import {
  type ListedModel,
  LOCAL_PROVIDERS,
  type Models,
  openModels,
  type ResolvedModel,
  type SettingStore,
} from "@capstan/runtime";
import type { Settings } from "../settings/settings.ts";
import type { FoundModels, ModelFinder } from "./find-models.ts";
import { PROVIDER_NAMES, type Providers } from "./providers.ts";

export const OFFLINE = "capstan/offline";
export const OFFLINE_LABEL = "capstan/offline (demo)";

/** A good default model of each provider. */
export const PREFERRED: Readonly<Record<string, string>> = {
  anthropic: "anthropic/claude-sonnet-5-5",
  openai: "openai/gpt-6.1-sol",
  google: "google/gemini-3.8-flash",
  openrouter: "openrouter/openrouter/auto",
  groq: "groq/openai/gpt-oss-120b",
  mistral: "mistral/mistral-large-latest",
  deepseek: "deepseek/deepseek-chat",
  xai: "xai/grok-4",
};

const DEFAULT_MODEL = "default_model"; // the key of the operator's choice in the settings
const DEFAULT_KEPT_MS = 500; // read at every step of an agent without a model; a new key takes effect within a second

export interface DefaultModel {
  readonly name: string;
  readonly label: string;
  readonly demo: boolean;
  /** Why it is this one. */
  readonly from: "environment" | "settings" | "provider" | "local" | "demo";
}

export interface ServerModels extends Models {
  /** All known models; loaded on first use. */
  readonly registry: () => Promise<ModelRegistry>;
  /** The default model, and its display name. */
  defaultModel(): Promise<DefaultModel>;
  /** The operator's choice; undefined restores automatic selection. */
  useModel(name: string | undefined, by: string): Promise<Result<DefaultModel>>;
  readonly finder: ModelFinder;
  /** Built-in models and those added by a program, by their full name. */
  readonly builtIn: Readonly<Record<string, ResolvedModel>>;
}

export interface ServerModelParts {
  readonly settings: Settings;
  readonly providers: Providers;
  readonly choices: SettingStore;
  readonly finder: ModelFinder;
  readonly own?: Readonly<Record<string, ResolvedModel>>;
}

export function openServerModels(parts: ServerModelParts): ServerModels {
  const { settings, providers, choices, finder, own = {} } = parts;
  let listed: Promise<ModelRegistry> | undefined;
  const registry = () => (listed ??= openRegistry());
  const builtIn = { ...own, [OFFLINE]: offlineEntry() };
  const models = openModels({
    credentials: async (provider) =>
      (await providers.credentials(provider)) ?? localCredentials(finder.latest(), provider),
    catalog: async (name) =>
      localModel(finder.latest(), name) ?? (await registry()).validate(NATIVE_AGENT, name),
    defaultModel: OFFLINE,
    builtIn,
    compatible: [...PROVIDER_NAMES, ...LOCAL_PROVIDERS],
  });
  const chosen = async (): Promise<string | undefined> => {
    const name = await choices.get(DEFAULT_MODEL);
    // A choice whose provider lost its key is ignored: automatic selection applies again.
    return typeof name === "string" && (await models.check(name)).ok ? name : undefined;
  };
  const current = keptFor(DEFAULT_KEPT_MS, async (): Promise<DefaultModel> => {
    if (settings.CAPSTAN_MODEL) return named(settings.CAPSTAN_MODEL, "environment");
    const choice = await chosen();
    if (choice !== undefined) return named(choice, "settings");
    const states = await providers.list();
    const keyed = states.find(({ provider, configured }) => configured && PREFERRED[provider]);
    if (keyed) return named(bestOf(keyed.provider, finder.latest()), "provider");
    const local = bestLocal(finder.latest());
    return local === undefined ? named(OFFLINE, "demo") : named(local, "local");
  });
  return {
    registry,
    finder,
    builtIn,
    resolve: async (name) => models.resolve(name ?? (await current.read()).name),
    check: async (name) => models.check(name ?? (await current.read()).name),
    defaultModel: current.read,
    async useModel(name, by) {
      if (settings.CAPSTAN_MODEL) return fail("default_model_fixed", { model: settings.CAPSTAN_MODEL });
      if (name === undefined) await choices.remove(DEFAULT_MODEL);
      else {
        const known = await models.check(name);
        if (!known.ok) return known;
        await choices.put(DEFAULT_MODEL, name, by);
      }
      current.forget();
      return ok(await current.read());
    },
  };
}

const named = (name: string, from: DefaultModel["from"]): DefaultModel => ({
  name,
  label: name === OFFLINE ? OFFLINE_LABEL : name,
  demo: name === OFFLINE,
  from,
});

const localCredentials = ({ servers }: FoundModels, provider: string) => {
  const server = servers.find((each) => each.provider === provider);
  return server && { baseUrl: server.baseUrl };
};

/** The provider's usual default, or, where its list lacks that one, the first that can call tools. */
function bestOf(provider: string, { hosted }: FoundModels): string {
  const usual = PREFERRED[provider] ?? "";
  const { models = [] } = hosted.find((each) => each.provider === provider) ?? {};
  if (models.length === 0 || models.some(({ id }) => `${provider}/${id}` === usual)) return usual;
  const best = models.find(({ tools }) => tools !== false) ?? models[0];
  return best ? `${provider}/${best.id}` : usual;
}

/** The first model that can call tools, or whose server does not report it. */
function bestLocal({ servers }: FoundModels): string | undefined {
  const all = servers.flatMap(({ provider, models }) => models.map((model) => ({ provider, model })));
  const best = all.find(({ model }) => model.tools !== false) ?? all[0];
  return best && `${best.provider}/${best.model.id}`;
}

/** What a server's own list says of its model. */
function localModel({ servers, hosted }: FoundModels, name: string): ModelValidationResult | undefined {
  const found = [...servers, ...hosted].find(({ provider, models }) =>
    models.some(({ id }) => `${provider}/${id}` === name),
  );
  const model = found?.models.find(({ id }) => `${found.provider}/${id}` === name);
  if (!found || !model) return undefined;
  const isHosted = hosted.includes(found);
  if (isHosted && model.contextWindow === undefined) return undefined; // nothing is known that is worth a guess
  return {
    valid: true,
    status: "ok",
    message: "",
    model: listedCapabilities(found.provider, model, isHosted ? hostedPrices(model) : FREE),
  };
}

type Prices = Pick<ModelCapabilities, "inputPricePerMillion" | "outputPricePerMillion" | "deployment">;

const FREE: Prices = { inputPricePerMillion: 0, outputPricePerMillion: 0, deployment: "local" };

const hostedPrices = ({ inputPrice, outputPrice }: ListedModel): Prices => ({
  deployment: "hosted",
  ...(inputPrice !== undefined && { inputPricePerMillion: inputPrice }),
  ...(outputPrice !== undefined && { outputPricePerMillion: outputPrice }),
});

const SMALL_CONTEXT = 4_096; // the default of local servers; too large a guess would silently cut the start of the conversation
const SMALL_OUTPUT = 2_048;

function listedCapabilities(provider: string, model: ListedModel, prices: Prices): ModelCapabilities {
  const contextWindow = model.contextWindow ?? SMALL_CONTEXT;
  return {
    agent: NATIVE_AGENT,
    modelId: model.id,
    displayName: model.id,
    provider,
    deprecated: false,
    contextWindow,
    maxOutputTokens: Math.max(SMALL_OUTPUT, Math.floor(contextWindow / 4)),
    ...prices,
    supportsThinking: false,
    supportsToolCalling: model.tools !== false,
    supportsParallelToolCalls: false,
    supportsToolCallStreaming: false,
    supportsJsonMode: true,
    supportsStructuredOutput: false,
    supportsTextStreaming: true,
    supportsThinkingStreaming: false,
    supportsImageInput: model.images !== false, // many servers do not tell; one that reads none refuses by name
    supportsImageOutput: false,
    supportsFileInput: false,
    cliArgKey: "",
    cliArgValue: "",
    lastUpdated: "",
    source: "remote",
  };
}

async function openRegistry(): Promise<ModelRegistry> {
  const { MODEL_SNAPSHOTS } = await import("@capstan/coding-agents");
  return createModelRegistry({ snapshots: MODEL_SNAPSHOTS, now: () => new Date() });
}

function keptFor<T>(ms: number, read: () => Promise<T>): { read: () => Promise<T>; forget: () => void } {
  let kept: { at: number; value: Promise<T> } | undefined;
  const forget = () => {
    kept = undefined;
  };
  return {
    forget,
    read() {
      if (kept && performance.now() - kept.at < ms) return kept.value;
      const value = read();
      kept = { at: performance.now(), value };
      value.catch(forget);
      return value;
    },
  };
}

function offlineEntry(): ResolvedModel {
  return {
    name: OFFLINE,
    label: OFFLINE_LABEL,
    provider: "capstan",
    modelId: "offline",
    isFree: true,
    model: offlineModel(),
    contextWindow: 100_000,
    inputs: { image: false, audio: false, video: false, pdf: false },
    abilities: { thinking: false, parallelCalls: false },
    jsonWithTools: true,
  };
}
