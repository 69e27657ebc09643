/** The message for an exhausted budget. */
import { amountText } from "@capstan/core/internal";
import type { UsedUp } from "./budget-ledger.ts";

export const usedUpFacts = ({ budget, spent, reserved, extra, endsAt }: UsedUp) => ({
  budget: budget.name,
  spent:
    amountText(budget.measure, spent) +
    (reserved > 0 ? ` (and ${amountText(budget.measure, reserved)} reserved by running calls)` : ""),
  limit: amountText(budget.measure, budget.limit + extra),
  until: endsAt.toISOString(),
});

/** Only reservations exhaust the budget: there is room as soon as those calls cost less than they reserved. */
export const isOnlyReserved = ({ budget, spent, extra }: UsedUp): boolean => spent < budget.limit + extra;
