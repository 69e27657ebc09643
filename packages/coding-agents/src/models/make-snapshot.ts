/**
 * Turns facts about models into an agent's snapshot: what a model can do *on that agent*.
 *
 * A model never claims what its agent does not support: if the CLI accepts no image, neither does the entry.
 */
import type {
  CodingAgentCapabilities,
  ModelCapabilities,
  ModelSnapshot,
  ThinkingEffortLevel,
} from "@capstan/core/internal";
import { deepFreeze } from "../manifests/define-manifest.ts";
import { type ModelFacts, modelFacts } from "./model-facts.ts";

/** When the bundled figures were read. */
export const SNAPSHOT_DATE = "2026-11-15T00:00:00.000Z";

/** One entry of an agent's list; all but `facts` only where it differs. */
export interface SnapshotEntry extends Partial<ModelCapabilities> {
  /** The provider's id of the model. */
  readonly facts: string | ModelFacts;
}

export interface AgentModels {
  readonly agent: string;
  readonly capabilities: CarriedByAgent;
  readonly defaultModelId: string | null;
  /** How the agent spells a model's id; default: the provider's id. */
  readonly idOf?: (facts: ModelFacts) => string;
  readonly cliArgKey?: string;
  /** A model's levels on this agent, where they differ from the provider's list. */
  readonly effort?: (facts: ModelFacts) => EffortLevels;
  readonly budgets?: boolean;
  readonly entries: readonly SnapshotEntry[];
}

export interface EffortLevels {
  readonly thinkingEffortLevels: readonly ThinkingEffortLevel[];
  readonly nativeEffort?: Readonly<Partial<Record<ThinkingEffortLevel, string>>>;
}

/** The fields of a manifest that bound its models. */
export type CarriedByAgent = Pick<
  CodingAgentCapabilities,
  | "supportsThinking"
  | "supportsThinkingBudgetTokens"
  | "supportsParallelToolCalls"
  | "supportsToolCallStreaming"
  | "supportsJsonMode"
  | "supportsStructuredOutput"
  | "supportsTextStreaming"
  | "supportsThinkingStreaming"
  | "supportsImageInput"
  | "supportsImageOutput"
  | "supportsFileAttachments"
>;

export function makeSnapshot(models: AgentModels): ModelSnapshot {
  const { agent, defaultModelId, entries } = models;
  return deepFreeze({
    agent,
    defaultModelId,
    lastUpdated: SNAPSHOT_DATE,
    models: entries.map((entry) => makeModel(models, entry)),
  });
}

export function makeModel(models: Omit<AgentModels, "entries">, entry: SnapshotEntry): ModelCapabilities {
  const { agent, capabilities: can, idOf = ({ id }) => id, cliArgKey = "--model" } = models;
  const { facts: named, ...changes } = entry;
  const facts = typeof named === "string" ? modelFacts(named) : named;
  const modelId = idOf(facts);
  const thinks = facts.thinking !== null && can.supportsThinking;
  return {
    agent,
    modelId,
    displayName: facts.name,
    deprecated: false,
    contextWindow: facts.contextWindow,
    maxOutputTokens: facts.maxOutputTokens,
    ...prices(facts, thinks),
    supportsThinking: thinks,
    ...(thinks && thinking(models, facts)),
    supportsToolCalling: true,
    supportsParallelToolCalls: can.supportsParallelToolCalls,
    supportsToolCallStreaming: can.supportsToolCallStreaming,
    supportsJsonMode: can.supportsJsonMode,
    supportsStructuredOutput: can.supportsStructuredOutput,
    supportsTextStreaming: can.supportsTextStreaming,
    supportsThinkingStreaming: thinks && can.supportsThinkingStreaming,
    supportsImageInput: facts.images && can.supportsImageInput,
    supportsImageOutput: false,
    supportsFileInput: can.supportsFileAttachments,
    provider: facts.provider,
    ...(modelId !== facts.id && { providerModelId: facts.id }),
    protocol: facts.protocol,
    deployment: "hosted",
    cliArgKey,
    cliArgValue: modelId,
    lastUpdated: SNAPSHOT_DATE,
    source: "bundled",
    ...changes,
  };
}

const ANTHROPIC_CACHE_WRITE = 1.25; // of the input's price, for five minutes; others have no separate price

function prices({ price, provider }: ModelFacts, thinks: boolean): Partial<ModelCapabilities> {
  if (!price) return {};
  const [input, output, cached] = price;
  return {
    inputPricePerMillion: input,
    outputPricePerMillion: output,
    // No current provider prices thinking separately from other output.
    ...(thinks && { thinkingPricePerMillion: output }),
    cachedInputPricePerMillion: cached,
    ...(provider === "anthropic" && { cacheWritePricePerMillion: input * ANTHROPIC_CACHE_WRITE }),
  };
}

function thinking(models: Omit<AgentModels, "entries">, facts: ModelFacts): Partial<ModelCapabilities> {
  const { effort = effortOf, budgets = models.capabilities.supportsThinkingBudgetTokens } = models;
  if (facts.thinking && "budget" in facts.thinking && budgets) {
    const [, most] = facts.thinking.budget;
    return {
      thinkingEffortLevels: ["low", "medium", "high", "max"],
      supportsThinkingBudgetTokens: true,
      thinkingBudgetRange: facts.thinking.budget,
      maxThinkingTokens: most,
    };
  }
  return { ...effort(facts), supportsThinkingBudgetTokens: false, maxThinkingTokens: facts.maxOutputTokens };
}

/**
 * The public levels a model has, and what they are called. `max` is the model's highest level if that lies above `high`;
 * a model that ends at `high` has no `max`, and asking for it is refused.
 */
export function effortOf({ thinking }: Pick<ModelFacts, "thinking">): EffortLevels {
  const native = thinking && "levels" in thinking ? thinking.levels : ["low", "medium", "high"];
  const top = native.includes("max") ? "max" : native.includes("xhigh") ? "xhigh" : null;
  const plain = (["low", "medium", "high"] as const).filter((level) => native.includes(level));
  return {
    thinkingEffortLevels: top ? [...plain, "max"] : plain,
    ...(top === "xhigh" && { nativeEffort: { max: "xhigh" } }),
  };
}
