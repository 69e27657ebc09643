import {
  createModelRegistry,
  NATIVE_AGENT,
  nativeThinking,
  THINKING_EFFORT_LEVELS,
  validateRun,
} from "@capstan/core/internal";
import { describe, expect, test } from "vitest";
import { BUILT_IN_ADAPTERS, BUILT_IN_AGENT_NAMES } from "../built-in/built-in-agents.ts";
import { MANIFESTS } from "../built-in/manifests.ts";
import { MODEL_SNAPSHOTS } from "../built-in/models.ts";
import { SEED_PROFILES } from "../fixtures/seed-profiles.ts";

const registry = createModelRegistry({ snapshots: MODEL_SNAPSHOTS, now: () => new Date() });

describe.each(MODEL_SNAPSHOTS.map((snapshot) => [snapshot.agent, snapshot] as const))(
  "the models of %s",
  (agent, snapshot) => {
    test("have prices, windows, and ids and aliases that name one each", () => {
      const names = snapshot.models.flatMap(({ modelId, modelAlias, modelAliases = [] }) => [
        modelId,
        ...(modelAlias ? [modelAlias] : []),
        ...modelAliases,
      ]);
      expect(new Set(names).size).toBe(names.length);
      for (const model of snapshot.models) {
        expect(model.agent).toBe(agent);
        expect(model.inputPricePerMillion, model.modelId).toBeGreaterThanOrEqual(0);
        expect(model.outputPricePerMillion).toBeGreaterThanOrEqual(model.inputPricePerMillion ?? 0);
        expect(model.contextWindow).toBeGreaterThanOrEqual(model.maxOutputTokens);
        expect(Object.isFrozen(model)).toBe(true);
      }
    });

    test("have levels where they think, and a range where they take a budget", () => {
      for (const model of snapshot.models) {
        expect(model.thinkingEffortLevels !== undefined, model.modelId).toBe(model.supportsThinking);
        expect(model.thinkingBudgetRange !== undefined).toBe(model.supportsThinkingBudgetTokens === true);
        const [least, most] = model.thinkingBudgetRange ?? [0, 1];
        expect(least).toBeLessThan(most);
        expect(most).toBeLessThan(model.maxOutputTokens);
      }
    });

    test("have a default that exists, and successors that do", () => {
      if (snapshot.defaultModelId)
        expect(registry.validate(agent, snapshot.defaultModelId).status).toBe("ok");
      for (const { deprecated, successorModelId } of snapshot.models) {
        expect(successorModelId !== undefined).toBe(deprecated);
        if (successorModelId) expect(registry.validate(agent, successorModelId).status).toBe("ok");
      }
    });
  },
);

test("every agent of the seed has a snapshot, and so has native", () => {
  const listed = MODEL_SNAPSHOTS.map(({ agent }) => agent);
  expect(listed).toEqual(expect.arrayContaining([...Object.keys(SEED_PROFILES), NATIVE_AGENT]));
});

test.each(BUILT_IN_AGENT_NAMES)("no model of %s claims what its agent cannot carry", (agent) => {
  const can = MANIFESTS[agent].capabilities;
  for (const model of registry.models(agent)) {
    if (model.supportsThinking) expect(can.supportsThinking).toBe(true);
    if (model.thinkingBudgetRange) expect(can.supportsThinkingBudgetTokens).toBe(true);
    if (model.supportsJsonMode) expect(can.supportsJsonMode).toBe(true);
    if (model.supportsTextStreaming) expect(can.supportsTextStreaming).toBe(true);
    if (model.supportsImageInput) expect(can.supportsImageInput).toBe(true);
    if (model.supportsFileInput) expect(can.supportsFileAttachments).toBe(true);
  }
});

