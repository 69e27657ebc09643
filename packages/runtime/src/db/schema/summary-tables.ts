/**
 * Summaries of long conversations. A row stands for every message of its session up to `to_position`; the messages stay.
 * The newest row is used; older ones stay for rewinds.
 */
import { sql } from "drizzle-orm";
import { integer, json, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { at } from "./columns.ts";
import { sessions } from "./session-tables.ts";

export const sessionSummaries = pgTable(
  "session_summaries",
  {
    id: uuid("id").primaryKey(),
    sessionId: uuid("session_id")
      .notNull()
      .references(() => sessions.id, { onDelete: "cascade" }),
    /** The last message it replaces. */
    toPosition: integer("to_position").notNull(),
    toMessageId: text("to_message_id").notNull(),
    text: text("text").notNull(),
    /** What is kept word for word: see `KeptFacts`. */
    kept: json("kept").notNull(),
    /** Labels of what the conversation had read by then. */
    labels: jsonb("labels").notNull().default([]),
    /** The run that needed it; null when a person asked for it. */
    runId: uuid("run_id"),
    /** Who asked for it; "" when the conversation outgrew its model. */
    createdBy: text("created_by").notNull().default(""),
    usage: json("usage"),
    createdAt: at("created_at").notNull().default(sql`now()`),
  },
  // Two processes that summarise the same messages store one summary.
  (table) => [uniqueIndex("session_summaries_place").on(table.sessionId, table.toPosition)],
);
