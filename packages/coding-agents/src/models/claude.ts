/** Claude Code's models. The aliases are those it resolved on the wire; they move with each release. */
import { claudeManifest } from "../manifests/claude.ts";
import type { AgentModels } from "./make-snapshot.ts";

export const claudeModels: AgentModels = {
  agent: "claude",
  capabilities: claudeManifest.capabilities,
  defaultModelId: "claude-opus-5-5",
  entries: [
    { facts: "claude-opus-5-5", modelAlias: "opus", modelAliases: ["best", "default"] },
    { facts: "claude-sonnet-5-5", modelAlias: "sonnet" },
    { facts: "claude-haiku-5-5", modelAlias: "haiku" },
    { facts: "claude-fable-5-2", modelAlias: "fable" },
    { facts: "claude-fable-5-1" },
    { facts: "claude-opus-5" },
    { facts: "claude-sonnet-5" },
    { facts: "claude-opus-4-8" },
    { facts: "claude-opus-4-6" },
    { facts: "claude-sonnet-4-6" },
    { facts: "claude-opus-4-5", modelAliases: ["claude-opus-4-5-20251101"] },
    { facts: "claude-sonnet-4-5", modelAliases: ["claude-sonnet-4-5-20250929"] },
    { facts: "claude-haiku-4-5", modelAliases: ["claude-haiku-4-5-20251001"] },
    {
      facts: "claude-opus-4-20250514",
      deprecated: true,
      deprecatedSince: "2026-04-14",
      successorModelId: "claude-opus-5-5",
      runsAsModelId: "claude-opus-5-5",
    },
    {
      facts: "claude-sonnet-4-20250514",
      deprecated: true,
      deprecatedSince: "2026-04-14",
      successorModelId: "claude-sonnet-5-5",
    },
  ],
};
