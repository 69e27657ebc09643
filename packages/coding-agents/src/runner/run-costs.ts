/** The cost of a run: as reported by its program, otherwise computed from its tokens; and whether limits are reached. */
import { fail } from "@capstan/core";
import type { CliUsage, RunOptions } from "@capstan/core/internal";
import { forcedBy } from "./forced-ending.ts";
import type { ForcedEnding } from "./run-ledger.ts";

/** The price of tokens of the answering model, by the program's name for it; undefined if unknown. */
export type CostOf = (usage: CliUsage, model: string | undefined) => number | undefined;

/** The usage with its cost and source. Programs report 0 for tokens without a known price, so 0 is ignored. */
export function withCost(usage: CliUsage, model: string | undefined, costOf: CostOf): CliUsage {
  const { costUsd: reported } = usage;
  if (reported !== undefined && (reported > 0 || !hasTokens(usage)))
    return { ...usage, costSource: "reported" };
  const costUsd = costOf(usage, model);
  if (costUsd !== undefined) return { ...usage, costUsd, costSource: "computed" };
  return reported === undefined ? usage : { ...usage, costSource: "reported" };
}

const hasTokens = ({ inputTokens, outputTokens }: CliUsage) => inputTokens + outputTokens > 0;

/** Tokens with an unknown cost. */
const isUnpriced = (usage: CliUsage) =>
  hasTokens(usage) &&
  (usage.costUsd === undefined || (usage.costUsd === 0 && usage.costSource === "reported"));

export interface Spent {
  readonly turns: number;
  readonly usage: CliUsage | undefined;
  /** The program counts turns itself. */
  readonly countsTurns: boolean;
}

/** How a run ends that has reached one of its limits. */
export function limitReached(
  { agent, model = "its default", maxTurns, maxCostUsd }: RunOptions,
  { turns, usage, countsTurns }: Spent,
): ForcedEnding | undefined {
  if (maxTurns !== undefined && !countsTurns && turns > maxTurns) {
    return { outcome: "limit", limit: "turns", message: `The run reached its limit of ${maxTurns} turns.` };
  }
  if (maxCostUsd !== undefined && usage && isUnpriced(usage)) {
    const why = "its price is unknown";
    return forcedBy(fail("coding_agent_budget_refused", { agent, model, why }).failure);
  }
  const costUsd = usage?.costUsd;
  if (maxCostUsd === undefined || costUsd === undefined || costUsd <= maxCostUsd) return undefined;
  return {
    outcome: "limit",
    limit: "cost",
    message: `The run cost ${dollars(costUsd)} USD, more than its limit of ${maxCostUsd}.`,
  };
}

/** A sum of prices has digits that nobody charges: 0.37799999999999995. */
const dollars = (amount: number): string => String(Number(amount.toPrecision(6)));
