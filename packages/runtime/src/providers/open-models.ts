/**
 * Resolves a model by name. Unknown ones and missing keys are refused with the next step, at save and at run.
 * A provider with a custom base URL may have models we do not know: its names are accepted unchecked.
 */
import { fail, ok, type Result } from "@capstan/core";
import { type ModelCapabilities, type ModelValidationResult, nearest } from "@capstan/core/internal";
import type { ModelInputs, ModelPrices, Models, ResolvedModel } from "./models.ts";
import { COMPATIBLE, type Credentials, PROVIDERS, type ProviderRow } from "./provider-table.ts";

const UNKNOWN_WINDOW = 32_000; // for a model that no list knows: small enough for most
const RESOLVED_KEPT_MS = 1000; // a new key takes effect within a second, and a step reads neither rows nor lists
const MOST_KEPT = 1000; // names come from requests

export interface OpenModelsParts {
  /** Keys and addresses from the environment, or set by an operator. */
  readonly credentials: (provider: string) => Promise<Credentials | undefined>;
  /** The list of known models, by `provider/model` or an alias. */
  readonly catalog: (name: string) => ModelValidationResult | Promise<ModelValidationResult>;
  /** The default for agents that name none. */
  readonly defaultModel: string;
  /** Models without a provider, by their full name; the offline model is one. */
  readonly builtIn?: Readonly<Record<string, ResolvedModel>>;
  /** Names of providers with an OpenAI-compatible endpoint, besides those with a base URL. */
  readonly compatible?: readonly string[];
}

export function openModels(parts: OpenModelsParts): Models {
  const made = new Map<string, ResolvedModel>();
  const find = async (name: string): Promise<Result<ResolvedModel>> => {
    const provider = name.slice(0, Math.max(0, name.indexOf("/")));
    if (provider === "" || name.length === provider.length + 1) return unknownModel(parts, name);
    const credentials = await parts.credentials(provider);
    const row = rowOf(parts, provider, credentials);
    if (!row) return unknownProvider(parts, provider);
    const checked = await checkModel(parts, row, { name, provider, credentials });
    if (!checked.ok) return checked;
    const key = JSON.stringify([name, credentials]);
    const model =
      made.get(key) ??
      (await resolvedModel(row, { name, provider, credentials: credentials ?? {}, listed: checked.value }));
    made.set(key, model);
    return ok(model);
  };
  const found = keptFor(RESOLVED_KEPT_MS, find);
  const resolve = async (name: string = parts.defaultModel): Promise<Result<ResolvedModel>> => {
    const builtIn = ownValue(parts.builtIn ?? {}, name);
    return builtIn ? ok(builtIn) : found(name);
  };
  return {
    resolve,
    async check(name) {
      const found = await resolve(name);
      return found.ok ? ok(true) : found;
    },
  };
}

/** A name from outside may be one that every object has, such as "constructor". */
const ownValue = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

interface Named {
  readonly name: string;
  readonly provider: string;
  readonly credentials: Credentials | undefined;
}

const rowOf = (
  { compatible = [] }: OpenModelsParts,
  provider: string,
  credentials: Credentials | undefined,
): ProviderRow | undefined => {
  const isCompatible = credentials?.baseUrl !== undefined || compatible.includes(provider);
  return ownValue(PROVIDERS, provider) ?? (isCompatible ? COMPATIBLE : undefined);
};

/** The listed model, or undefined where the list does not apply. */
async function checkModel(
  { catalog }: OpenModelsParts,
  row: ProviderRow,
  { name, provider, credentials }: Named,
): Promise<Result<ModelCapabilities | undefined>> {
  const listed = await catalog(name);
  const freeNames = row === COMPATIBLE || credentials?.baseUrl !== undefined;
  if (!listed.valid && !freeNames) {
    return fail("model_unknown", { model: name, nearest: listed.suggestions ?? [] });
  }
  const lacksKey = row.needsKey && credentials?.apiKey === undefined;
  const lacksAddress = row === COMPATIBLE && credentials?.baseUrl === undefined;
  if (lacksKey || lacksAddress) return fail("provider_key_missing", { provider, variable: row.keyVariable });
  return ok(listed.model);
}

const unknownProvider = ({ builtIn = {} }: OpenModelsParts, provider: string): Result<never> =>
  fail("provider_unknown", {
    provider,
    known: [
      ...Object.keys(PROVIDERS),
      "openai-compatible",
      ...Object.keys(builtIn).map((name) => name.split("/")[0] ?? name),
    ],
  });

async function unknownModel(
  { catalog, builtIn = {} }: OpenModelsParts,
  name: string,
): Promise<Result<never>> {
  const { suggestions } = await catalog(name);
  return fail("model_unknown", { model: name, nearest: suggestions ?? nearest(name, Object.keys(builtIn)) });
}

async function resolvedModel(
  row: ProviderRow,
  parts: {
    readonly name: string;
    readonly provider: string;
    readonly credentials: Credentials;
    readonly listed: ModelCapabilities | undefined;
  },
): Promise<ResolvedModel> {
  const { name, provider, credentials, listed } = parts;
  const asked = name.slice(provider.length + 1);
  const modelId = listed?.providerModelId ?? bareId(listed?.modelId, provider) ?? asked;
  return {
    name,
    label: name,
    provider,
    modelId,
    model: await row.make(modelId, credentials, provider),
    contextWindow: listed?.contextWindow ?? UNKNOWN_WINDOW,
    maxOutputTokens: listed?.maxOutputTokens,
    prices: pricesOf(listed),
    isFree: isOnThisMachine(credentials.baseUrl),
    inputs: inputsOf(row.inputs, listed),
    isUnlisted: listed === undefined,
    cacheMark: row.cacheMark,
    callOptions: row.callOptions,
    jsonWithTools: row.jsonWithTools,
  };
}

const isOnThisMachine = (baseUrl: string | undefined): boolean =>
  baseUrl !== undefined && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(baseUrl).hostname);

/** The list has `provider/model`; the provider only knows the second half. */
const bareId = (modelId: string | undefined, provider: string): string | undefined =>
  modelId?.startsWith(`${provider}/`) ? modelId.slice(provider.length + 1) : modelId;

function pricesOf(listed: ModelCapabilities | undefined): ModelPrices | undefined {
  const {
    inputPricePerMillion: input,
    outputPricePerMillion: output,
    cachedInputPricePerMillion,
  } = listed ?? {};
  if (input === undefined || output === undefined) return undefined;
  return {
    input,
    output,
    ...(cachedInputPricePerMillion !== undefined && { cachedInput: cachedInputPricePerMillion }),
  };
}

const inputsOf = (provider: ModelInputs, listed: ModelCapabilities | undefined): ModelInputs =>
  listed
    ? { ...provider, image: listed.supportsImageInput, pdf: provider.pdf && listed.supportsFileInput }
    : provider;

function keptFor<T>(ms: number, read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const kept = new Map<string, { at: number; value: Promise<T> }>();
  return (key) => {
    const before = kept.get(key);
    if (before && performance.now() - before.at < ms) return before.value;
    if (kept.size >= MOST_KEPT) kept.clear();
    const value = read(key);
    kept.set(key, { at: performance.now(), value });
    value.catch(() => kept.delete(key));
    return value;
  };
}
