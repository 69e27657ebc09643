/** omp's models of the three large providers. For OpenAI models its `max` was sent as `xhigh`, so we request that. */
import { ompManifest } from "../manifests/omp.ts";
import { PROVIDER_MODELS, providerId } from "./by-provider.ts";
import { type AgentModels, effortOf } from "./make-snapshot.ts";

export const ompModels: AgentModels = {
  agent: "omp",
  capabilities: ompManifest.capabilities,
  defaultModelId: null,
  idOf: providerId,
  effort: (facts) =>
    facts.provider === "openai" && effortOf(facts).thinkingEffortLevels.includes("max")
      ? { ...effortOf(facts), nativeEffort: { max: "xhigh" } }
      : effortOf(facts),
  entries: PROVIDER_MODELS.map((entry) => ({ ...entry, supportsLocalModels: true })),
};
