/** Users' accounts at other services: the operator's providers, the users' connections, consents, pending logins and uses. */
import { sql } from "drizzle-orm";
import { index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { at } from "./columns.ts";

/** What the operator set: the client at a provider of the table, or a provider of their own. */
export const connectionProviders = pgTable("connection_providers", {
  id: text("id").primaryKey(),
  /** See `ProviderSettings`; nothing in it is secret. */
  settings: jsonb("settings").notNull().default({}),
  /** The client's secret, encrypted at rest; never read back over the API. */
  secret: text("secret"),
  updatedBy: text("updated_by").notNull(),
  updatedAt: at("updated_at").notNull().default(sql`now()`),
});

export const connections = pgTable(
  "connections",
  {
    id: uuid("id").primaryKey(),
    userEmail: text("user_email").notNull(),
    provider: text("provider").notNull(),
    /** The account's name at the provider; empty if unknown. */
    account: text("account").notNull().default(""),
    scopes: jsonb("scopes").$type<string[]>().notNull().default([]),
    /** Tokens, key or password, encrypted at rest; see `ConnectionSecret`. */
    secret: text("secret").notNull(),
    /** Counts changes of the secret: holders of an older version read it again. */
    version: integer("version").notNull().default(1),
    /** When the access token expires; null if the provider does not say. */
    expiresAt: at("expires_at"),
    /** Until then one process refreshes, and the others wait for it. */
    refreshingUntil: at("refreshing_until"),
    /** Set when the provider no longer accepts it: the user is asked again. */
    endedAt: at("ended_at"),
    createdAt: at("created_at").notNull().default(sql`now()`),
    updatedAt: at("updated_at").notNull().default(sql`now()`),
    lastUsedAt: at("last_used_at"),
  },
  (table) => [uniqueIndex("connections_user_provider").on(table.userEmail, table.provider)],
);

/** Which agents may use a connection, and until when. */
export const connectionConsents = pgTable(
  "connection_consents",
  {
    id: uuid("id").primaryKey(),
    connectionId: uuid("connection_id")
      .notNull()
      .references(() => connections.id, { onDelete: "cascade" }),
    /** `*`: every agent that the user uses. */
    agentId: text("agent_id").notNull(),
    /** Only this call, for a consent for once. */
    callId: text("call_id"),
    expiresAt: at("expires_at"),
    createdAt: at("created_at").notNull().default(sql`now()`),
  },
  (table) => [index("connection_consents_connection").on(table.connectionId, table.agentId)],
);

/** Pending logins at a provider; each accepts one answer. */
export const connectionLogins = pgTable("connection_logins", {
  /** The hash of `state`; the state itself is only in the browser's address. */
  id: text("id").primaryKey(),
  userEmail: text("user_email").notNull(),
  provider: text("provider").notNull(),
  /** Verifier and redirect, encrypted at rest; see `PendingLogin`. */
  secret: text("secret").notNull(),
  expiresAt: at("expires_at").notNull(),
  createdAt: at("created_at").notNull().default(sql`now()`),
});

/** Which call used a connection. */
export const connectionUses = pgTable(
  "connection_uses",
  {
    id: uuid("id").primaryKey(),
    connectionId: uuid("connection_id")
      .notNull()
      .references(() => connections.id, { onDelete: "cascade" }),
    agentId: text("agent_id").notNull(),
    capabilityId: text("capability_id").notNull(),
    tool: text("tool").notNull(),
    runId: uuid("run_id"),
    sessionId: uuid("session_id"),
    usedAt: at("used_at").notNull().default(sql`now()`),
  },
  (table) => [index("connection_uses_connection").on(table.connectionId, table.usedAt)],
);

/** MCP servers that require a login: what a reviewer's account could see, so that it is available without an account. */
export const mcpAccounts = pgTable("mcp_accounts", {
  /** Of the package's declaration. */
  sha256: text("sha256").primaryKey(),
  provider: text("provider").notNull(),
  scopes: jsonb("scopes").$type<string[]>().notNull().default([]),
  /** Its name and tools; see `DescribedMcp`. */
  described: jsonb("described").notNull(),
  updatedAt: at("updated_at").notNull().default(sql`now()`),
});