describe("every level on every model of every agent", () => {
  const cases = BUILT_IN_AGENT_NAMES.flatMap((agent) =>
    registry
      .models(agent)
      .flatMap((model) => THINKING_EFFORT_LEVELS.map((level) => [agent, model, level] as const)),
  );

  test("is either refused, or carried somewhere, and a lower one is said", () => {
    let carriedCount = 0;
    for (const [agent, model, thinkingEffort] of cases) {
      const options = { agent, prompt: "hi", thinkingEffort };
      const where = `${agent} ${model.modelId} ${thinkingEffort}`;
      if (!validateRun(options, MANIFESTS[agent].capabilities, model).ok) continue;
      const { argv, env, settings, modelName, warnings } = nativeThinking(
        { agent, model, thinkingEffort },
        BUILT_IN_ADAPTERS[agent].thinking,
      );
      const carriers = [argv.length > 0, Object.keys(env).length > 0, settings !== null, modelName !== null];
      expect(carriers, where).toContain(true);
      expect(
        warnings.filter(({ code }) => code === "thinking_not_carried"),
        where,
      ).toEqual([]);
      carriedCount++;
    }
    expect(carriedCount).toBeGreaterThan(200);
  });

  test.each([
    ["codex", "gpt-5.5", "max", "thinking_lowered"],
    ["codex", "gpt-6.1-sol", "max", undefined],
    ["gemini", "gemini-3.1-pro-preview", "max", "thinking_lowered"],
    ["gemini", "gemini-2.5-flash", "high", "thinking_lowered"],
    ["gemini", "gemini-2.5-pro", "max", undefined],
    ["claude", "sonnet", "max", undefined],
    ["pi", "openai/gpt-5.2", "max", "thinking_lowered"],
    ["omp", "openai/gpt-6-sol", "max", "thinking_lowered"],
    ["opencode", "anthropic/claude-sonnet-4-5", "low", undefined],
  ] as const)("%s %s %s: %s", (agent, modelId, thinkingEffort, code) => {
    const { warnings } = nativeThinking(
      { agent, model: registry.model(agent, modelId), thinkingEffort },
      BUILT_IN_ADAPTERS[agent].thinking,
    );
    expect(warnings.map((warning) => warning.code)).toEqual(code ? [code] : []);
  });

  test.each([
    ["pi", "openai/gpt-5", "max"],
    ["pi", "anthropic/claude-sonnet-4-5", "max"],
    ["copilot", "gpt-5-mini", "max"],
    ["cursor", "cursor-grok-4.5", "max"],
    ["opencode", "openai/gpt-4.1", "low"],
    ["hermes", "anthropic/claude-opus-4.6", "low"],
  ] as const)("%s %s refuses %s", (agent, modelId, thinkingEffort) => {
    const model = registry.model(agent, modelId);
    const result = validateRun({ agent, prompt: "hi", thinkingEffort }, MANIFESTS[agent].capabilities, model);
    expect(result).toMatchObject({ ok: false, failure: { details: { capability: "thinking" } } });
  });
});

describe("what users type", () => {
  test.each([
    ["claude", "opus", "alias", "claude-opus-5-5"],
    ["claude", "claude-opus-4-20250514", "deprecated", "claude-opus-4-20250514"],
    ["gemini", "flash", "alias", "gemini-3.8-flash"],
    ["opencode", "claude-sonnet-4-5", "alias", "anthropic/claude-sonnet-4-5"],
    ["copilot", "claude-opus-5.5", "ok", "claude-opus-5.5"],
    ["native", "capstan/offline", "ok", "capstan/offline"],
    ["codex", "gpt-5.6", "ambiguous", undefined],
    ["claude", "claude-sonet-5", "unknown", undefined],
  ])("%s %s is %s", (agent, asked, status, modelId) => {
    const result = registry.validate(agent, asked);
    expect([result.status, result.model?.modelId]).toEqual([status, modelId]);
  });

  test("native prices are those the cost limits need", () => {
    expect(
      registry.estimateCost(NATIVE_AGENT, "anthropic/claude-opus-5-5", 1_000_000, 1_000_000),
    ).toBeCloseTo(24, 9);
    expect(registry.estimateCost(NATIVE_AGENT, "capstan/offline", 1_000_000, 1_000_000)).toBe(0);
  });
});
