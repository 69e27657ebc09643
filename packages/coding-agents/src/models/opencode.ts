/** OpenCode's models of the three large providers; it has no default of its own, the first login decides. */
import { opencodeManifest } from "../manifests/opencode.ts";
import { PROVIDER_MODELS, providerId } from "./by-provider.ts";
import type { AgentModels } from "./make-snapshot.ts";

export const opencodeModels: AgentModels = {
  agent: "opencode",
  capabilities: opencodeManifest.capabilities,
  defaultModelId: null,
  idOf: providerId,
  entries: PROVIDER_MODELS.map((entry) => ({ ...entry, supportsLocalModels: true })),
};
