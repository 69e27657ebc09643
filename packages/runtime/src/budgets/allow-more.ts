/** An admin's approval to exceed a budget's limit in the current period. */
import type { JsonValue } from "@capstan/core";
import type pg from "pg";
import { ALLOW_MORE } from "./budget-statements.ts";

/** What an admin may edit: how much more. Undefined if it is not a number above zero. */
export function moreOf(args: JsonValue, edited: JsonValue | undefined): number | undefined {
  const more = fieldOf(edited ?? args, "more");
  return typeof more === "number" && Number.isFinite(more) && more > 0 ? more : undefined;
}

/** Within the transaction of the answer. Which budget it is comes from the question, never from the edits. */
export async function allowMore(client: pg.PoolClient, args: JsonValue, edited: JsonValue): Promise<void> {
  const values = ["budget_id", "subject", "period_start"].map((name) => fieldOf(args, name));
  await client.query(ALLOW_MORE, [...values, moreOf(args, edited ?? undefined) ?? 0]);
}

/** Which budget a question is about, and whose share of it. */
export const budgetOf = (args: JsonValue): { budgetId: string; subject: string } => ({
  budgetId: String(fieldOf(args, "budget_id")),
  subject: String(fieldOf(args, "subject")),
});

const fieldOf = (value: JsonValue, name: string): JsonValue | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value[name] : undefined;
