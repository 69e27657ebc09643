import { describe, expect, test } from "vitest";
import { costUsd, effectiveLimits, RunMeter } from "./run-meter.ts";

const nothingBefore = { usages: [], activeMs: 0 };
const usage = { provider: "acme", model: "x", inputTokens: 100, outputTokens: 10, totalTokens: 110 };

describe("cost", () => {
  test.each([
    ["plain tokens", usage, { input: 1, output: 10 }, (100 + 100) / 1e6],
    [
      "cached tokens at their own price",
      { ...usage, cachedInputTokens: 80 },
      { input: 1, output: 10, cachedInput: 0.1 },
      (20 + 8 + 100) / 1e6,
    ],
    ["cached tokens without one", { ...usage, cachedInputTokens: 80 }, { input: 1, output: 10 }, 200 / 1e6],
    [
      "tokens that fill the cache",
      { ...usage, cacheWriteInputTokens: 100 },
      { input: 1, output: 10 },
      (125 + 100) / 1e6,
    ],
    ["a model without a price", usage, undefined, 0],
  ])("counts %s", (_what, used, prices, dollars) => {
    expect(costUsd(prices, used)).toBeCloseTo(dollars, 12);
  });
});

describe("limits", () => {
  test("are the lower of the agent's and the message's, with the server's as default", () => {
    const defaults = { maxSteps: 50, maxSeconds: 60 };
    expect(
      effectiveLimits({ maxSteps: 10, maxTokens: 5 }, { maxSteps: 99, maxCostUsd: 1 }, defaults),
    ).toEqual({
      maxSteps: 10,
      maxSeconds: 60,
      maxTokens: 5,
      maxCostUsd: 1,
    });
  });

  test.each([
    ["run_step_limit", { maxSteps: 2, maxSeconds: 99 }],
    ["run_token_limit", { maxSteps: 9, maxSeconds: 99, maxTokens: 200 }],
    ["run_cost_limit", { maxSteps: 9, maxSeconds: 99, maxCostUsd: 0.0003 }],
  ])("are reached by usage: %s", (code, limits) => {
    const meter = new RunMeter(limits, nothingBefore);
    expect(meter.exceeded).toBeUndefined();
    meter.add(usage, { input: 1, output: 10 });
    meter.add(usage, { input: 1, output: 10 });
    expect(meter.exceeded?.code).toBe(code);
  });

  test("count time across segments, without waiting time", () => {
    let now = 0;
    const meter = new RunMeter({ maxSteps: 9, maxSeconds: 10 }, { usages: [], activeMs: 4000 }, () => now);
    now = 5000;
    expect(meter.leftMs).toBe(1000);
    now = 7000;
    expect(meter.exceeded?.code).toBe("run_time_limit");
  });
});

describe("usage", () => {
  test("is one entry per model, for the run and for the segment", () => {
    const meter = new RunMeter(
      { maxSteps: 9, maxSeconds: 99 },
      { usages: [{ ...usage, costUsd: 1 }], activeMs: 0 },
    );
    meter.add({ ...usage, reasoningTokens: 3 }, undefined);
    meter.add({ ...usage, model: "y" }, undefined);
    expect(meter.usage).toMatchObject({
      steps: 3,
      costUsd: 1,
      tokens: [
        { model: "x", totalTokens: 220, reasoningTokens: 3 },
        { model: "y", totalTokens: 110 },
      ],
    });
    expect(meter.segmentTokens).toMatchObject([{ model: "x", totalTokens: 110 }, { model: "y" }]);
    expect(meter.usage.tokens[1]).not.toHaveProperty("reasoningTokens");
  });
});
