/** The cost of a run: as reported by its program, otherwise computed from its tokens; and whether limits are reached. */
import type { CliUsage, RunOptions } from "@capstan/core/internal";
import type { ForcedEnding } from "./run-ledger.ts";

/** The price of tokens of the answering model, by the program's name for it; undefined if unknown. */
export type CostOf = (usage: CliUsage, model: string | undefined) => number | undefined;

/** The usage with its cost and its source. */
export function withCost(usage: CliUsage, model: string | undefined, costOf: CostOf): CliUsage {
  if (usage.costUsd !== undefined) return { ...usage, costSource: "reported" };
  const costUsd = costOf(usage, model);
  return costUsd === undefined ? usage : { ...usage, costUsd, costSource: "computed" };
}

export interface Spent {
  readonly turns: number;
  readonly usage: CliUsage | undefined;
  /** The program counts turns itself. */
  readonly countsTurns: boolean;
}

/** How a run ends that has reached one of its limits. */
export function limitReached(
  { maxTurns, maxCostUsd }: RunOptions,
  { turns, usage, countsTurns }: Spent,
): ForcedEnding | undefined {
  if (maxTurns !== undefined && !countsTurns && turns > maxTurns) {
    return { outcome: "limit", limit: "turns", message: `The run reached its limit of ${maxTurns} turns.` };
  }
  const costUsd = usage?.costUsd;
  if (maxCostUsd === undefined || costUsd === undefined || costUsd <= maxCostUsd) return undefined;
  return {
    outcome: "limit",
    limit: "cost",
    message: `The run cost ${costUsd} USD, more than its limit of ${maxCostUsd}.`,
  };
}
