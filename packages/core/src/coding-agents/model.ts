/**
 * What one model can do on one agent, and the registry's contract: the seed's names, unchanged.
 *
 * Ours on top, all optional: `supportsThinkingBudgetTokens` (the seed names it in 8.2 and 8.4 but not in its interface),
 * `modelAliases` beside the one alias, `nativeEffort` where a model's own levels differ from its agent's.
 */
import type { AgentName } from "./agent-name.ts";
import type { ThinkingEffortLevel } from "./capabilities.ts";

export interface ModelCapabilities {
  readonly agent: AgentName;
  /** The canonical id, such as `claude-opus-5-5`. */
  readonly modelId: string;
  readonly modelAlias?: string;
  readonly modelAliases?: readonly string[];
  readonly displayName: string;
  readonly deprecated: boolean;
  /** ISO 8601 date. */
  readonly deprecatedSince?: string;
  readonly successorModelId?: string;
  /** The model the program actually runs when this one is requested. */
  readonly runsAsModelId?: string;

  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  readonly maxThinkingTokens?: number;

  readonly inputPricePerMillion?: number;
  readonly outputPricePerMillion?: number;
  readonly thinkingPricePerMillion?: number;
  readonly cachedInputPricePerMillion?: number;
  /** Price of input written to a cache; default: the input price. */
  readonly cacheWritePricePerMillion?: number;

  readonly supportsThinking: boolean;
  readonly thinkingEffortLevels?: readonly ThinkingEffortLevel[];
  readonly supportsThinkingBudgetTokens?: boolean;
  readonly thinkingBudgetRange?: readonly [number, number];
  /** Level names of this model that differ from the agent's table, such as `{ max: "xhigh" }`. */
  readonly nativeEffort?: Readonly<Partial<Record<ThinkingEffortLevel, string | number>>>;

  readonly supportsToolCalling: boolean;
  readonly supportsParallelToolCalls: boolean;
  readonly supportsToolCallStreaming: boolean;
  readonly supportsJsonMode: boolean;
  readonly supportsStructuredOutput: boolean;
  readonly supportsTextStreaming: boolean;
  readonly supportsThinkingStreaming: boolean;
  readonly supportsImageInput: boolean;
  readonly supportsImageOutput: boolean;
  readonly supportsFileInput: boolean;

  readonly provider?: string;
  /** The provider's own id when it differs from `modelId`. */
  readonly providerModelId?: string;
  readonly protocol?: "chat" | "responses" | "messages" | "custom";
  readonly deployment?: "hosted" | "local" | "gateway" | "hybrid";
  readonly supportsLocalModels?: boolean;

  readonly cliArgKey: string;
  readonly cliArgValue: string;

  /** ISO 8601 timestamp. */
  readonly lastUpdated: string;
  readonly source: "bundled" | "remote";
}

/** One agent's models, as shipped or from a refresh. */
export interface ModelSnapshot {
  readonly agent: AgentName;
  readonly defaultModelId: string | null;
  /** ISO 8601 timestamp. */
  readonly lastUpdated: string;
  readonly models: readonly ModelCapabilities[];
}

export interface ModelValidationResult {
  readonly valid: boolean;
  readonly model?: ModelCapabilities;
  readonly status: "ok" | "deprecated" | "alias" | "unknown" | "ambiguous";
  readonly message: string;
  readonly suggestions?: readonly string[];
  /** The canonical id when status is `alias`. */
  readonly resolvedModelId?: string;
  readonly successorModelId?: string;
}

/** Tokens with their own price, included in the seed's totals: both kinds of cached within input, thinking within output. */
export interface CostDetails {
  readonly cachedInputTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly thinkingTokens?: number;
}

export interface ModelRegistry {
  /** Known models; bundled data is available immediately, call `refresh` first for the latest. */
  models(agent: AgentName): readonly ModelCapabilities[];
  catalog(agent: AgentName): readonly (ModelCapabilities & { readonly isDefault: boolean })[];
  /** By id or alias; null when unknown or ambiguous. */
  model(agent: AgentName, modelId: string): ModelCapabilities | null;
  defaultModel(agent: AgentName): ModelCapabilities | null;
  validate(agent: AgentName, modelId: string): ModelValidationResult;
  /** In USD; 0 when no price is known. */
  estimateCost(
    agent: AgentName,
    modelId: string,
    inputTokens: number,
    outputTokens: number,
    details?: CostDetails,
  ): number;
  /** Replaces the list in memory; nothing is written to disk. Rejects with the reason and keeps the old list. */
  refresh(agent: AgentName): Promise<void>;
  /** Refreshes all agents at once; one failure does not affect the others. */
  refreshAll(): Promise<void>;
  lastUpdated(agent: AgentName): Date;
}
