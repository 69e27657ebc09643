/**
 * The model registry: lists, lookups and prices, without effects.
 *
 * The fetch function per agent and the clock are passed in. A failed refresh leaves the list unchanged.
 */
import { nearest } from "../nearest.ts";
import type { AgentName } from "./agent-name.ts";
import type {
  CostDetails,
  ModelCapabilities,
  ModelRegistry,
  ModelSnapshot,
  ModelValidationResult,
} from "./model.ts";

/** Fetches an agent's models, given the known ones; rejects on failure. Handles its own timeouts. */
export type ModelRefresher = (current: ModelSnapshot) => Promise<ModelSnapshot>;

export interface ModelRegistryOptions {
  readonly snapshots: readonly ModelSnapshot[];
  readonly refreshers?: Readonly<Partial<Record<AgentName, ModelRefresher>>>;
  readonly now: () => Date;
}

const MOST_SUGGESTIONS = 5;

export function createModelRegistry({
  snapshots,
  refreshers = {},
  now,
}: ModelRegistryOptions): ModelRegistry {
  const known = new Map(snapshots.map((snapshot) => [snapshot.agent, snapshot]));
  const underWay = new Map<AgentName, Promise<void>>();
  const of = (agent: AgentName) => known.get(agent) ?? emptySnapshot(agent);
  const find = (agent: AgentName, modelId: string) => {
    const { valid, model } = validateModel(of(agent), modelId);
    return valid && model ? model : null;
  };

  async function fetchAnew(agent: AgentName): Promise<void> {
    const refresher = refreshers[agent];
    if (!refresher) throw new Error(`The models of agent '${agent}' have no source to refresh from.`);
    const fresh = await refresher(of(agent));
    known.set(agent, { ...fresh, agent, lastUpdated: now().toISOString() });
  }

  function refresh(agent: AgentName): Promise<void> {
    const running = underWay.get(agent);
    if (running) return running;
    const started = fetchAnew(agent).finally(() => underWay.delete(agent));
    underWay.set(agent, started);
    return started;
  }

  return {
    models: (agent) => of(agent).models,
    catalog: (agent) => {
      const { models, defaultModelId } = of(agent);
      return models.map((model) => ({ ...model, isDefault: model.modelId === defaultModelId }));
    },
    model: find,
    defaultModel: (agent) => {
      const { defaultModelId } = of(agent);
      return defaultModelId === null ? null : find(agent, defaultModelId);
    },
    validate: (agent, modelId) => validateModel(of(agent), modelId),
    estimateCost: (agent, modelId, inputTokens, outputTokens, details) =>
      costUsd(find(agent, modelId), inputTokens, outputTokens, details),
    refresh,
    async refreshAll() {
      const agents = Object.keys(refreshers);
      const settled = await Promise.allSettled(agents.map(refresh));
      const reasons = settled.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
      const failed = agents.filter((_, index) => settled[index]?.status === "rejected");
      if (failed.length > 0) throw new AggregateError(reasons, `No new models for ${failed.join(", ")}.`);
    },
    lastUpdated: (agent) => new Date(of(agent).lastUpdated),
  };
}

/** An agent without a description: no models, never updated. */
const emptySnapshot = (agent: AgentName): ModelSnapshot => ({
  agent,
  defaultModelId: null,
  lastUpdated: new Date(0).toISOString(),
  models: [],
});

/** Finds a model of the agent: by id, then by alias, then by a shared prefix. */
export function validateModel({ agent, models }: ModelSnapshot, wanted: string): ModelValidationResult {
  const exact = models.find(({ modelId }) => modelId === wanted);
  if (exact) return found(exact, wanted);
  const named = models.filter((model) => aliasesOf(model).includes(wanted));
  const [only, ...others] =
    named.length > 0 ? named : models.filter(({ modelId }) => bareId(modelId) === wanted);
  if (only && others.length === 0) return found(only, wanted);
  const matching = only ? [only, ...others] : models.filter(({ modelId }) => isFamilyOf(wanted, modelId));
  if (matching.length > 1) {
    const suggestions = matching.map(({ modelId }) => modelId);
    const message = `'${wanted}' matches ${matching.length} models of agent '${agent}': ${suggestions.join(", ")}`;
    return { valid: false, status: "ambiguous", message, suggestions };
  }
  return unknown(agent, models, wanted);
}

