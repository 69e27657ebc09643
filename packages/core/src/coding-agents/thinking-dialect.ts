/** How an agent's binary takes thinking parameters. An adapter lists its ways in the order in which they are tried. */
import type { ThinkingEffortLevel } from "./capabilities.ts";
import type { ModelCapabilities } from "./model.ts";

export type ThinkingParams = Readonly<Record<string, unknown>>;

export interface CarriedThinking {
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly option?: { readonly name: string; readonly value: string };
  readonly modelName?: string;
  /** Parameters that this binary does not support. */
  readonly notCarried?: readonly string[];
}

export interface ThinkingDialect {
  /** Whether it applies to this model; null means an unknown model. */
  readonly fits: (model: ModelCapabilities | null) => boolean;
  readonly effortKey: string;
  /** The name of each level; `tokens` means the level's token budget. */
  readonly levels: Readonly<Record<ThinkingEffortLevel, string>>;
  /** The parameter that takes a token budget, if any. */
  readonly budgetKey?: string;
  /** Mutually exclusive keys: the number replaces the level, and an override replaces both. */
  readonly exclusive?: readonly string[];
  readonly carry: (params: ThinkingParams, model: ModelCapabilities | null) => CarriedThinking;
}

/** The four levels by their own names. */
export const VERBATIM_LEVELS = { low: "low", medium: "medium", high: "high", max: "max" };

/** For an adapter that lists none: over ACP the level is a session option; its command line is unknown. */
export const SESSION_OPTION_DIALECT: ThinkingDialect = {
  fits: () => true,
  effortKey: "effort",
  levels: VERBATIM_LEVELS,
  carry({ effort, ...rest }) {
    const left = { notCarried: Object.keys(rest) };
    return typeof effort === "string" ? { option: { name: "effort", value: effort }, ...left } : left;
  },
};
