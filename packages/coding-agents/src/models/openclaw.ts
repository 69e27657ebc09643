/** OpenClaw's models of the three large providers. */
import { MANIFESTS } from "../manifests/all.ts";
import { PROVIDER_MODELS, providerId } from "./by-provider.ts";
import type { AgentModels } from "./make-snapshot.ts";

export const openclawModels: AgentModels = {
  agent: "openclaw",
  capabilities: MANIFESTS.openclaw.capabilities,
  defaultModelId: null,
  idOf: providerId,
  entries: PROVIDER_MODELS.map((entry) => ({ ...entry, supportsLocalModels: true })),
};
