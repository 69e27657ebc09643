/**
 * From the four public levels (or a number of tokens) to what each agent's binary takes today.
 *
 * Three steps, as in the seed: normalise, merge `thinkingOverride` over it (it always wins), carry the result to where
 * the binary reads it. A lowered level, or a parameter that cannot be carried, produces a warning;
 * nothing is dropped silently. Whether a level is allowed at all is decided earlier, by `validateRun`.
 */
import type { AgentName } from "./agent-name.ts";
import type { ThinkingEffortLevel } from "./capabilities.ts";
import type { ModelCapabilities } from "./model.ts";
import type { RunWarning } from "./run-warning.ts";
import {
  type CarriedThinking,
  SESSION_OPTION_DIALECT,
  type ThinkingDialect,
  type ThinkingParams,
} from "./thinking-dialect.ts";

export interface ThinkingRequest {
  readonly agent: AgentName;
  /** The model the run will use (the agent's default if none was requested), or null if unknown. */
  readonly model: ModelCapabilities | null;
  readonly thinkingEffort?: ThinkingEffortLevel | undefined;
  readonly thinkingBudgetTokens?: number | undefined;
  readonly thinkingOverride?: Readonly<Record<string, unknown>> | undefined;
}

export interface NativeThinking {
  /** The merged native parameters, such as `{ budget_tokens: 50000 }`. */
  readonly params: ThinkingParams;
  /** Options to add to the command line. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Merged over the agent's own settings or config document for this run, or null. */
  readonly settings: Readonly<Record<string, unknown>> | null;
  /** For two-way transports: the ACP config option; its value is also Codex' `effort` and Pi's `level`. */
  readonly option: { readonly name: string; readonly value: string } | null;
  /** The model to request instead, where an agent encodes the level in the model's name. */
  readonly modelName: string | null;
  readonly warnings: readonly RunWarning[];
}

/** No option, no parameter. */
export const NO_THINKING: NativeThinking = {
  params: {},
  argv: [],
  env: {},
  settings: null,
  option: null,
  modelName: null,
  warnings: [],
};

/** `dialects` are the adapter's own. */
export function nativeThinking(
  request: ThinkingRequest,
  dialects: readonly ThinkingDialect[] = [SESSION_OPTION_DIALECT],
): NativeThinking {
  const { model, thinkingEffort, thinkingBudgetTokens, thinkingOverride = {} } = request;
  const asked = thinkingEffort !== undefined || thinkingBudgetTokens !== undefined;
  if (!asked && Object.keys(thinkingOverride).length === 0) return NO_THINKING;
  const dialect = dialects.find(({ fits }) => fits(model));
  if (!dialect) {
    return {
      ...NO_THINKING,
      params: thinkingOverride,
      warnings: [notCarried(request, Object.keys(thinkingOverride))],
    };
  }
  const { params, warnings } = normalise(request, dialect);
  const merged = { ...withoutRivals(params, thinkingOverride, dialect), ...thinkingOverride };
  const carried: CarriedThinking = dialect.carry(merged, model);
  const left = carried.notCarried ?? [];
  return {
    params: merged,
    argv: carried.argv ?? [],
    env: carried.env ?? {},
    settings: carried.settings ?? null,
    option: carried.option ?? null,
    modelName: carried.modelName ?? null,
    warnings: left.length > 0 ? [...warnings, notCarried(request, left)] : warnings,
  };
}

interface Normalised {
  readonly params: ThinkingParams;
  readonly warnings: readonly RunWarning[];
}

