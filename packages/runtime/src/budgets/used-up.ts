/** The message for an exhausted budget. */
import { amountText } from "@capstan/core/internal";
import type { UsedUp } from "./budget-ledger.ts";

export const usedUpFacts = ({ budget, spent, extra, endsAt }: UsedUp) => ({
  budget: budget.name,
  spent: amountText(budget.measure, spent),
  limit: amountText(budget.measure, budget.limit + extra),
  until: endsAt.toISOString(),
});
