/** Cursor's models, from its documentation: the level is part of the name, so one entry stands for its names. */
import { cursorManifest } from "../manifests/cursor.ts";
import type { AgentModels } from "./make-snapshot.ts";
import type { ModelFacts } from "./model-facts.ts";

const facts = (
  id: string,
  name: string,
  thinking: ModelFacts["thinking"],
  price: ModelFacts["price"],
): ModelFacts => ({
  id,
  name,
  provider: "cursor",
  contextWindow: 200_000,
  maxOutputTokens: 64_000,
  price,
  thinking,
  images: true,
  protocol: "custom",
});
const named = (base: string) => ({
  thinkingEffortLevels: ["low", "medium", "high"] as const,
  nativeEffort: { low: `${base}-low`, medium: `${base}-medium`, high: `${base}-high` },
});

export const cursorModels: AgentModels = {
  agent: "cursor",
  capabilities: cursorManifest.capabilities,
  defaultModelId: "auto",
  entries: [
    { facts: facts("auto", "Auto", null, [1.25, 6, 0.25]) },
    { facts: facts("composer-2.5", "Composer 2.5", null, [0.5, 2.5, 0.2]) },
    {
      facts: facts("cursor-grok-4.5", "Grok 4.5", { levels: ["low", "medium", "high"] }, [2, 6, 0.5]),
      ...named("cursor-grok-4.5"),
      cliArgValue: "cursor-grok-4.5-medium",
    },
  ],
};
