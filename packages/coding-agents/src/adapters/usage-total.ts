/** Adds up what steps or turns report, because a `usage` event holds the run's totals so far. */
import type { CliUsage } from "@capstan/core/internal";

export type UsageStep = Partial<Record<UsageField, number | undefined>>;
type UsageField = Exclude<keyof CliUsage, "type">;

const OPTIONAL: readonly UsageField[] = [
  "cachedInputTokens",
  "cacheWriteTokens",
  "thinkingTokens",
  "costUsd",
];

export class UsageTotal {
  readonly #sum: Partial<Record<UsageField, number>> = {};

  add(step: UsageStep): CliUsage {
    for (const [field, value] of Object.entries(step) as [UsageField, number | undefined][]) {
      if (value !== undefined && Number.isFinite(value) && value >= 0) {
        this.#sum[field] = (this.#sum[field] ?? 0) + value;
      }
    }
    return usage(this.#sum);
  }
}

/** One report as an event: what was not said stays out, what cannot be counted is 0. */
export function usage(step: UsageStep): CliUsage {
  const optional = OPTIONAL.flatMap((field) => (isCount(step[field]) ? [[field, step[field]]] : []));
  return {
    type: "usage",
    inputTokens: isCount(step.inputTokens) ? step.inputTokens : 0,
    outputTokens: isCount(step.outputTokens) ? step.outputTokens : 0,
    ...Object.fromEntries(optional),
  };
}

const isCount = (value: number | undefined): value is number =>
  value !== undefined && Number.isFinite(value) && value >= 0;

/** Input without what came from the cache, for providers that count the cached part in. */
export const uncached = (input = 0, cached = 0): number => Math.max(0, input - cached);