function found(model: ModelCapabilities, wanted: string): ModelValidationResult {
  const { modelId, deprecatedSince, successorModelId } = model;
  const alias = modelId === wanted ? {} : { resolvedModelId: modelId };
  if (model.deprecated) {
    const since = deprecatedSince ? ` since ${deprecatedSince}` : "";
    const instead = successorModelId ? `; use '${successorModelId}' instead` : "";
    const successor = successorModelId === undefined ? {} : { successorModelId };
    const message = `Model '${modelId}' is deprecated${since}${instead}`;
    return { valid: true, model, status: "deprecated", message, ...alias, ...successor };
  }
  if (modelId === wanted) return { valid: true, model, status: "ok", message: `Model '${modelId}' is valid` };
  return {
    valid: true,
    model,
    status: "alias",
    message: `'${wanted}' is an alias of '${modelId}'`,
    ...alias,
  };
}

function unknown(
  agent: AgentName,
  models: readonly ModelCapabilities[],
  wanted: string,
): ModelValidationResult {
  const ids = new Map(models.flatMap((model) => namesOf(model).map((name) => [name, model.modelId])));
  const close = nearest(wanted, ids.keys(), ids.size).flatMap((name) => ids.get(name) ?? []);
  const suggestions = [...new Set(close)].slice(0, MOST_SUGGESTIONS);
  const hint = suggestions.length > 0 ? `; did you mean ${suggestions.join(", ")}?` : "";
  return {
    valid: false,
    status: "unknown",
    message: `Agent '${agent}' has no model '${wanted}'${hint}`,
    suggestions,
  };
}

const aliasesOf = ({ modelAlias, modelAliases = [] }: ModelCapabilities) =>
  modelAlias === undefined ? modelAliases : [modelAlias, ...modelAliases];
const bareId = (modelId: string) => modelId.slice(modelId.lastIndexOf("/") + 1);
const namesOf = (model: ModelCapabilities) => [model.modelId, bareId(model.modelId), ...aliasesOf(model)];
/** `gpt-6` is the family of `gpt-6-sol` and not of `gpt-6.1-sol`. */
const isFamilyOf = (wanted: string, modelId: string) =>
  wanted.length > 0 && (modelId.startsWith(`${wanted}-`) || bareId(modelId).startsWith(`${wanted}-`));

function costUsd(
  model: ModelCapabilities | null,
  inputTokens: number,
  outputTokens: number,
  { cachedInputTokens = 0, cacheWriteTokens = 0, thinkingTokens = 0 }: CostDetails = {},
): number {
  const { inputPricePerMillion: input, outputPricePerMillion: output } = model ?? {};
  if (!model || input === undefined || output === undefined) return 0;
  const cached = Math.min(count(cachedInputTokens), count(inputTokens));
  const written = Math.min(count(cacheWriteTokens), count(inputTokens) - cached);
  const thinking = Math.min(count(thinkingTokens), count(outputTokens));
  const millionths =
    (count(inputTokens) - cached - written) * input +
    cached * (model.cachedInputPricePerMillion ?? input) +
    written * (model.cacheWritePricePerMillion ?? input) +
    (count(outputTokens) - thinking) * output +
    thinking * (model.thinkingPricePerMillion ?? output);
  return millionths / 1_000_000;
}

/** A CLI may report missing or invalid numbers; a cost must never be negative or NaN. */
const count = (tokens: number) => (Number.isFinite(tokens) && tokens > 0 ? tokens : 0);
