/**
 * Replays of recorded runs, and one row for each run of them. A row is worked on by one process under a lease; the epoch
 * fences off a process that lost it. With the recorded run, its comparison is deleted.
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
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { at } from "./columns.ts";
import { runs } from "./run-tables.ts";

export const replays = pgTable(
  "replays",
  {
    id: uuid("id").primaryKey(),
    /** Who asked for it. */
    owner: text("owner").notNull(),
    /** running, done, cancelled. */
    status: text("status").notNull().default("running"),
    /** What is changed, under the API's names. */
    change: jsonb("change").notNull(),
    standIns: jsonb("stand_ins").notNull().default([]),
    liveReads: boolean("live_reads").notNull().default(false),
    /** How many of its runs are replayed at once. */
    concurrency: integer("concurrency").notNull(),
    /** No further run is started when this much is spent. */
    budgetUsd: doublePrecision("budget_usd"),
    createdAt: at("created_at").notNull().default(sql`now()`),
    endedAt: at("ended_at"),
  },
  (table) => [
    index("replays_owner").on(table.owner, table.id),
    index("replays_running").on(table.id).where(sql`status = 'running'`),
  ],
);

export const replayItems = pgTable(
  "replay_items",
  {
    id: uuid("id").primaryKey(),
    replayId: uuid("replay_id")
      .notNull()
      .references(() => replays.id, { onDelete: "cascade" }),
    position: integer("position").notNull(),
    runId: uuid("run_id")
      .notNull()
      .references(() => runs.id, { onDelete: "cascade" }),
    /** queued, running, done, failed, skipped (the budget is spent), cancelled. */
    status: text("status").notNull().default("queued"),
    epoch: integer("epoch").notNull().default(0),
    leaseUntil: at("lease_until"),
    /** same, changed, diverged; empty until it is done. */
    verdict: text("verdict"),
    comparison: json("comparison"),
    /** What the replay added to the conversation. */
    messages: json("messages"),
    failure: json("failure"),
    tokens: integer("tokens").notNull().default(0),
    costUsd: doublePrecision("cost_usd").notNull().default(0),
    endedAt: at("ended_at"),
  },
  (table) => [
    uniqueIndex("replay_items_position").on(table.replayId, table.position),
    index("replay_items_run").on(table.runId),
    index("replay_items_open").on(table.replayId, table.position).where(sql`status in ('queued', 'running')`),
  ],
);
