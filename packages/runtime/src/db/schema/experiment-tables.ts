/**
 * Experiments: a version of a dataset, tried with several variants of an agent. A cell is one item with one variant, worked on
 * under a lease like an item of a replay. Reviews are what people said of a cell.
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
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { datasetItems, datasets } from "./dataset-tables.ts";

const at = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });

export const experiments = pgTable(
  "experiments",
  {
    id: uuid("id").primaryKey(),
    /** Who asked for it; the agent acts for this user. */
    owner: text("owner").notNull(),
    name: text("name").notNull().default(""),
    datasetId: uuid("dataset_id")
      .notNull()
      .references(() => datasets.id, { onDelete: "cascade" }),
    datasetVersion: integer("dataset_version").notNull(),
    agentId: text("agent_id").notNull(),
    /** What each variant changes; the others are compared with the first. Secrets in configs are sealed. */
    variants: jsonb("variants").notNull(),
    scorers: jsonb("scorers").notNull(),
    repeats: integer("repeats").notNull(),
    /** running, done, cancelled. */
    status: text("status").notNull().default("running"),
    liveReads: boolean("live_reads").notNull().default(false),
    concurrency: integer("concurrency").notNull(),
    budgetUsd: doublePrecision("budget_usd"),
    createdAt: at("created_at").notNull().default(sql`now()`),
    endedAt: at("ended_at"),
  },
  (table) => [
    index("experiments_owner").on(table.owner, table.id),
    index("experiments_running").on(table.id).where(sql`status = 'running'`),
  ],
);

export const experimentCells = pgTable(
  "experiment_cells",
  {
    id: uuid("id").primaryKey(),
    experimentId: uuid("experiment_id")
      .notNull()
      .references(() => experiments.id, { onDelete: "cascade" }),
    position: integer("position").notNull(),
    /** The item as it is in the version of the experiment. */
    rowId: uuid("row_id")
      .notNull()
      .references(() => datasetItems.rowId, { onDelete: "cascade" }),
    variant: integer("variant").notNull(),
    repeat: integer("repeat").notNull(),
    /** queued, running, done, failed, skipped (the budget is spent), cancelled. */
    status: text("status").notNull().default("queued"),
    epoch: integer("epoch").notNull().default(0),
    leaseUntil: at("lease_until"),
    verdict: text("verdict"),
    comparison: json("comparison"),
    messages: json("messages"),
    scores: json("scores"),
    failure: json("failure"),
    tokens: integer("tokens").notNull().default(0),
    /** With what judges cost. */
    costUsd: doublePrecision("cost_usd").notNull().default(0),
    judgeUsd: doublePrecision("judge_usd").notNull().default(0),
    modelMs: integer("model_ms").notNull().default(0),
    endedAt: at("ended_at"),
  },
  (table) => [
    uniqueIndex("experiment_cells_position").on(table.experimentId, table.position),
    index("experiment_cells_row").on(table.rowId),
    index("experiment_cells_open")
      .on(table.experimentId, table.position)
      .where(sql`status in ('queued', 'running')`),
  ],
);

export const experimentReviews = pgTable(
  "experiment_reviews",
  {
    id: uuid("id").primaryKey(),
    cellId: uuid("cell_id")
      .notNull()
      .references(() => experimentCells.id, { onDelete: "cascade" }),
    scorer: text("scorer").notNull(),
    by: text("by").notNull(),
    score: doublePrecision("score").notNull(),
    note: text("note").notNull().default(""),
    at: at("at").notNull().default(sql`now()`),
  },
  (table) => [uniqueIndex("experiment_reviews_person").on(table.cellId, table.scorer, table.by)],
);
