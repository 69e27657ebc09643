/**
 * How each agent's binary takes thinking parameters: one row per way, in the order in which they are tried.
 *
 * Every carrier was observed on the wire with the version in the agent's manifest, or is marked (docs). Overrides are
 * passed only to places that are about thinking: `thinkingOverride` must not become a way to pass `--yolo`.
 */
import {
  type CarriedThinking,
  type ModelCapabilities,
  type ThinkingDialect,
  type ThinkingParams,
  VERBATIM_LEVELS,
} from "@capstan/core/internal";

const TOKENS = { low: "tokens", medium: "tokens", high: "tokens", max: "tokens" };

const always = () => true;
const takesBudget = (model: ModelCapabilities | null) => model?.thinkingBudgetRange !== undefined;

const CLAUDE_DEFAULT_OUTPUT_TOKENS = 32_000; // Claude Code cuts a budget at or above it to 31999 unless the output limit is raised

/**
 * `--effort` controls adaptive models, `MAX_THINKING_TOKENS` the older ones; each has no effect on the other kind. So a level
 * cannot reach an older model at all, and a number reaches an adaptive one only in the request's extra body.
 */
export const claudeDialects: readonly ThinkingDialect[] = [
  {
    fits: takesBudget,
    effortKey: "budget_tokens",
    levels: TOKENS,
    budgetKey: "budget_tokens",
    carry: ({ effort, ...params }, model) => ({
      ...carryClaude(params, model),
      notCarried: effort === undefined ? [] : ["effort"],
    }),
  },
  {
    fits: always, // an unknown model is assumed to be a newer one: those take levels
    effortKey: "effort",
    levels: VERBATIM_LEVELS,
    budgetKey: "budget_tokens",
    exclusive: ["effort", "budget_tokens"],
    carry: carryClaude,
  },
];

function carryClaude(params: ThinkingParams, model: ModelCapabilities | null): CarriedThinking {
  const { effort, budget_tokens: budget, ...rest } = params;
  const env: Record<string, string> = {};
  if (typeof budget === "number") env.MAX_THINKING_TOKENS = String(budget);
  if (typeof budget === "number" && budget >= CLAUDE_DEFAULT_OUTPUT_TOKENS && model) {
    env.CLAUDE_CODE_MAX_OUTPUT_TOKENS = String(Math.max(model.maxOutputTokens, budget + 1));
  }
  const isForced = typeof budget === "number" && model !== null && !takesBudget(model);
  if (isForced || Object.keys(rest).length > 0) {
    // The extra body replaces whole objects: `thinking` must be complete, without a default effort beside a number.
    const thinking =
      typeof budget === "number" ? { type: "enabled", budget_tokens: budget } : { type: "adaptive" };
    const alone = isForced && effort === undefined ? { output_config: { effort: null } } : {};
    env.CLAUDE_CODE_EXTRA_BODY = JSON.stringify({ thinking: { ...thinking, ...rest }, ...alone });
  }
  if (typeof effort !== "string") return { env };
  return { argv: ["--effort", effort], env, option: { name: "effort", value: effort } };
}

const CODEX_KEY = /^model_(reasoning_[a-z_]+|verbosity|supports_reasoning_summaries)$/;

export const codexDialect: ThinkingDialect = {
  fits: always,
  effortKey: "model_reasoning_effort",
  levels: VERBATIM_LEVELS,
  carry(params) {
    const keys = Object.keys(params);
    const effort = params.model_reasoning_effort;
    return {
      // The value is read as TOML, of which a JSON string, number or boolean is one.
      argv: keys.filter(isCodexKey).flatMap((key) => ["-c", `${key}=${JSON.stringify(params[key])}`]),
      ...(typeof effort === "string" && { option: { name: "reasoning_effort", value: effort } }),
      notCarried: keys.filter((key) => !isCodexKey(key)),
    };
  },
};
const isCodexKey = (key: string) => CODEX_KEY.test(key);

const GEMINI_KEYS = ["thinkingLevel", "thinkingBudget"];

/**
 * Settings only. `isChatModel` matches any name the CLI gives the model (it renames some). They are merged over the CLI's own,
 * which sets `own` for such a model: null takes that away where an override asks for the other one.
 */
