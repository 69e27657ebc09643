/** Budgets: what may be spent in a day, a week or a month, and what was. */
import type { Connection } from "../connection.ts";
import type { Budget, BudgetCreate, BudgetPatch } from "../wire/budgets.ts";
import type { Items } from "../wire/page.ts";

const at = (id: string): string => `/v1/budgets/${encodeURIComponent(id)}`;

export const budgetEndpoints = ({ json }: Connection) => ({
  list: (signal?: AbortSignal) => json<Items<Budget>>("GET", "/v1/budgets", { signal }),
  get: (id: string, signal?: AbortSignal) => json<Budget>("GET", at(id), { signal }),
  create: (budget: BudgetCreate) => json<Budget>("POST", "/v1/budgets", { json: budget }),
  change: (id: string, patch: BudgetPatch) => json<Budget>("PATCH", at(id), { json: patch }),
  remove: (id: string) => json<void>("DELETE", at(id)),
});
