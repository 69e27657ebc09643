/** An agent's `provider/model` in a coding agent's notation: the full name where its own models have one, otherwise the model only. */
import type { ModelRegistry } from "@capstan/core/internal";

export function cliModel(
  models: Pick<ModelRegistry, "models" | "validate">,
  agent: string,
  model: string | undefined,
): string | undefined {
  if (model === undefined) return undefined;
  if (models.validate(agent, model).valid) return model;
  const named = models.models(agent);
  const whole = named.length > 0 && named.every(({ modelId }) => modelId.includes("/"));
  return whole ? model : model.slice(model.indexOf("/") + 1);
}
