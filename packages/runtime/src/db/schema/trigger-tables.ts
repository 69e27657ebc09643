/** Schedules: cron expressions that write triggers. Triggers themselves are files; their folder is their state. */
import { sql } from "drizzle-orm";
import { boolean, index, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { at } from "./columns.ts";

export const schedules = pgTable(
  "schedules",
  {
    id: uuid("id").primaryKey(),
    capability: text("capability").notNull(),
    user: text("user_email").notNull(),
    cron: text("cron").notNull(),
    timezone: text("timezone").notNull().default("UTC"),
    type: text("type").notNull(),
    payload: jsonb("payload").$type<Record<string, unknown>>().notNull().default({}),
    routing: jsonb("routing").$type<{ channel: string; target?: string | undefined }>(),
    /** Null: any agent of the user that lists the capability. */
    agentId: uuid("agent_id"),
    enabled: boolean("enabled").notNull().default(true),
    /** The planned time of the last firing: the next one is computed from it, even after a restart. */
    lastFiredAt: at("last_fired_at"),
    /** When a paused one was resumed: what was due before is not caught up. */
    resumedAt: at("resumed_at"),
    createdAt: at("created_at").notNull().default(sql`now()`),
  },
  (table) => [index("idx_schedules_user").on(table.user)],
);
