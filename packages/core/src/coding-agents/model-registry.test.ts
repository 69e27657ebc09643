import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sampleModel } from "./fixtures/sample-agent.ts";
import type { ModelCapabilities, ModelSnapshot } from "./model.ts";
import { createModelRegistry, type ModelRefresher } from "./model-registry.ts";

const model = (modelId: string, more: Partial<ModelCapabilities> = {}) =>
  sampleModel({ modelId, cliArgValue: modelId, ...more });

const snapshot: ModelSnapshot = {
  agent: "sample",
  defaultModelId: "gpt-6-sol",
  lastUpdated: "2026-11-01T00:00:00.000Z",
  models: [
    model("gpt-6-sol", {
      modelAlias: "sol",
      inputPricePerMillion: 2,
      outputPricePerMillion: 10,
      cachedInputPricePerMillion: 0.2,
      thinkingPricePerMillion: 20,
    }),
    model("gpt-6-luna", { modelAlias: "fast", inputPricePerMillion: 1, outputPricePerMillion: 4 }),
    model("gpt-6.1-terra", { modelAliases: ["fast", "terra"] }),
    model("gpt-5.5", {
      deprecated: true,
      deprecatedSince: "2026-09-22",
      successorModelId: "gpt-6-sol",
      modelAlias: "old",
    }),
    model("anthropic/opus-5"),
    model("openrouter/opus-5"),
    model("anthropic/haiku-5"),
  ],
};
const NOW = new Date("2026-11-15T10:00:00.000Z");
const registry = (refreshers: Record<string, ModelRefresher> = {}) =>
  createModelRegistry({ snapshots: [snapshot], refreshers, now: () => NOW });

describe("look-ups", () => {
  test("lists models, and says in the catalog which is the default", () => {
    expect(registry().models("sample")).toBe(snapshot.models);
    const defaults = registry()
      .catalog("sample")
      .filter(({ isDefault }) => isDefault);
    expect(defaults.map(({ modelId }) => modelId)).toEqual(["gpt-6-sol"]);
  });

  test.each([
    ["gpt-6-sol", "gpt-6-sol"],
    ["sol", "gpt-6-sol"],
    ["terra", "gpt-6.1-terra"],
    ["haiku-5", "anthropic/haiku-5"],
  ])("finds %s as %s", (asked, modelId) => {
    expect(registry().model("sample", asked)?.modelId).toBe(modelId);
  });

  test.each(["nope", "fast", "gpt-6", ""])("finds no single model for %j", (asked) => {
    expect(registry().model("sample", asked)).toBeNull();
  });

  test("gives the default model, or null where there is none", () => {
    expect(registry().defaultModel("sample")?.modelId).toBe("gpt-6-sol");
    expect(registry().defaultModel("nobody")).toBeNull();
  });

  test("treats an agent without a description as one without models", () => {
    expect(registry().models("nobody")).toEqual([]);
    expect(registry().lastUpdated("nobody")).toEqual(new Date(0));
  });
});

describe("validate", () => {
  test.each([
    ["gpt-6-sol", { valid: true, status: "ok" }],
    ["sol", { valid: true, status: "alias", resolvedModelId: "gpt-6-sol" }],
    ["gpt-5.5", { valid: true, status: "deprecated", successorModelId: "gpt-6-sol" }],
    ["old", { valid: true, status: "deprecated", successorModelId: "gpt-6-sol", resolvedModelId: "gpt-5.5" }],
    ["fast", { valid: false, status: "ambiguous", suggestions: ["gpt-6-luna", "gpt-6.1-terra"] }],
    ["opus-5", { valid: false, status: "ambiguous", suggestions: ["anthropic/opus-5", "openrouter/opus-5"] }],
    ["gpt-6", { valid: false, status: "ambiguous", suggestions: ["gpt-6-sol", "gpt-6-luna"] }],
    ["gpt-6-sool", { valid: false, status: "unknown", suggestions: ["gpt-6-sol", "gpt-6-luna"] }],
    ["zzzzzzzz", { valid: false, status: "unknown", suggestions: [] }],
  ])("%s is %j", (asked, expected) => {
    const result = registry().validate("sample", asked);
    expect(result).toMatchObject(expected);
    expect(result.message).toContain(asked === "old" ? "gpt-5.5" : asked);
    expect(result.valid).toBe(result.model !== undefined);
  });

  test("the message says what to use instead of a deprecated model, and since when", () => {
    expect(registry().validate("sample", "gpt-5.5").message).toBe(
      "Model 'gpt-5.5' is deprecated since 2026-09-22; use 'gpt-6-sol' instead",
    );
  });

  test("gives at most five suggestions, each a model's id", () => {
    const ids = ["ab1", "ab2", "ab3", "ab4", "ab5", "ab6", "ab7"];
    const many = createModelRegistry({
      snapshots: [{ ...snapshot, models: ids.map((id) => model(id)) }],
      now: () => NOW,
    });
    const { suggestions = [] } = many.validate("sample", "abx");
    expect(suggestions).toHaveLength(5);
    expect(ids).toEqual(expect.arrayContaining([...suggestions]));
  });
});

