/** What a run costs: as its program reports it, else computed from its tokens; and whether its limits are reached. */
import type { CliUsage, RunOptions } from "@capstan/core/internal";
import type { ForcedEnding } from "./run-ledger.ts";

/** A price for tokens of the model that answers, by the name the program gave it; undefined when nobody knows one. */
export type CostOf = (usage: CliUsage, model: string | undefined) => number | undefined;

/** The usage with its cost, and who says so. */
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

/** How a run ends that has reached a limit of its options. */
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
