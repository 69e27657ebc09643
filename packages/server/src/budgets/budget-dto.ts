/** Converts budgets between the API and the code. */
import type { Budget, BudgetCreate, BudgetSpending as SpendingWire } from "@capstan/client/wire";
import { budgetSentence, forecastOf, roundedUsd, type SpendingBudget } from "@capstan/core/internal";
import type { BudgetDraft, BudgetRecord, BudgetState } from "@capstan/runtime";
import type { z } from "@hono/zod-openapi";

/** The fields a client may send, as the API names them. */
export const fieldsOf = (budget: Omit<SpendingBudget, "id">) => ({
  name: budget.name,
  measure: budget.measure,
  limit: budget.limit,
  period: budget.period,
  time_zone: budget.timeZone,
  agent_id: budget.agentId ?? null,
  user: budget.user ?? null,
  capability_id: budget.capabilityId ?? null,
  for_each: budget.forEach ?? null,
  at_limit: budget.atLimit,
  webhook: budget.webhookUrl === undefined ? null : { url: budget.webhookUrl },
});

export const draftOf = (sent: z.output<typeof BudgetCreate>): BudgetDraft => ({
  name: sent.name,
  measure: sent.measure,
  limit: sent.limit,
  period: sent.period,
  timeZone: sent.time_zone,
  agentId: sent.agent_id ?? undefined,
  user: sent.user ?? undefined,
  capabilityId: sent.capability_id ?? undefined,
  forEach: sent.for_each ?? undefined,
  atLimit: sent.at_limit,
  webhookUrl: sent.webhook?.url,
});

/** `seenBy`: a user, who never sees the shares of others; undefined sees all. */
export function budgetDto(
  budget: BudgetRecord,
  state: BudgetState,
  { seenBy, now }: { readonly seenBy: string | undefined; readonly now: Date },
): Budget {
  const shown = state.spending.filter(
    ({ subject }) => seenBy === undefined || budget.forEach !== "user" || subject === seenBy,
  );
  const none = { subject: "", spent: 0, reserved: 0, extra: 0, alerted: 0 };
  const rows = shown.length === 0 && budget.forEach === undefined ? [none] : shown;
  return {
    id: budget.id,
    ...fieldsOf(budget),
    sentence: budgetSentence(budget),
    period_start: state.startsAt.toISOString(),
    period_end: state.endsAt.toISOString(),
    spending: rows.map((row) => spendingDto(budget, state, row, now)),
    created_by: budget.createdBy,
    created_at: budget.createdAt.toISOString(),
    updated_at: budget.updatedAt.toISOString(),
  };
}

function spendingDto(
  { measure, limit }: BudgetRecord,
  { startsAt: start, endsAt: end }: BudgetState,
  { subject, spent, reserved, extra, alerted }: BudgetState["spending"][number],
  now: Date,
): SpendingWire {
  const shown = (amount: number) => (measure === "cost_usd" ? roundedUsd(amount) : amount);
  const forecast = forecastOf({ spent, limit: limit + extra, start, end }, now);
  return {
    subject,
    spent: shown(spent),
    reserved: shown(reserved),
    extra,
    remaining: shown(Math.max(0, limit + extra - spent - reserved)),
    percent: (spent / limit) * 100,
    alert: alerted > 0 ? alerted : null,
    forecast: forecast
      ? { amount: shown(forecast.amount), reached_at: forecast.reachedAt?.toISOString() ?? null }
      : null,
  };
}
