import { type ModelSnapshot, nativeThinking } from "@capstan/core/internal";
import { describe, expect, test } from "vitest";
import { BUILT_IN_ADAPTERS } from "../built-in/built-in-agents.ts";
import { AGENT_MODELS, MODEL_SNAPSHOTS } from "../built-in/models.ts";
import { type RemoteModel, withRemoteModels } from "./remote-model.ts";

const NOW = "2026-12-01T00:00:00.000Z";

function merged(agent: string, remote: RemoteModel[]): ModelSnapshot {
  const current = MODEL_SNAPSHOTS.find((snapshot) => snapshot.agent === agent);
  const models = AGENT_MODELS.find((entry) => entry.models.agent === agent)?.models;
  if (!current || !models) throw new Error(`no models of ${agent}`);
  return withRemoteModels(current, models, remote, NOW);
}
const only = (agent: string, remote: RemoteModel) => merged(agent, [remote]).models[0];

describe("a fresh list over the bundle", () => {
  test("decides which models there are", () => {
    const { models } = merged("codex", [{ id: "gpt-6-sol" }, { id: "gpt-7" }]);
    expect(models.map(({ modelId, source }) => [modelId, source])).toEqual([
      ["gpt-6-sol", "remote"],
      ["gpt-7", "remote"],
    ]);
  });

  test("keeps bundled figures that the list is silent about", () => {
    expect(only("codex", { id: "gpt-6-sol" })).toMatchObject({
      inputPricePerMillion: 2,
      contextWindow: 272_000,
      thinkingEffortLevels: ["low", "medium", "high", "max"],
      lastUpdated: NOW,
    });
  });

  test("takes the list's word where it has one", () => {
    const said = {
      id: "gpt-6-sol",
      contextWindow: 9,
      price: [7, 8, 9] as const,
      levels: ["low", "xhigh"],
      images: false,
    };
    expect(only("codex", said)).toMatchObject({
      contextWindow: 9,
      inputPricePerMillion: 7,
      thinkingPricePerMillion: 8,
      cachedInputPricePerMillion: 9,
      thinkingEffortLevels: ["low", "max"],
      nativeEffort: { max: "xhigh" },
      supportsImageInput: false,
    });
  });

  test("knows a provider's dated id as the bundled model, once", () => {
    const { models } = merged("claude", [{ id: "claude-haiku-4-5" }, { id: "claude-haiku-4-5-20251001" }]);
    expect(models.map(({ modelId }) => modelId)).toEqual(["claude-haiku-4-5"]);
  });

  test("marks as deprecated what the source has a successor for", () => {
    expect(only("codex", { id: "gpt-6-sol", successorModelId: "gpt-7" })).toMatchObject({
      deprecated: true,
      successorModelId: "gpt-7",
    });
  });

  test.each([
    [[{ id: "gpt-7", isDefault: true }], "gpt-7"],
    [[{ id: "gpt-6.1-sol" }, { id: "gpt-7" }], "gpt-6.1-sol"],
    [[{ id: "gpt-7" }], null],
  ])("of %j the default is %s", (remote, expected) => {
    expect(merged("codex", remote).defaultModelId).toBe(expected);
  });

  test("leaves alone what it was not asked about", () => {
    expect(only("native", { id: "capstan/offline", isUnchanged: true })).toMatchObject({ source: "bundled" });
  });
});

describe("a model nobody bundled", () => {
  test("has what its source said and its agent's limits", () => {
    expect(only("codex", { id: "gpt-7", name: "GPT-7", levels: ["low", "high", "max"] })).toMatchObject({
      displayName: "GPT-7",
      supportsThinking: true,
      thinkingEffortLevels: ["low", "high", "max"],
      supportsThinkingBudgetTokens: false,
      supportsFileInput: false,
      cliArgValue: "gpt-7",
    });
  });

  test("does not think where the source says so, or the agent cannot", () => {
    expect(only("opencode", { id: "x/y", levels: [] })?.supportsThinking).toBe(false);
    expect(only("hermes", { id: "x/y", levels: ["low"] })?.supportsThinking).toBe(false);
  });

  test("whose level is in its name becomes that name when the level is asked for", () => {
    const model = only("cursor", { id: "grok-5", effortNames: { low: "grok-5-low", high: "grok-5-high" } });
    expect(model).toMatchObject({ thinkingEffortLevels: ["low", "high"], cliArgValue: "grok-5-low" });
    const native = nativeThinking(
      { agent: "cursor", model: model ?? null, thinkingEffort: "high" },
      BUILT_IN_ADAPTERS.cursor.thinking,
    );
    expect(native).toMatchObject({ modelName: "grok-5-high", warnings: [] });
  });

  test("has no price where none is known", () => {
    expect(only("codex", { id: "gpt-7" })?.inputPricePerMillion).toBeUndefined();
  });
});
