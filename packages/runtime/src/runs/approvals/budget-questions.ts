/**
 * Other runs that wait for more of the same budget: when an admin allows more, raises the limit or deletes the budget, they
 * try again. Those that find no room ask again.
 */
import type pg from "pg";

/** Allows nothing more: what was allowed for one run is for all that wait. */
export const NOTHING_MORE = { more: 0 };

export interface BudgetQuestions {
  readonly budgetId: string;
  /** Whose share of the budget; absent: every one. */
  readonly subject?: string | undefined;
}

const PENDING = `select id from approvals where status = 'pending' and kind = 'budget' and arguments->>'budget_id' = $1
  and ($2::text is null or arguments->>'subject' = $2) order by created_at, id limit 1000`;

export async function pendingOfBudget(
  pool: Pick<pg.Pool, "query">,
  { budgetId, subject }: BudgetQuestions,
): Promise<readonly string[]> {
  const { rows } = await pool.query<{ id: string }>(PENDING, [budgetId, subject ?? null]);
  return rows.map(({ id }) => id);
}
