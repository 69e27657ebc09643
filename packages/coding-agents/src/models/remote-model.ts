/**
 * Merges a fresh list with the bundled one: the list decides which models exist, the bundle fills in missing facts.
 *
 * An unbundled model gets its source's facts, and the agent's own limits for the rest.
 */
import {
  type ModelCapabilities,
  type ModelSnapshot,
  THINKING_EFFORT_LEVELS,
  type ThinkingEffortLevel,
} from "@capstan/core/internal";
import { type AgentModels, effortOf, makeModel } from "./make-snapshot.ts";
import { factsOrNull, type ModelFacts } from "./model-facts.ts";

/** A source's facts about one model; most have few. */
export interface RemoteModel {
  /** As the agent spells it. */
  readonly id: string;
  readonly name?: string | undefined;
  readonly contextWindow?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  /** USD per million: input, output, cached input. */
  readonly price?: readonly [number, number, number] | undefined;
  /** Native effort levels; an empty list is a model without thinking. */
  readonly levels?: readonly string[] | undefined;
  readonly budget?: readonly [number, number] | undefined;
  /** For an agent that has the level in the model's name: the names. */
  readonly effortNames?: Readonly<Partial<Record<ThinkingEffortLevel, string>>> | undefined;
  readonly thinks?: boolean | undefined;
  readonly images?: boolean | undefined;
  readonly provider?: string | undefined;
  readonly isDefault?: boolean | undefined;
  /** The source was not asked about this one: known facts stay. */
  readonly isUnchanged?: boolean | undefined;
  /** Set when the source names a better one: the model is deprecated. */
  readonly successorModelId?: string | undefined;
}

const UNKNOWN_CONTEXT = 128_000; // small enough to be safe for any model an agent offers today
const UNKNOWN_OUTPUT = 16_384;

export function withRemoteModels(
  current: ModelSnapshot,
  models: AgentModels,
  remote: readonly RemoteModel[],
  now: string,
): ModelSnapshot {
  const known = new Map(current.models.flatMap((model) => namesOf(model).map((name) => [name, model])));
  const merged = remote.map((said): ModelCapabilities => {
    const bundled = known.get(said.id);
    if (bundled && said.isUnchanged) return bundled;
    const base = bundled ? { ...bundled, ...remoteFacts(said, bundled) } : newModel(models, said);
    return { ...base, ...namedEffort(said), ...deprecation(said), source: "remote", lastUpdated: now };
  });
  const fresh = [...new Map(merged.map((model) => [model.modelId, model])).values()];
  const stillThere = fresh.some(({ modelId }) => modelId === current.defaultModelId);
  const defaultModelId =
    remote.find(({ isDefault }) => isDefault)?.id ?? (stillThere ? current.defaultModelId : null);
  return { agent: current.agent, defaultModelId, lastUpdated: now, models: fresh };
}

/** Providers list dated ids of which ours are the short form. */
const namesOf = ({ modelId, modelAlias, modelAliases = [] }: ModelCapabilities) => [
  modelId,
  ...modelAliases,
  ...(modelAlias === undefined ? [] : [modelAlias]),
];

/** The source's facts, merged over a bundled entry. */
function remoteFacts(said: RemoteModel, bundled: ModelCapabilities): Partial<ModelCapabilities> {
  const [input, output, cached] = said.price ?? [];
  return {
    ...(said.name !== undefined && { displayName: said.name }),
    ...(said.contextWindow !== undefined && { contextWindow: said.contextWindow }),
    ...(said.maxOutputTokens !== undefined && { maxOutputTokens: said.maxOutputTokens }),
    ...(input !== undefined && { inputPricePerMillion: input }),
    ...(output !== undefined && { outputPricePerMillion: output }),
    ...(cached !== undefined && { cachedInputPricePerMillion: cached }),
    ...(output !== undefined && bundled.supportsThinking && { thinkingPricePerMillion: output }),
    ...(said.levels?.length &&
      bundled.supportsThinking &&
      !bundled.thinkingBudgetRange &&
      levelsOf(said.levels)),
    ...(said.images === false && { supportsImageInput: false }),
  };
}

function levelsOf(levels: readonly string[]): {
  thinkingEffortLevels: readonly ThinkingEffortLevel[];
  nativeEffort?: Readonly<Partial<Record<ThinkingEffortLevel, string>>>;
} {
  return effortOf({ thinking: { levels } });
}

function newModel(models: AgentModels, said: RemoteModel): ModelCapabilities {
  const bare = said.id.slice(said.id.lastIndexOf("/") + 1);
  const facts = factsOrNull(bare);
  const made: ModelFacts = {
    id: bare,
    name: said.name ?? facts?.name ?? said.id,
    provider: said.provider ?? facts?.provider ?? "unknown",
    contextWindow: said.contextWindow ?? facts?.contextWindow ?? UNKNOWN_CONTEXT,
    maxOutputTokens: said.maxOutputTokens ?? facts?.maxOutputTokens ?? UNKNOWN_OUTPUT,
    price: said.price ?? facts?.price ?? null,
    thinking: thinkingOf(said, facts),
    images: said.images ?? facts?.images ?? true,
    protocol: facts?.protocol ?? "custom",
  };
  return makeModel({ ...models, idOf: () => said.id }, { facts: made });
}

function thinkingOf(said: RemoteModel, facts: ModelFacts | null): ModelFacts["thinking"] {
  if (said.budget) return { budget: said.budget };
  if (said.levels) return said.levels.length > 0 ? { levels: said.levels } : null;
  if (said.thinks === false) return null;
  return facts?.thinking ?? { levels: ["low", "medium", "high"] };
}

function namedEffort({ effortNames }: RemoteModel): Partial<ModelCapabilities> {
  if (!effortNames) return {};
  const thinkingEffortLevels = THINKING_EFFORT_LEVELS.filter((level) => effortNames[level] !== undefined);
  const usual = effortNames.medium ?? Object.values(effortNames)[0];
  return {
    thinkingEffortLevels,
    nativeEffort: effortNames,
    ...(usual !== undefined && { cliArgValue: usual }),
  };
}

function deprecation({ successorModelId }: RemoteModel): Partial<ModelCapabilities> {
  return successorModelId === undefined ? {} : { deprecated: true, successorModelId };
}
