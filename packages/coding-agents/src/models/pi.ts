/** Pi's models of the three large providers. It takes levels only: a budget model has low, medium and high. */
import { piManifest } from "../manifests/pi.ts";
import { PROVIDER_MODELS, providerId } from "./by-provider.ts";
import type { AgentModels } from "./make-snapshot.ts";

export const piModels: AgentModels = {
  agent: "pi",
  capabilities: piManifest.capabilities,
  defaultModelId: null,
  idOf: providerId,
  entries: PROVIDER_MODELS.map((entry) => ({ ...entry, supportsLocalModels: true })),
};
