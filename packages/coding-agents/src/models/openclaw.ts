/** OpenClaw's models of the three large providers. */
import { MANIFESTS } from "../manifests/all.ts";
import { PROVIDER_MODELS, providerId } from "./by-provider.ts";
import { makeSnapshot } from "./make-snapshot.ts";

export const openclawModels = makeSnapshot({
  agent: "openclaw",
  capabilities: MANIFESTS.openclaw.capabilities,
  defaultModelId: null,
  idOf: providerId,
  entries: PROVIDER_MODELS.map((entry) => ({ ...entry, supportsLocalModels: true })),
});
