/** OpenClaw's models of the three large providers. */
import { openclawManifest } from "../manifests/openclaw.ts";
import { PROVIDER_MODELS, providerId } from "./by-provider.ts";
import type { AgentModels } from "./make-snapshot.ts";

export const openclawModels: AgentModels = {
  agent: "openclaw",
  capabilities: openclawManifest.capabilities,
  defaultModelId: null,
  idOf: providerId,
  entries: PROVIDER_MODELS.map((entry) => ({ ...entry, supportsLocalModels: true })),
};