function normalise(request: ThinkingRequest, dialect: ThinkingDialect): Normalised {
  const { thinkingEffort: level, thinkingBudgetTokens: budget } = request;
  const effort = level === undefined ? undefined : effortParam(request, level, dialect);
  const number = budget === undefined || !dialect.budgetKey ? {} : { [dialect.budgetKey]: budget };
  // An overridden level cannot be a lowered one, and a budget given with it replaces its number.
  const replaced = { ...number, ...request.thinkingOverride };
  const isReplaced =
    effort !== undefined &&
    (effort.key in replaced || (dialect.exclusive ?? []).some((key) => key in replaced));
  const lowered = effort?.warning && !isReplaced ? [effort.warning] : [];
  const fromLevel = effort ? { [effort.key]: effort.value } : {};
  const left =
    budget !== undefined && !dialect.budgetKey ? [notCarried(request, ["thinkingBudgetTokens"])] : [];
  const warnings = [...lowered, ...left];
  return { params: { ...withoutRivals(fromLevel, number, dialect), ...number }, warnings };
}

/** Of mutually exclusive keys, keep only the strongest: a request never carries both. */
function withoutRivals(
  params: ThinkingParams,
  stronger: ThinkingParams,
  { exclusive = [] }: ThinkingDialect,
): ThinkingParams {
  if (!exclusive.some((key) => key in stronger)) return params;
  return Object.fromEntries(Object.entries(params).filter(([key]) => !exclusive.includes(key)));
}

interface EffortParam {
  readonly key: string;
  readonly value: string | number;
  readonly warning?: RunWarning;
}

function effortParam(
  request: ThinkingRequest,
  level: ThinkingEffortLevel,
  dialect: ThinkingDialect,
): EffortParam {
  const { effortKey: key } = dialect;
  const native = request.model?.nativeEffort?.[level] ?? dialect.levels[level];
  if (native === "tokens") {
    const { tokens, wanted } = tokensFor(level, request.model);
    const warning = tokens < wanted ? lowered(request, level, `${tokens} tokens`) : undefined;
    return { key, value: tokens, ...(warning && { warning }) };
  }
  const isLower = typeof native === "string" && rank(native) < rank(level);
  if (isLower) return { key, value: native, warning: lowered(request, level, native) };
  return { key, value: native, ...(request.model === null && { warning: unchecked(request, level) }) };
}

/** The token budget of a level; `max` is the model's maximum. */
const LEVEL_TOKENS = { low: 1024, medium: 8192, high: 32_768 } as const;
const MAX_TOKENS_UNKNOWN_MODEL = 63_999; // the largest budget any current model takes; binaries cut it to fit

function tokensFor(
  level: ThinkingEffortLevel,
  model: ModelCapabilities | null,
): { tokens: number; wanted: number } {
  const [least, most] = model?.thinkingBudgetRange ?? [
    0,
    model?.maxThinkingTokens ?? MAX_TOKENS_UNKNOWN_MODEL,
  ];
  const wanted = level === "max" ? most : LEVEL_TOKENS[level];
  return { tokens: Math.max(least, Math.min(wanted, most)), wanted };
}

const NATIVE_LEVELS = ["none", "off", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"];

/** An unknown name (a model's name, a vendor's term) is passed on unchanged. */
function rank(level: string): number {
  const index = NATIVE_LEVELS.indexOf(level.toLowerCase());
  return index === -1 ? NATIVE_LEVELS.length : index;
}

const lowered = ({ agent, model }: ThinkingRequest, level: string, native: string): RunWarning => ({
  code: "thinking_lowered",
  message: `Thinking effort '${level}' is lowered to ${native} for ${
    model ? `model '${model.modelId}' on ` : ""
  }agent '${agent}', which has no higher one`,
});

/** Some programs ignore a level that their model does not have, in silence. */
const unchecked = ({ agent }: ThinkingRequest, level: string): RunWarning => ({
  code: "thinking_unchecked",
  message: `The model of agent '${agent}' is not in its list of models, so its support for thinking effort '${level}' is unknown; choose a listed model`,
});

const notCarried = ({ agent }: ThinkingRequest, keys: readonly string[]): RunWarning => ({
  code: "thinking_not_carried",
  message: `Agent '${agent}' does not support ${keys.map((key) => `'${key}'`).join(", ")}, so it is left out`,
});
