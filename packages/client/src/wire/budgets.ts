/** Budgets: how much may be spent in a day, a week or a month. */
import { AT_LIMIT, BUDGET_EACH, BUDGET_MEASURES, BUDGET_PERIODS } from "@capstan/core/internal";
import { z } from "zod";
import { countedPageOf, PageQuery, queryText, UserAddress } from "./page.ts";
import { readBack } from "./read-back.ts";

const fields = {
  name: z.string().trim().min(1).max(200),
  measure: z.enum(BUDGET_MEASURES).meta({
    description: "`cost_usd` and `tokens` count what models use; `calls` counts tool calls.",
  }),
  limit: z.number().positive().max(1e15),
  period: z.enum(BUDGET_PERIODS),
  time_zone: z
    .string()
    .min(1)
    .max(100)
    .refine(isTimeZone, { message: "is no time zone; write it as Europe/Berlin or UTC" })
    .meta({ description: "Where a period begins at midnight." }),
  agent_id: z.uuid().nullable().meta({ description: "Only what this agent spends." }),
  user: UserAddress.nullable().meta({ description: "Only what is spent for this user." }),
  capability_id: z
    .string()
    .min(1)
    .max(200)
    .nullable()
    .meta({ description: "Only calls of this capability; with the measure `calls`." }),
  for_each: z
    .enum(BUDGET_EACH)
    .nullable()
    .meta({ description: "Each user or each agent has the whole limit; null: all share it." }),
  at_limit: z.enum(AT_LIMIT).meta({
    description:
      "`ask`: the run waits for an admin to allow more, or for the next period. `wait`: it waits for the next period; a tool call is refused with the time. `deny`: refused.",
  }),
  webhook: z
    .strictObject({ url: z.url({ protocol: /^https?$/ }).max(2_000) })
    .nullable()
    .meta({
      description: "Called at 50, 80 and 100 percent of the limit, signed as the webhooks of runs are.",
    }),
};

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const BudgetSpending = z
  .object({
    subject: z.string().meta({ description: "A user or an agent's id; empty for all together." }),
    spent: z.number(),
    reserved: z.number().meta({ description: "By model calls that run now." }),
    extra: z.number().meta({ description: "Allowed above the limit by an admin, in this period." }),
    remaining: z.number(),
    percent: z.number().meta({ description: "Of the limit." }),
    alert: z
      .int()
      .nullable()
      .meta({ description: "The highest alert raised in this period: 50, 80 or 100." }),
    forecast: z
      .object({
        amount: z.number().meta({ description: "Spent by the end of the period, at this pace." }),
        reached_at: z.iso
          .datetime()
          .nullable()
          .meta({ description: "When the limit is reached, at this pace." }),
      })
      .nullable()
      .meta({ description: "Null while too little of the period has passed." }),
  })
  .meta({ id: "BudgetSpending" });
export type BudgetSpending = z.infer<typeof BudgetSpending>;

const kept = {
  id: z.uuid(),
  sentence: z.string().meta({ description: "The budget in words." }),
  period_start: z.iso.datetime(),
  period_end: z.iso.datetime(),
  spending: z
    .array(BudgetSpending)
    .meta({ description: "Of the current period, most spent first; one row unless it is for each." }),
  created_by: z.string(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
};

export const BudgetCreate = z
  .strictObject({
    ...readBack(kept),
    ...fields,
    time_zone: fields.time_zone.default("UTC"),
    agent_id: fields.agent_id.optional(),
    user: fields.user.optional(),
    capability_id: fields.capability_id.optional(),
    for_each: fields.for_each.optional(),
    webhook: fields.webhook.optional(),
    at_limit: fields.at_limit.default("ask"),
  })
  .meta({ id: "BudgetCreate" });
export type BudgetCreate = z.input<typeof BudgetCreate>;

export const BudgetPatch = z
  .strictObject({ ...readBack(kept), ...z.strictObject(fields).partial().shape })
  .meta({ id: "BudgetPatch" });
export type BudgetPatch = z.input<typeof BudgetPatch>;

export const Budget = z
  .object({
    id: kept.id,
    ...fields,
    sentence: kept.sentence,
    period_start: kept.period_start,
    period_end: kept.period_end,
    spending: kept.spending,
    created_by: kept.created_by,
    created_at: kept.created_at,
    updated_at: kept.updated_at,
  })
  .meta({ id: "Budget" });
export type Budget = z.infer<typeof Budget>;

export const BudgetQuery = PageQuery.extend({
  agent_id: z.uuid().optional().meta({ description: "Budgets for this agent, and those for every agent." }),
  user: z.string().max(320).optional().meta({ description: "Budgets for this user alone." }),
  measure: fields.measure.optional(),
  q: queryText("the name or what the budget says"),
});
export type BudgetQuery = z.input<typeof BudgetQuery>;
export const BudgetList = countedPageOf(Budget).meta({ id: "BudgetList" });
