/** Who agents are shared with, and read-only links to sessions. */
import type { AgentShare } from "@capstan/core/internal";
import { sql } from "drizzle-orm";
import { boolean, index, jsonb, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { agents } from "./agent-tables.ts";
import { sessions } from "./session-tables.ts";

const at = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });

/** An agent without a row is open to everyone. */
export const agentSharing = pgTable("agent_sharing", {
  agentId: uuid("agent_id")
    .primaryKey()
    .references(() => agents.id, { onDelete: "cascade" }),
  access: text("access").notNull(),
  shares: jsonb("shares").$type<AgentShare[]>().notNull().default([]),
  by: text("by").notNull(),
  at: at("at").notNull().default(sql`now()`),
});

export const sessionLinks = pgTable(
  "session_links",
  {
    id: uuid("id").primaryKey(),
    sessionId: uuid("session_id")
      .notNull()
      .references(() => sessions.id, { onDelete: "cascade" }),
    /** Hash of the secret in the link; the secret itself is not stored. */
    hash: text("hash").notNull().unique(),
    withFiles: boolean("with_files").notNull().default(false),
    createdBy: text("created_by").notNull(),
    createdAt: at("created_at").notNull().default(sql`now()`),
    expiresAt: at("expires_at").notNull(),
    revokedAt: at("revoked_at"),
    lastUsedAt: at("last_used_at"),
  },
  (table) => [index("session_links_session").on(table.sessionId)],
);
