import {
  type CodingAgentAdapter,
  type ModelCapabilities,
  NO_THINKING,
  nativeThinking,
  THINKING_EFFORT_LEVELS,
  type ThinkingEffortLevel,
} from "@capstan/core/internal";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sampleModel } from "../../../core/src/coding-agents/fixtures/sample-agent.ts";
import type { ThinkingRequest } from "../../../core/src/coding-agents/thinking.ts";
import { BUILT_IN_ADAPTERS, BUILT_IN_AGENT_NAMES } from "../built-in/built-in-agents.ts";

const budgetModel = sampleModel({ modelId: "anthropic/budget-1", thinkingBudgetRange: [1024, 63_999] });
const levelModel = sampleModel({ modelId: "openai/level-1" });
const ADAPTERS: Readonly<Record<string, CodingAgentAdapter>> = BUILT_IN_ADAPTERS;
const at = (agent: string, model: ModelCapabilities | null, more: Partial<ThinkingRequest>) =>
  nativeThinking({ agent, model, ...more }, ADAPTERS[agent]?.thinking);

const flag = (name: string) => (level: string) => ({ argv: [name, level] });
const geminiSettings = (thinkingConfig: unknown) => ({
  settings: {
    modelConfigs: {
      customOverrides: [
        { match: { isChatModel: true }, modelConfig: { generateContentConfig: { thinkingConfig } } },
      ],
    },
  },
});
const variant = (budgetTokens: number) => ({
  argv: ["--variant", "capstan"],
  settings: {
    provider: {
      anthropic: {
        models: { "budget-1": { variants: { capstan: { thinking: { type: "enabled", budgetTokens } } } } },
      },
    },
  },
});
const claudeEnv = (tokens: number, output?: number) => ({
  env: {
    MAX_THINKING_TOKENS: `${tokens}`,
    ...(output && { CLAUDE_CODE_MAX_OUTPUT_TOKENS: `${output}` }),
  },
});

/** Agent, kind of model, what each of the four levels becomes. */
const TABLE: [string, ModelCapabilities | null, Record<ThinkingEffortLevel, object>][] = [
  ["claude", levelModel, each(flag("--effort"))],
  [
    "claude",
    budgetModel,
    {
      low: claudeEnv(1024),
      medium: claudeEnv(8192),
      high: claudeEnv(32_768, 64_000),
      max: claudeEnv(63_999, 64_000),
    },
  ],
  ["codex", levelModel, each((level) => ({ argv: ["-c", `model_reasoning_effort="${level}"`] }))],
  [
    "gemini",
    levelModel,
    {
      low: geminiSettings({ thinkingLevel: "LOW" }),
      medium: geminiSettings({ thinkingLevel: "MEDIUM" }),
      high: geminiSettings({ thinkingLevel: "HIGH" }),
      max: geminiSettings({ thinkingLevel: "HIGH" }),
    },
  ],
  [
    "gemini",
    budgetModel,
    {
      low: geminiSettings({ thinkingBudget: 1024 }),
      medium: geminiSettings({ thinkingBudget: 8192 }),
      high: geminiSettings({ thinkingBudget: 32_768 }),
      max: geminiSettings({ thinkingBudget: 63_999 }),
    },
  ],
  ["copilot", levelModel, each(flag("--reasoning-effort"))],
  ["opencode", levelModel, each(flag("--variant"))],
  [
    "opencode",
    budgetModel,
    { low: variant(1024), medium: variant(8192), high: variant(32_768), max: variant(63_999) },
  ],
  ["pi", levelModel, each(flag("--thinking"))],
  ["omp", levelModel, each(flag("--thinking"))],
  ["openclaw", levelModel, each(flag("--thinking"))],
  [
    "cursor",
    sampleModel({ nativeEffort: { low: "m-low", medium: "m", high: "m-high", max: "m-xhigh" } }),
    {
      low: { modelName: "m-low" },
      medium: { modelName: "m" },
      high: { modelName: "m-high" },
      max: { modelName: "m-xhigh" },
    },
  ],
];

