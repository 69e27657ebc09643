/** Rules: which calls are allowed, asked for or denied. */
import type { RuleAsk, RuleCondition, RuleLimit } from "@capstan/core/internal";
import { sql } from "drizzle-orm";
import { index, jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { agents } from "./agent-tables.ts";
import { at } from "./columns.ts";

export const rules = pgTable(
  "rules",
  {
    id: uuid("id").primaryKey(),
    name: text("name").notNull(),
    /** Null applies to every agent. */
    agentId: uuid("agent_id").references(() => agents.id, { onDelete: "cascade" }),
    /** The user who wrote it, whose calls it applies to; null applies to every user. */
    owner: text("owner"),
    /** Who is asked, and what happens without an answer; null: the agent's setting. */
    ask: jsonb("ask").$type<RuleAsk>(),
    /** How many calls; null for other effects. */
    limit: jsonb("call_limit").$type<RuleLimit>(),
    tools: jsonb("tools").$type<string[]>().notNull(),
    conditions: jsonb("conditions").$type<RuleCondition[]>().notNull(),
    effect: text("effect").notNull(),
    words: text("words"),
    expiresAt: at("expires_at"),
    createdBy: text("created_by").notNull(),
    createdAt: at("created_at").notNull().default(sql`now()`),
    updatedAt: at("updated_at").notNull().default(sql`now()`),
  },
  (table) => [index("idx_rules_agent").on(table.agentId)],
);

/** Times of the last calls that a rule counts, per user, agent or session, or "" for all. */
export const ruleCountRows = pgTable(
  "rule_counts",
  {
    ruleId: uuid("rule_id")
      .notNull()
      .references(() => rules.id, { onDelete: "cascade" }),
    subject: text("subject").notNull(),
    madeAt: at("made_at").array().notNull(),
  },
  (table) => [primaryKey({ columns: [table.ruleId, table.subject] })],
);
