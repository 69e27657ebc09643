/**
 * Monitors score a share of an agent's live runs. A score is worked on under a lease like a cell of an experiment, and is deleted
 * with its run. A revision counts its scores, so that each check for drift happens once; an alert is also its own delivery.
 */
import { sql } from "drizzle-orm";
import {
  boolean,
  doublePrecision,
  index,
  integer,
  json,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { agents } from "./agent-tables.ts";
import { at } from "./columns.ts";
import { runs } from "./run-tables.ts";

export const monitors = pgTable(
  "monitors",
  {
    id: uuid("id").primaryKey(),
    /** Who made it; judges count in this user's budgets. */
    owner: text("owner").notNull(),
    /** Runs of every user; otherwise only the owner's. */
    everybody: boolean("everybody").notNull(),
    name: text("name").notNull(),
    agentId: uuid("agent_id")
      .notNull()
      .references(() => agents.id, { onDelete: "cascade" }),
    scorers: jsonb("scorers").notNull(),
    /** In percent. */
    share: doublePrecision("share").notNull(),
    /** A day, in UTC. */
    budgetUsd: doublePrecision("budget_usd"),
    /** What is removed from texts, besides secrets, before a judge reads them. */
    scrub: jsonb("scrub").notNull().default([]),
    /** Checks for drift each time a revision has this many more scores. */
    everyRuns: integer("every_runs").notNull(),
    drop: doublePrecision("drop").notNull(),
    webhookUrl: text("webhook_url"),
    /** running, paused. */
    status: text("status").notNull().default("running"),
    concurrency: integer("concurrency").notNull(),
    /** Runs with smaller ids have been sampled or skipped. */
    scannedTo: uuid("scanned_to").notNull(),
    createdAt: at("created_at").notNull().default(sql`now()`),
    updatedAt: at("updated_at").notNull().default(sql`now()`),
  },
  (table) => [index("monitors_owner").on(table.owner, table.id)],
);

export const monitorScores = pgTable(
  "monitor_scores",
  {
    id: uuid("id").primaryKey(),
    monitorId: uuid("monitor_id")
      .notNull()
      .references(() => monitors.id, { onDelete: "cascade" }),
    runId: uuid("run_id")
      .notNull()
      .references(() => runs.id, { onDelete: "cascade" }),
    /** When the run was found, in seconds: the oldest is scored first. */
    position: integer("position").notNull(),
    /** Of the run; set when it is scored. */
    revision: integer("revision"),
    /** queued, running, done, failed, skipped (the budget of the day is spent). */
    status: text("status").notNull().default("queued"),
    epoch: integer("epoch").notNull().default(0),
    leaseUntil: at("lease_until"),
    scores: json("scores"),
    failure: json("failure"),
    tokens: integer("tokens").notNull().default(0),
    costUsd: doublePrecision("cost_usd").notNull().default(0),
    endedAt: at("ended_at"),
  },
  (table) => [
    uniqueIndex("monitor_scores_run").on(table.monitorId, table.runId),
    index("monitor_scores_of_run").on(table.runId),
    index("monitor_scores_ended").on(table.monitorId, table.endedAt),
    index("monitor_scores_open")
      .on(table.monitorId, table.position)
      .where(sql`status in ('queued', 'running')`),
  ],
);

export const monitorRevisions = pgTable(
  "monitor_revisions",
  {
    monitorId: uuid("monitor_id")
      .notNull()
      .references(() => monitors.id, { onDelete: "cascade" }),
    revision: integer("revision").notNull(),
    scored: integer("scored").notNull().default(0),
    /** The number of checks for drift. */
    looks: integer("looks").notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.monitorId, table.revision] })],
);

export const monitorAlerts = pgTable(
  "monitor_alerts",
  {
    id: uuid("id").primaryKey(),
    monitorId: uuid("monitor_id")
      .notNull()
      .references(() => monitors.id, { onDelete: "cascade" }),
    scorer: text("scorer").notNull(),
    revision: integer("revision").notNull(),
    /** The revision it is compared with. */
    against: integer("against").notNull(),
    /** Means, run counts, p-value and significance level. */
    finding: json("finding").notNull(),
    acknowledgedBy: text("acknowledged_by"),
    acknowledgedAt: at("acknowledged_at"),
    /** Empty when nobody is notified. */
    url: text("url").notNull().default(""),
    payload: json("payload").notNull(),
    /** none, due, delivered, given_up. */
    status: text("status").notNull(),
    attempts: integer("attempts").notNull().default(0),
    nextAt: at("next_at").notNull().default(sql`now()`),
    lastError: text("last_error"),
    createdAt: at("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    uniqueIndex("monitor_alerts_once").on(table.monitorId, table.scorer, table.revision),
    index("monitor_alerts_due").on(table.nextAt).where(sql`status = 'due'`),
  ],
);
