/** The operator's monthly limit for an organisation: a budget in its store that its own admins cannot change. */
import { BudgetCreate } from "@capstan/client/wire";
import { type BudgetStore, OPERATOR } from "@capstan/runtime";
import { draftOf } from "../budgets/budget-dto.ts";

const find = async (budgets: BudgetStore) =>
  (await budgets.list()).find(({ createdBy }) => createdBy === OPERATOR);

/** Null: none. */
export const operatorsBudget = async (budgets: BudgetStore): Promise<number | null> =>
  (await find(budgets))?.limit ?? null;

/** At the limit it denies: an approval would be answered by the organisation's own admins. */
export async function setOperatorsBudget(budgets: BudgetStore, limit: number | null): Promise<void> {
  const before = await find(budgets);
  if (limit === null) return void (before && (await budgets.remove(before.id)));
  const draft = draftOf(
    BudgetCreate.parse({
      name: "Of the server's operator",
      measure: "cost_usd",
      limit,
      period: "month",
      at_limit: "deny",
    }),
  );
  await (before ? budgets.change(before.id, draft) : budgets.create(draft, OPERATOR));
}
