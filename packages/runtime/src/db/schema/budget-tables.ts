/** Budgets, what was spent of each in a period, and what running model calls have reserved. */
import { sql } from "drizzle-orm";
import {
  doublePrecision,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  smallint,
  text,
  uuid,
} from "drizzle-orm/pg-core";
import { agents } from "./agent-tables.ts";
import { at } from "./columns.ts";

export const budgets = pgTable("budgets", {
  id: uuid("id").primaryKey(),
  name: text("name").notNull(),
  measure: text("measure").notNull(),
  /** "limit" is a word of SQL. */
  amount: doublePrecision("amount").notNull(),
  period: text("period").notNull(),
  timeZone: text("time_zone").notNull(),
  agentId: uuid("agent_id").references(() => agents.id, { onDelete: "cascade" }),
  userEmail: text("user_email"),
  capabilityId: text("capability_id"),
  forEach: text("for_each"),
  atLimit: text("at_limit").notNull(),
  /** Called at 50, 80 and 100 percent. */
  webhookUrl: text("webhook_url"),
  createdBy: text("created_by").notNull(),
  createdAt: at("created_at").notNull().default(sql`now()`),
  updatedAt: at("updated_at").notNull().default(sql`now()`),
});

/** One row per budget, subject and period. `subject`: a user or an agent, or "" for all together. */
export const budgetPeriods = pgTable(
  "budget_periods",
  {
    budgetId: uuid("budget_id")
      .notNull()
      .references(() => budgets.id, { onDelete: "cascade" }),
    subject: text("subject").notNull(),
    startsAt: at("starts_at").notNull(),
    spent: doublePrecision("spent").notNull().default(0),
    reserved: doublePrecision("reserved").notNull().default(0),
    /** Allowed above the limit by an admin, in this period. */
    extra: doublePrecision("extra").notNull().default(0),
    /** The highest alert raised, in percent. */
    alerted: smallint("alerted").notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.budgetId, table.subject, table.startsAt] })],
);

/** Alerts that a webhook is to be told, until it has accepted them. */
export const budgetDeliveries = pgTable(
  "budget_deliveries",
  {
    id: uuid("id").primaryKey(),
    budgetId: uuid("budget_id")
      .notNull()
      .references(() => budgets.id, { onDelete: "cascade" }),
    url: text("url").notNull(),
    payload: json("payload").notNull(),
    /** due, delivered, given_up. */
    status: text("status").notNull().default("due"),
    attempts: integer("attempts").notNull().default(0),
    nextAt: at("next_at").notNull().default(sql`now()`),
    lastError: text("last_error"),
    createdAt: at("created_at").notNull().default(sql`now()`),
  },
  (table) => [index("budget_deliveries_due").on(table.nextAt).where(sql`status = 'due'`)],
);

/** What a run has reserved for the model call it makes now. */
export const budgetReservations = pgTable(
  "budget_reservations",
  {
    runId: uuid("run_id").notNull(),
    budgetId: uuid("budget_id").notNull(),
    subject: text("subject").notNull(),
    startsAt: at("starts_at").notNull(),
    measure: text("measure").notNull(),
    amount: doublePrecision("amount").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.runId, table.budgetId] }),
    index("budget_reservations_budget").on(table.budgetId, table.subject),
  ],
);