describe("estimateCost", () => {
  const MILLION = 1_000_000;
  test.each([
    ["the seed's formula", MILLION, MILLION, undefined, 12],
    ["cached input at its own price", MILLION, 0, { cachedInputTokens: MILLION / 2 }, 1.1],
    ["thinking at its own price", 0, MILLION, { thinkingTokens: MILLION / 2 }, 15],
    ["no more cached tokens than input", MILLION, 0, { cachedInputTokens: 9 * MILLION }, 0.2],
    ["nonsense as nothing", Number.NaN, -5, undefined, 0],
  ])("counts %s", (_, input, output, details, usd) => {
    expect(registry().estimateCost("sample", "sol", input, output, details)).toBeCloseTo(usd, 9);
  });

  test("falls back to the plain price where a model has no special one", () => {
    const cost = registry().estimateCost("sample", "gpt-6-luna", MILLION, MILLION, {
      cachedInputTokens: MILLION,
      thinkingTokens: MILLION,
    });
    expect(cost).toBeCloseTo(5, 9);
  });

  test.each(["gpt-6.1-terra", "nope"])("is 0 where no price is known: %s", (asked) => {
    expect(registry().estimateCost("sample", asked, 1000, 1000)).toBe(0);
  });

  test("is never negative, and never falls when more is used", () => {
    const tokens = fc.nat(10_000_000);
    fc.assert(
      fc.property(tokens, tokens, tokens, tokens, (input, output, cachedInputTokens, thinkingTokens) => {
        const cost = (more: number) =>
          registry().estimateCost("sample", "sol", input + more, output + more, {
            cachedInputTokens,
            thinkingTokens,
          });
        expect(cost(0)).toBeGreaterThanOrEqual(0);
        expect(cost(1000)).toBeGreaterThanOrEqual(cost(0));
      }),
    );
  });
});

describe("refresh", () => {
  const fresh: ModelRefresher = async (current) => ({
    ...current,
    models: [model("new-1", { source: "remote" })],
    defaultModelId: "new-1",
  });

  test("replaces the list and records when", async () => {
    const models = registry({ sample: fresh });
    expect(models.lastUpdated("sample")).toEqual(new Date(snapshot.lastUpdated));
    await models.refresh("sample");
    expect(models.models("sample").map(({ modelId }) => modelId)).toEqual(["new-1"]);
    expect(models.defaultModel("sample")?.source).toBe("remote");
    expect(models.lastUpdated("sample")).toEqual(NOW);
  });

  test("keeps list and time when it fails, and gives the reason", async () => {
    const models = registry({ sample: () => Promise.reject(new Error("the provider is down")) });
    await expect(models.refresh("sample")).rejects.toThrow("the provider is down");
    expect(models.models("sample")).toBe(snapshot.models);
    expect(models.lastUpdated("sample")).toEqual(new Date(snapshot.lastUpdated));
  });

  test("refuses an agent without a source", async () => {
    await expect(registry().refresh("sample")).rejects.toThrow("no source to refresh from");
  });

  test("fetches once when called twice at the same time", async () => {
    let fetched = 0;
    const models = registry({ sample: (current) => fresh(current).finally(() => fetched++) });
    await Promise.all([models.refresh("sample"), models.refresh("sample")]);
    expect(fetched).toBe(1);
    await models.refresh("sample");
    expect(fetched).toBe(2);
  });

  test("refreshAll starts all refreshes at once, and one failure does not affect the others", async () => {
    const started: string[] = [];
    const { promise: bothStarted, resolve } = Promise.withResolvers<void>();
    const waits = (name: string, then: ModelRefresher): ModelRefresher => {
      return async (current) => {
        started.push(name);
        if (started.length === 2) resolve();
        await bothStarted;
        return then(current);
      };
    };
    const models = registry({
      sample: waits("sample", fresh),
      other: waits("other", () => Promise.reject(new Error("down"))),
    });
    await expect(models.refreshAll()).rejects.toThrow("No new models for other.");
    expect(models.model("sample", "new-1")).not.toBeNull();
  });
});
