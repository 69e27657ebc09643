/** An agent's `provider/model` as a coding agent's program takes it: whole where its own models are named so, else the model alone. */
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
