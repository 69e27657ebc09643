/**
 * From the four public levels (or a number of tokens) to what each agent's binary takes today.
 *
 * Three steps, as in the seed: normalise, lay `thinkingOverride` over it (it always wins), carry the result to where
 * the binary reads it. What an agent cannot carry is a warning, never silence. Whether a level is allowed at all is
 * decided before, by `validateRun`.
 */
import type { AgentName } from "./agent-name.ts";
import type { ThinkingEffortLevel } from "./capabilities.ts";
import type { ModelCapabilities } from "./model.ts";
import type { RunWarning } from "./run-warning.ts";

export interface ThinkingRequest {
  readonly agent: AgentName;
  /** The model the run will use, if the registry knows it. */
  readonly model: ModelCapabilities | null;
  readonly thinkingEffort?: ThinkingEffortLevel | undefined;
  readonly thinkingBudgetTokens?: number | undefined;
  readonly thinkingOverride?: Readonly<Record<string, unknown>> | undefined;
}

export interface NativeThinking {
  /** The merged native parameters, such as `{ budget_tokens: 50000 }`. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Options to add to the command line. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What to lay over the agent's own settings or config document for this run, or null. */
  readonly settings: Readonly<Record<string, unknown>> | null;
  /** For two-way transports: the option to set (ACP config option, Codex `turn/start`, Pi `set_thinking_level`). */
  readonly option: { readonly name: string; readonly value: string } | null;
  readonly warnings: readonly RunWarning[];
}

/** Nothing asked: nothing to pass. */
export const NO_THINKING: NativeThinking = {
  params: {},
  argv: [],
  env: {},
  settings: null,
  option: null,
  warnings: [],
};

export function nativeThinking(_request: ThinkingRequest): NativeThinking {
  return NO_THINKING;
}
