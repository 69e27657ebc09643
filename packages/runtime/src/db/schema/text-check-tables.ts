/** Checks on what models say. */
import type { TextFind } from "@capstan/core/internal";
import { sql } from "drizzle-orm";
import { jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { agents } from "./agent-tables.ts";
import { at } from "./columns.ts";

export const textChecks = pgTable("text_checks", {
  id: uuid("id").primaryKey(),
  name: text("name").notNull(),
  /** Null is for every agent. */
  agentId: uuid("agent_id").references(() => agents.id, { onDelete: "cascade" }),
  find: jsonb("find").$type<TextFind>().notNull(),
  effect: text("effect").notNull(),
  words: text("words"),
  expiresAt: at("expires_at"),
  createdBy: text("created_by").notNull(),
  createdAt: at("created_at").notNull().default(sql`now()`),
});
