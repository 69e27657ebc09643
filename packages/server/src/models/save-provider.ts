/** Saves a provider's key or address after testing it: it lists its models, and one of them answers. */
import { fail, ok, type Result } from "@capstan/core";
import { listModels, openModels, tryModel } from "@capstan/runtime";
import { type DefaultModel, PREFERRED, type ServerModels } from "./models.ts";
import { type Credentials, PROVIDER_NAMES, type Providers } from "./providers.ts";

export interface NewProvider {
  readonly provider: string;
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly defaultModel?: string | undefined;
  readonly check: boolean;
  readonly by: string;
  /** Aborted during the check, nothing is saved. */
  readonly signal?: AbortSignal | undefined;
}

export interface SavedProvider {
  /** `provider/model` of all its models. */
  readonly models: readonly string[];
  readonly triedModel: string | null;
  readonly tookMs: number | null;
  readonly default: DefaultModel;
}

interface Checked {
  readonly models: readonly string[];
  readonly tried: string;
  readonly tookMs: number;
}

export async function saveProvider(
  { providers, models }: { readonly providers: Providers; readonly models: ServerModels },
  input: NewProvider,
): Promise<Result<SavedProvider>> {
  const { provider, apiKey, baseUrl, by } = input;
  if (baseUrl !== undefined && !providers.takesAddresses)
    return fail("organisation_of_operator", { what: "Addresses of model servers" });
  const given = { ...(apiKey !== undefined && { apiKey }), ...(baseUrl !== undefined && { baseUrl }) };
  const credentials = await providers.withGiven(provider, given);
  const lacking = await lackingIn(providers, provider, credentials);
  if (lacking) return lacking;
  const checked = input.check ? await checkProvider(models, input, credentials) : ok(undefined);
  if (!checked.ok) return checked;
  if (input.signal?.aborted) return fail("cancelled", { what: "The check" });
  const before = await models.defaultModel();
  await providers.put(provider, { apiKey, baseUrl });
  const used = await useIfWanted(models, before, input.defaultModel, checked.value?.tried, by);
  if (!used.ok) return used;
  const { models: names = [], tried = null, tookMs = null } = checked.value ?? {};
  return ok({ models: names, triedModel: tried, tookMs, default: used.value });
}

/** The requested default; or the model that just answered, if only the demo would answer otherwise. */
async function useIfWanted(
  models: ServerModels,
  before: DefaultModel,
  wanted: string | undefined,
  tried: string | undefined,
  by: string,
): Promise<Result<DefaultModel>> {
  const name = wanted ?? (before.demo ? tried : undefined);
  return name === undefined || before.from === "environment" ? ok(before) : models.useModel(name, by);
}

async function lackingIn(
  providers: Providers,
  provider: string,
  { apiKey, baseUrl }: Credentials,
): Promise<Result<never> | undefined> {
  const known = (await providers.list()).find((each) => each.provider === provider);
  if (!known && baseUrl === undefined) return fail("provider_unknown", { provider, known: PROVIDER_NAMES });
  if (known?.keyless && baseUrl === undefined) return fail("provider_address_missing", { provider });
  if (known && !known.keyless && apiKey === undefined)
    return fail("provider_key_missing", { provider, variable: "its API key, for this address" });
  return undefined;
}

async function checkProvider(
  { registry }: ServerModels,
  { provider, defaultModel }: NewProvider,
  credentials: Credentials,
): Promise<Result<Checked>> {
  const listed = await listModels(provider, credentials);
  if (!listed.ok) return listed;
  const names = listed.value.map(({ id }) => `${provider}/${id}`);
  const tried = defaultModel ?? suggested(provider, names);
  if (tried === undefined)
    return fail("provider_without_models", { provider, url: credentials.baseUrl ?? provider });
  // Models with unsaved credentials.
  const trial = openModels({
    credentials: async (name) => (name === provider ? credentials : undefined),
    catalog: async (name) => (await registry()).validate("native", name),
    defaultModel: tried,
    compatible: [provider],
  });
  const model = await trial.resolve(tried);
  if (!model.ok) return model;
  const answered = await tryModel(model.value);
  return answered.ok ? ok({ models: names, tried, tookMs: answered.value.tookMs }) : answered;
}

/** The provider's usual default if available, otherwise the first: lists start with popular models. */
function suggested(provider: string, names: readonly string[]): string | undefined {
  const preferred = Object.hasOwn(PREFERRED, provider) ? PREFERRED[provider] : undefined;
  return preferred !== undefined && (names.includes(preferred) || names.length === 0) ? preferred : names[0];
}
