/** Agents and their capabilities. `agent_capabilities` has the columns and indexes of the specification, and options. */
import { sql } from "drizzle-orm";
import { index, integer, jsonb, pgTable, primaryKey, text, unique, uuid, varchar } from "drizzle-orm/pg-core";
import { at } from "./columns.ts";

export const agents = pgTable("agents", {
  id: uuid("id").primaryKey(),
  owner: text("owner").notNull(),
  name: text("name").notNull(),
  description: text("description").notNull().default(""),
  version: integer("version").notNull().default(1),
  status: text("status").notNull().default("active"),
  systemPrompt: text("system_prompt").notNull().default(""),
  model: text("model"),
  harness: text("harness").notNull().default("native"),
  /** Everything read and written as a whole: provider, documentation_url, metadata, limits, policies and so on. */
  settings: jsonb("settings").notNull().default({}),
  grantedScopes: jsonb("granted_scopes").$type<string[]>().notNull().default([]),
  createdAt: at("created_at").notNull().default(sql`now()`),
  updatedAt: at("updated_at").notNull().default(sql`now()`),
});

export const agentCapabilities = pgTable(
  "agent_capabilities",
  {
    id: uuid("id").primaryKey(),
    agentId: uuid("agent_id")
      .notNull()
      .references(() => agents.id, { onDelete: "cascade" }),
    capabilityId: varchar("capability_id", { length: 50 }).notNull(),
    position: integer("position").notNull().default(0),
    config: jsonb("config"),
    prefix: text("prefix"),
    version: text("version"),
    createdAt: at("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    unique("agent_capabilities_agent_id_capability_id_key").on(table.agentId, table.capabilityId),
    index("idx_agent_capabilities_agent_id").on(table.agentId),
    index("idx_agent_capabilities_position").on(table.agentId, table.position),
    index("idx_agent_capabilities_capability_id").on(table.capabilityId),
  ],
);

/** The semantic version of what an agent offers, and what it offered at that version, to compute the next one. */
export const agentReleases = pgTable("agent_releases", {
  agentId: uuid("agent_id")
    .primaryKey()
    .references(() => agents.id, { onDelete: "cascade" }),
  version: text("version").notNull(),
  offer: jsonb("offer").notNull(),
  updatedAt: at("updated_at").notNull().default(sql`now()`),
});

/** Every state an agent was saved in, in full. `agents` is a copy of the one that is live; its version is that number. */
export const agentRevisions = pgTable(
  "agent_revisions",
  {
    agentId: uuid("agent_id")
      .notNull()
      .references(() => agents.id, { onDelete: "cascade" }),
    number: integer("number").notNull(),
    by: text("by").notNull(),
    at: at("at").notNull().default(sql`now()`),
    why: text("why").notNull().default(""),
    name: text("name").notNull(),
    description: text("description").notNull(),
    systemPrompt: text("system_prompt").notNull(),
    model: text("model"),
    harness: text("harness").notNull(),
    settings: jsonb("settings").notNull(),
    grantedScopes: jsonb("granted_scopes").$type<string[]>().notNull(),
    /** Its capabilities in order; secrets in configs are sealed. */
    capabilities: jsonb("capabilities").notNull(),
    /** The version of each composed capability, and the hash of its package; unknown before revisions were kept. */
    pins: jsonb("pins"),
    /** What prompt and tools cost in tokens on every model call. */
    tokens: jsonb("tokens"),
  },
  (table) => [primaryKey({ columns: [table.agentId, table.number] })],
);

/** Names of revisions: `draft` and `canary`. Which one is `live` is the agent's version. */
export const agentLabels = pgTable(
  "agent_labels",
  {
    agentId: uuid("agent_id")
      .notNull()
      .references(() => agents.id, { onDelete: "cascade" }),
    label: text("label").notNull(),
    number: integer("number").notNull(),
    /** Percent of new sessions that follow this label. */
    share: integer("share").notNull().default(0),
    by: text("by").notNull(),
    at: at("at").notNull().default(sql`now()`),
  },
  (table) => [primaryKey({ columns: [table.agentId, table.label] })],
);
