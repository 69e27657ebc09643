/** Some of the models Hermes routes to, by OpenRouter's names. It has no thinking mode that a run could control. */
import { hermesManifest } from "../manifests/hermes.ts";
import { dotted } from "./copilot.ts";
import type { AgentModels } from "./make-snapshot.ts";

export const hermesModels: AgentModels = {
  agent: "hermes",
  capabilities: hermesManifest.capabilities,
  defaultModelId: "anthropic/claude-opus-4.6",
  idOf: ({ provider, id }) => `${provider}/${dotted(id)}`,
  entries: [
    "claude-opus-4-6",
    "claude-opus-5-5",
    "claude-sonnet-5-5",
    "claude-sonnet-4-6",
    "gpt-6.1-sol",
    "gpt-6-luna",
    "gemini-3.8-flash",
    "hermes-4-405b",
  ].map((facts) => ({ facts, deployment: "gateway" as const, supportsLocalModels: true })),
};