describe("the effort table", () => {
  test.each(
    TABLE.flatMap(([agent, model, levels]) =>
      THINKING_EFFORT_LEVELS.map((level) => [agent, model?.modelId, level, model, levels[level]] as const),
    ),
  )("%s on %s takes %s to where its binary reads it", (agent, _, level, model, expected) => {
    expect(at(agent, model, { thinkingEffort: level })).toMatchObject(expected);
  });

  test("has a row for every agent that thinks", () => {
    const thinking = BUILT_IN_AGENT_NAMES.filter((name) => BUILT_IN_ADAPTERS[name].thinking.length > 0);
    expect([...new Set(TABLE.map(([agent]) => agent))].sort()).toEqual(thinking.sort());
  });

  test("the seed's numbers: 1024, 8192, 32768 and the model's maximum", () => {
    const tokens = THINKING_EFFORT_LEVELS.map(
      (thinkingEffort) => at("claude", budgetModel, { thinkingEffort }).params.budget_tokens,
    );
    expect(tokens).toEqual([1024, 8192, 32_768, 63_999]);
  });

  test("an unknown Claude model gets a level, because newer models take those", () => {
    expect(at("claude", null, { thinkingEffort: "medium" })).toMatchObject({
      argv: ["--effort", "medium"],
      env: {},
    });
  });

  test.each([
    ["claude", { thinkingEffort: "high", thinkingOverride: { budget_tokens: 5000 } }, ["budget_tokens"]],
    ["claude", { thinkingEffort: "high", thinkingBudgetTokens: 5000 }, ["budget_tokens"]],
    ["gemini", { thinkingEffort: "high", thinkingOverride: { thinkingBudget: 5000 } }, ["thinkingBudget"]],
  ] as const)("%s with %j never carries two fields that contradict each other", (agent, asked, keys) => {
    expect(Object.keys(at(agent, null, asked).params)).toEqual(keys);
  });

  test("a number for an adaptive Claude model is in the request's body, without the program's own effort", () => {
    const { env } = at("claude", levelModel, {
      thinkingEffort: "low",
      thinkingOverride: { budget_tokens: 5000 },
    });
    expect(JSON.parse(env.CLAUDE_CODE_EXTRA_BODY ?? "{}")).toEqual({
      thinking: { type: "enabled", budget_tokens: 5000 },
      output_config: { effort: null },
    });
  });

  test("a level has no effect on a Claude model with a budget: a warning says so, and the number stays", () => {
    const { env, warnings } = at("claude", budgetModel, {
      thinkingEffort: "low",
      thinkingOverride: { effort: "max" },
    });
    expect(env).toEqual({ MAX_THINKING_TOKENS: "1024" });
    expect(warnings).toMatchObject([{ code: "thinking_not_carried" }]);
  });

  test.each([
    [budgetModel, { thinkingLevel: "HIGH" }, { thinkingLevel: "HIGH", thinkingBudget: null }],
    [levelModel, { thinkingBudget: 5000 }, { thinkingBudget: 5000, thinkingLevel: null }],
  ])("an override of the other kind takes Gemini's own value away", (model, thinkingOverride, config) => {
    expect(at("gemini", model, { thinkingOverride })).toMatchObject(geminiSettings(config));
  });

  test("a registered agent gets an ACP option, and nothing on its command line", () => {
    expect(at("registered", null, { thinkingEffort: "high" })).toMatchObject({
      argv: [],
      option: { name: "effort", value: "high" },
    });
  });
});

describe("budgets", () => {
  test.each([
    ["claude", budgetModel, claudeEnv(5000)],
    ["gemini", budgetModel, geminiSettings({ thinkingBudget: 5000 })],
    ["opencode", budgetModel, variant(5000)],
    ["omp", levelModel, { argv: ["--thinking", "high"], settings: { thinkingBudgets: { high: 5000 } } }],
  ])("%s gets the number as it was given", (agent, model, expected) => {
    expect(at(agent, model, { thinkingBudgetTokens: 5000 })).toMatchObject(expected);
  });

  test("a number given beside a level replaces the level's number", () => {
    const { params } = at("claude", budgetModel, { thinkingEffort: "high", thinkingBudgetTokens: 5000 });
    expect(params).toEqual({ budget_tokens: 5000 });
  });
});

