/** Budgets: what may be spent in a day, a week or a month, and what was. */
import type { Connection } from "../connection.ts";
import { pagedList } from "../every-page.ts";
import type { Budget, BudgetCreate, BudgetPatch } from "../wire/budgets.ts";

const at = (id: string): string => `/v1/budgets/${encodeURIComponent(id)}`;

export const budgetEndpoints = ({ json }: Connection) => ({
  ...pagedList<Budget>({ json }, "/v1/budgets"),
  get: (id: string, signal?: AbortSignal) => json<Budget>("GET", at(id), { signal }),
  create: (budget: BudgetCreate) => json<Budget>("POST", "/v1/budgets", { json: budget }),
  change: (id: string, patch: BudgetPatch) => json<Budget>("PATCH", at(id), { json: patch }),
  remove: (id: string) => json<void>("DELETE", at(id)),
});
