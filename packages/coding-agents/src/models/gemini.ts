/** Gemini CLI's models. It renames some on the way out: those names are aliases here. */
import { geminiManifest } from "../manifests/gemini.ts";
import type { AgentModels } from "./make-snapshot.ts";

export const geminiModels: AgentModels = {
  agent: "gemini",
  capabilities: geminiManifest.capabilities,
  defaultModelId: "gemini-3.1-pro-preview",
  // Levels end at HIGH. The seed has a max for Gemini, so it stays, and is lowered with a warning.
  effort: () => ({ thinkingEffortLevels: ["low", "medium", "high", "max"] }),
  entries: [
    {
      facts: "gemini-3.1-pro-preview",
      modelAlias: "pro",
      modelAliases: ["auto", "gemini-3-pro-preview"],
    },
    { facts: "gemini-3.8-flash", modelAlias: "flash", modelAliases: ["gemini-3.5-flash"] },
    { facts: "gemini-3.5-flash-lite", modelAlias: "flash-lite" },
    { facts: "gemini-3-flash-preview" },
    { facts: "gemini-2.5-pro" },
    { facts: "gemini-2.5-flash" },
    { facts: "gemini-2.5-flash-lite" },
  ],
};