const carryGemini =
  (own: string) =>
  (params: ThinkingParams): CarriedThinking => {
    const isOther = !(own in params) && GEMINI_KEYS.some((key) => key in params);
    const thinkingConfig = isOther ? { ...params, [own]: null } : params;
    const modelConfig = { generateContentConfig: { thinkingConfig } };
    return {
      settings: { modelConfigs: { customOverrides: [{ match: { isChatModel: true }, modelConfig }] } },
    };
  };

export const geminiDialects: readonly ThinkingDialect[] = [
  {
    fits: takesBudget,
    effortKey: "thinkingBudget",
    levels: TOKENS,
    budgetKey: "thinkingBudget",
    exclusive: GEMINI_KEYS,
    carry: carryGemini("thinkingBudget"),
  },
  {
    fits: always,
    effortKey: "thinkingLevel",
    levels: { low: "LOW", medium: "MEDIUM", high: "HIGH", max: "HIGH" },
    budgetKey: "thinkingBudget",
    exclusive: GEMINI_KEYS,
    carry: carryGemini("thinkingLevel"),
  },
];

const OPENCODE_VARIANT = "capstan"; // defined by us for the run; the CLI silently ignores unknown names

/** Models with levels have named variants; for those with a budget we define one, because the built-in ones only know two sizes. */
export const opencodeDialects: readonly ThinkingDialect[] = [
  {
    fits: takesBudget,
    effortKey: "budgetTokens",
    levels: TOKENS,
    budgetKey: "budgetTokens",
    carry: (params, model) => ({
      argv: ["--variant", OPENCODE_VARIANT],
      settings: opencodeVariant(params, model),
      option: { name: "effort", value: OPENCODE_VARIANT },
    }),
  },
  flagDialect("--variant", "variant", "effort"),
];

function opencodeVariant(params: ThinkingParams, model: ModelCapabilities | null): Record<string, unknown> {
  const [provider = "", ...rest] = (model?.modelId ?? "").split("/");
  const { budgetTokens, ...more } = params;
  const options =
    provider === "google"
      ? { thinkingConfig: { includeThoughts: true, thinkingBudget: budgetTokens, ...more } }
      : { thinking: { type: "enabled", budgetTokens, ...more } };
  return {
    provider: { [provider]: { models: { [rest.join("/")]: { variants: { [OPENCODE_VARIANT]: options } } } } },
  };
}

/** The flag takes a level; the budget of each level is in a config document merged through `--config` (docs). */
export const ompDialect: ThinkingDialect = {
  fits: always,
  effortKey: "thinking",
  levels: VERBATIM_LEVELS,
  budgetKey: "budget_tokens",
  carry(params) {
    const { thinking, budget_tokens: budget, ...rest } = params;
    const level = typeof thinking === "string" ? thinking : "high";
    return {
      argv: ["--thinking", level],
      ...(typeof budget === "number" && { settings: { thinkingBudgets: { [level]: budget } } }),
      option: { name: "thinking", value: level },
      notCarried: Object.keys(rest),
    };
  },
};

/** (docs) No flag: the level is part of the model's name, which the snapshot lists. */
export const cursorDialect: ThinkingDialect = {
  fits: always,
  effortKey: "model",
  levels: VERBATIM_LEVELS,
  carry(params, model) {
    const { model: name, ...rest } = params;
    const isName =
      typeof name === "string" &&
      (Object.values(model?.nativeEffort ?? {}).includes(name) || !(name in VERBATIM_LEVELS));
    if (!isName) return { notCarried: Object.keys(params) };
    return { modelName: name, notCarried: Object.keys(rest) };
  },
};

/** An agent that takes the level's name behind one flag. */
export function flagDialect(flag: string, effortKey: string, optionName: string): ThinkingDialect {
  return {
    fits: always,
    effortKey,
    levels: VERBATIM_LEVELS,
    carry(params) {
      const { [effortKey]: level, ...rest } = params;
      const left = { notCarried: Object.keys(rest) };
      return typeof level === "string"
        ? { argv: [flag, level], option: { name: optionName, value: level }, ...left }
        : left;
    },
  };
}
