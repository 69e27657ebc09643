/** Codex's models, from `model/list` of its app-server; a model with an offered upgrade is deprecated. */
import { codexManifest } from "../manifests/codex.ts";
import type { AgentModels } from "./make-snapshot.ts";

const toSol = { deprecated: true, deprecatedSince: "2026-09-22", successorModelId: "gpt-6-sol" };
const toLuna = { ...toSol, successorModelId: "gpt-6-luna" };

export const codexModels: AgentModels = {
  agent: "codex",
  capabilities: codexManifest.capabilities,
  defaultModelId: "gpt-6.1-sol",
  entries: [
    { facts: "gpt-6.1-sol", contextWindow: 500_000 },
    { facts: "gpt-6-astra", contextWindow: 272_000 },
    { facts: "gpt-6-sol", contextWindow: 272_000 },
    { facts: "gpt-6-luna", contextWindow: 272_000 },
    { facts: "gpt-6.1-terra", contextWindow: 500_000 },
    { facts: "gpt-5.6-sol", contextWindow: 272_000, ...toSol },
    { facts: "gpt-5.6-terra", contextWindow: 272_000, ...toSol },
    { facts: "gpt-5.6-luna", contextWindow: 272_000, ...toLuna },
    { facts: "gpt-5.5", contextWindow: 272_000, ...toSol },
  ],
};
