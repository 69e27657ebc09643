/** Copilot's models, as `copilot help config` lists them; it writes Anthropic's versions with a dot. */
import { copilotManifest } from "../manifests/copilot.ts";
import type { AgentModels } from "./make-snapshot.ts";

export const copilotModels: AgentModels = {
  agent: "copilot",
  capabilities: copilotManifest.capabilities,
  defaultModelId: "claude-sonnet-5.5",
  idOf: ({ id }) => dotted(id),
  entries: [
    { facts: "claude-sonnet-5-5" },
    { facts: "claude-sonnet-5" },
    { facts: "claude-fable-5-1" },
    { facts: "claude-opus-5-5" },
    { facts: "claude-opus-5" },
    { facts: "claude-opus-4-8", maxOutputTokens: 64_000 },
    { facts: "claude-sonnet-4-6", maxOutputTokens: 32_000 },
    { facts: "claude-haiku-5-5" },
    { facts: "claude-haiku-4-5" },
    { facts: "gpt-6.1-sol" },
    { facts: "gpt-6-sol" },
    { facts: "gpt-6-luna" },
    { facts: "gpt-6-astra" },
    { facts: "gpt-5.6-sol" },
    { facts: "gpt-5.6-terra" },
    { facts: "gpt-5.6-luna" },
    { facts: "gpt-5.5" },
    { facts: "gpt-5.4" },
    { facts: "gpt-5.4-mini" },
    { facts: "gpt-5.3-codex" },
    { facts: "gpt-5-mini" },
    { facts: "mai-code-1.1-flash" },
    { facts: "gemini-4-argon", protocol: "chat" },
    { facts: "gemini-3.8-flash", protocol: "chat" },
    { facts: "grok-4.7" },
  ],
};

/** `claude-opus-5-5` is `claude-opus-5.5` here. */
export function dotted(id: string): string {
  return id.replace(/^(claude-[a-z]+-\d+)-(\d+)$/, "$1.$2");
}
