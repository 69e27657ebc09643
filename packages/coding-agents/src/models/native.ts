/** The models of Capstan's own loop, used for its cost limits. The offline model is free and has no thinking. */
import { NATIVE_AGENT } from "@capstan/core/internal";
import { PROVIDER_MODELS, providerId } from "./by-provider.ts";
import type { AgentModels, CarriedByAgent } from "./make-snapshot.ts";
import type { ModelFacts } from "./model-facts.ts";

const offline: ModelFacts = {
  id: "offline",
  name: "Offline demo model",
  provider: "capstan",
  contextWindow: 100_000,
  maxOutputTokens: 8_000,
  price: [0, 0, 0],
  thinking: null,
  images: false,
  protocol: "custom",
};

/** What the loop itself supports, whatever the model. */
export const NATIVE_CAPABILITIES: CarriedByAgent = {
  supportsThinking: true,
  supportsThinkingBudgetTokens: true,
  supportsParallelToolCalls: true,
  supportsToolCallStreaming: true,
  supportsJsonMode: true,
  supportsStructuredOutput: true,
  supportsTextStreaming: true,
  supportsThinkingStreaming: true,
  supportsImageInput: true,
  supportsImageOutput: false,
  supportsFileAttachments: true,
};

export const nativeModels: AgentModels = {
  agent: NATIVE_AGENT,
  capabilities: NATIVE_CAPABILITIES,
  defaultModelId: "capstan/offline",
  idOf: providerId,
  cliArgKey: "model",
  entries: [{ facts: offline, deployment: "local", supportsFileInput: false }, ...PROVIDER_MODELS],
};