describe("thinkingOverride", () => {
  test("is merged over the normalised parameters, as in the seed's example", () => {
    const { params, env } = at("claude", budgetModel, {
      thinkingEffort: "high",
      thinkingOverride: { budget_tokens: 50_000, some_future_param: true },
    });
    expect(params).toEqual({ budget_tokens: 50_000, some_future_param: true });
    expect(env.MAX_THINKING_TOKENS).toBe("50000");
    expect(JSON.parse(env.CLAUDE_CODE_EXTRA_BODY ?? "")).toEqual({
      thinking: { type: "enabled", budget_tokens: 50_000, some_future_param: true },
    });
  });

  test("always wins, on every agent and key", () => {
    const key = fc.constantFrom(
      "budget_tokens",
      "effort",
      "thinkingBudget",
      "thinking",
      "reasoning_effort",
      "other",
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...BUILT_IN_AGENT_NAMES),
        fc.constantFrom(...THINKING_EFFORT_LEVELS),
        fc.constantFrom(budgetModel, levelModel, null),
        fc.dictionary(key, fc.oneof(fc.string(), fc.integer(), fc.boolean())),
        (agent, thinkingEffort, model, thinkingOverride) => {
          const { params } = at(agent, model, { thinkingEffort, thinkingOverride });
          expect(params).toMatchObject(thinkingOverride);
        },
      ),
    );
  });

  test("works without a level", () => {
    expect(at("codex", levelModel, { thinkingOverride: { model_reasoning_effort: "ultra" } }).argv).toEqual([
      "-c",
      'model_reasoning_effort="ultra"',
    ]);
  });

  test.each(["codex", "copilot", "pi", "omp", "openclaw", "cursor", "hermes"])(
    "on %s never passes other flags or config keys, and reports what it left out",
    (agent) => {
      const override = { yolo: true, "allow-all-tools": true, sandbox_mode: "danger-full-access" };
      const { argv, settings, warnings } = at(agent, levelModel, { thinkingOverride: override });
      expect(JSON.stringify([argv, settings])).not.toMatch(/yolo|allow-all|sandbox/);
      expect(warnings).toMatchObject([
        { code: "thinking_not_carried", message: expect.stringContaining("'yolo'") },
      ]);
    },
  );
});

describe("a level that gets lowered", () => {
  test.each([
    ["gemini", levelModel, "max", "lowered to HIGH"],
    ["codex", sampleModel({ nativeEffort: { max: "xhigh" } }), "max", "lowered to xhigh"],
    ["gemini", sampleModel({ thinkingBudgetRange: [0, 24_576] }), "high", "lowered to 24576 tokens"],
  ] as const)("on %s is a warning", (agent, model, thinkingEffort, message) => {
    expect(at(agent, model, { thinkingEffort }).warnings).toMatchObject([
      { code: "thinking_lowered", message: expect.stringContaining(message) },
    ]);
  });

  test("is no warning when the level is what the binary calls it", () => {
    for (const thinkingEffort of ["low", "medium", "high"] as const) {
      expect(at("gemini", levelModel, { thinkingEffort }).warnings).toEqual([]);
    }
  });

  test("is no warning when an override replaces it", () => {
    const override = { thinkingLevel: "ULTRA" };
    expect(at("gemini", levelModel, { thinkingEffort: "max", thinkingOverride: override }).warnings).toEqual(
      [],
    );
  });
});

describe("a model that is not in the list", () => {
  test.each(["opencode", "pi", "codex"])("on %s: that a level was not checked is a warning", (agent) => {
    expect(at(agent, null, { thinkingEffort: "max" }).warnings).toMatchObject([
      { code: "thinking_unchecked" },
    ]);
  });

  test("on opencode: a budget that has no place is a warning", () => {
    const { params, warnings } = at("opencode", null, { thinkingBudgetTokens: 4096 });
    expect(params).toEqual({});
    expect(warnings).toMatchObject([
      { code: "thinking_not_carried", message: expect.stringContaining("'thinkingBudgetTokens'") },
    ]);
  });
});

test("no option means no parameter", () => {
  expect(at("claude", levelModel, {})).toBe(NO_THINKING);
});

function each(make: (level: string) => object): Record<ThinkingEffortLevel, object> {
  return { low: make("low"), medium: make("medium"), high: make("high"), max: make("max") };
}
