/** Refreshes the bundled lists of models; each agent's adapter says where its fresh list comes from. */
import type { AgentName, ModelRefresher } from "@capstan/core/internal";
import type { RefreshEffects } from "../models/model-sources.ts";
import { withRemoteModels } from "../models/remote-model.ts";
import { AGENT_MODELS } from "./models.ts";

/** One refresher per agent, for `createModelRegistry`. */
export function createRefreshers(effects: RefreshEffects): Record<AgentName, ModelRefresher> {
  const refreshers = AGENT_MODELS.flatMap(({ models, source }) => {
    if (!source) return [];
    const refresher: ModelRefresher = async (current) =>
      withRemoteModels(current, models, await source(effects, current), effects.now().toISOString());
    return [[models.agent, refresher] as const];
  });
  return Object.fromEntries(refreshers);
}
