/** Adds up the reports of steps or turns, because a `usage` event contains the run's totals so far. */
import type { CliUsage } from "@capstan/core/internal";

export type UsageStep = Partial<Record<UsageField, number | undefined>>;
type UsageField = Exclude<keyof CliUsage, "type" | "costSource">;

const OPTIONAL: readonly UsageField[] = [
  "cachedInputTokens",
  "cacheWriteTokens",
  "thinkingTokens",
  "costUsd",
];

export class UsageTotal {
  readonly #sum: Partial<Record<UsageField, number>> = {};

  add(step: UsageStep): CliUsage {
    addInto(this.#sum, step);
    return usage(this.#sum);
  }

  /** With steps that are not over yet, without keeping them. */
  plus(steps: Iterable<UsageStep>): CliUsage {
    const sum = { ...this.#sum };
    for (const step of steps) addInto(sum, step);
    return usage(sum);
  }
}

function addInto(sum: Partial<Record<UsageField, number>>, step: UsageStep): void {
  for (const [field, value] of Object.entries(step) as [UsageField, number | undefined][]) {
    if (isCount(value)) sum[field] = (sum[field] ?? 0) + value;
  }
}

/** One report as an event: missing values stay absent, invalid ones are 0. */
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
