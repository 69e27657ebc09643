/** Which model a run uses, related warnings, and the price of its tokens. */
import type { AgentName, CodingAgentEvent, ModelCapabilities, ModelRegistry } from "@capstan/core/internal";
import type { CostOf } from "./runner/run-costs.ts";

export interface ChosenModel {
  /** The model the options name, where the registry knows it. */
  readonly model: ModelCapabilities | null;
  /** The model that answers: the named one, its replacement by the program, or the agent's default. */
  readonly runsOn: ModelCapabilities | null;
  readonly warnings: readonly CodingAgentEvent[];
}

export function chosenModel(
  models: ModelRegistry,
  agent: AgentName,
  wanted: string | undefined,
): ChosenModel {
  if (wanted === undefined) return { model: null, runsOn: models.defaultModel(agent), warnings: [] };
  const named = models.validate(agent, wanted);
  const model = named.model ?? null;
  const replacement = model?.runsAsModelId === undefined ? null : models.model(agent, model.runsAsModelId);
  if (model && replacement) {
    return { model: replacement, runsOn: replacement, warnings: [replaced(agent, model, replacement)] };
  }
  const isFine = named.status === "ok" || named.status === "alias";
  // An unknown model may still exist: the run starts, with a warning.
  const warnings = isFine ? [] : [warning(`model_${named.status}`, named.message)];
  return { model, runsOn: model, warnings };
}

/** The program reports a model other than the chosen one. */
export function replacedWarning(
  models: ModelRegistry,
  agent: AgentName,
  chosen: ModelCapabilities | null,
  told: string,
): readonly CodingAgentEvent[] {
  const runs = models.model(agent, told);
  return chosen && runs && runs.modelId !== chosen.modelId ? [replaced(agent, chosen, runs)] : [];
}

/** By the price list, for the model that the program reports if known. */
export const priceBy =
  (models: ModelRegistry, agent: AgentName, chosen: ModelCapabilities | null): CostOf =>
  (usage, told) => {
    const model = (told === undefined ? null : models.model(agent, told)) ?? chosen;
    if (model?.inputPricePerMillion === undefined || model.outputPricePerMillion === undefined)
      return undefined;
    const {
      inputTokens,
      outputTokens,
      cachedInputTokens = 0,
      cacheWriteTokens = 0,
      thinkingTokens = 0,
    } = usage;
    const input = inputTokens + cachedInputTokens + cacheWriteTokens;
    const details = { cachedInputTokens, cacheWriteTokens, thinkingTokens };
    return models.estimateCost(agent, model.modelId, input, outputTokens, details);
  };

const replaced = (
  agent: AgentName,
  { modelId }: ModelCapabilities,
  instead: ModelCapabilities,
): CodingAgentEvent =>
  warning("model_replaced", `Agent '${agent}' runs '${instead.modelId}' in place of model '${modelId}'`);

const warning = (code: string, message: string): CodingAgentEvent => ({ type: "warning", code, message });
