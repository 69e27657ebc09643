/** Tokens that act as an agent, inside one run or for a client that logged in, and which approved results were already delivered. */
import type { Follows } from "@capstan/core/internal";
import { sql } from "drizzle-orm";
import { index, integer, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { agents } from "./agent-tables.ts";
import { clientLogins } from "./client-login-tables.ts";
import { at } from "./columns.ts";
import { approvals, runs } from "./run-tables.ts";

export const tokens = pgTable(
  "tokens",
  {
    id: uuid("id").primaryKey(),
    /** `agent`; `run`: valid only while that run is active; `client`: valid only while that login is. */
    kind: text("kind").notNull(),
    name: text("name").notNull().default(""),
    agentId: uuid("agent_id")
      .notNull()
      .references(() => agents.id, { onDelete: "cascade" }),
    runId: uuid("run_id").references(() => runs.id, { onDelete: "cascade" }),
    sessionId: uuid("session_id"),
    loginId: uuid("login_id").references(() => clientLogins.id, { onDelete: "cascade" }),
    /** The user whose rights it has, together with the agent's. */
    userEmail: text("user_email").notNull(),
    /** Only the hash is stored; the token itself is shown once. */
    hash: text("hash").notNull().unique(),
    prefix: text("prefix").notNull(),
    /** The revision it is pinned to, or the label it follows; null: the live revision. */
    follows: jsonb("follows").$type<Follows>(),
    /** Maximum number of tool calls; unlimited when absent. */
    maxCalls: integer("max_calls"),
    calls: integer("calls").notNull().default(0),
    expiresAt: at("expires_at"),
    revokedAt: at("revoked_at"),
    createdBy: text("created_by").notNull(),
    createdAt: at("created_at").notNull().default(sql`now()`),
    lastUsedAt: at("last_used_at"),
  },
  (table) => [
    index("idx_tokens_agent").on(table.agentId, table.id),
    index("idx_tokens_run").on(table.runId),
    index("idx_tokens_login").on(table.loginId),
  ],
);

/** A decided approval is returned once to a caller that repeats the call. */
export const approvalCollections = pgTable("approval_collections", {
  approvalId: uuid("approval_id")
    .primaryKey()
    .references(() => approvals.id, { onDelete: "cascade" }),
  collectedAt: at("collected_at").notNull().default(sql`now()`),
});
