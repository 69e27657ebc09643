/** Users, API keys, provider keys, the audit log and capabilities' own data. */
import { sql } from "drizzle-orm";
import {
  bigserial,
  boolean,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uuid,
} from "drizzle-orm/pg-core";
import { at } from "./columns.ts";

export const users = pgTable("users", {
  email: text("email").primaryKey(),
  scopes: jsonb("scopes").$type<string[]>().notNull().default([]),
  preferences: jsonb("preferences").notNull().default({}),
  /** The share of places for runs where there are too few: 3 gets three times as many as 1. */
  weight: doublePrecision("weight").notNull().default(1),
  /** Set by an admin: the user has no rights, whatever keys and tokens there are. */
  disabledAt: at("disabled_at"),
  createdAt: at("created_at").notNull().default(sql`now()`),
  updatedAt: at("updated_at").notNull().default(sql`now()`),
});

/** Who granted what to whom, and until when. Effective scopes are computed from these and the rows above. */
export const grants = pgTable(
  "grants",
  {
    id: uuid("id").primaryKey(),
    /** `user:<email>` or `agent:<id>`. */
    subject: text("subject").notNull(),
    scope: text("scope").notNull(),
    grantedBy: text("granted_by").notNull(),
    reason: text("reason").notNull().default(""),
    expiresAt: at("expires_at"),
    revokedAt: at("revoked_at"),
    createdAt: at("created_at").notNull().default(sql`now()`),
  },
  (table) => [index("idx_grants_subject").on(table.subject)],
);

export const apiKeys = pgTable("api_keys", {
  id: uuid("id").primaryKey(),
  name: text("name").notNull(),
  owner: text("owner").notNull(),
  /** Only the hash is stored; the key itself is shown once. */
  hash: text("hash").notNull().unique(),
  prefix: text("prefix").notNull(),
  rights: jsonb("rights").$type<string[]>().notNull(),
  perMinute: integer("per_minute").notNull(),
  revoked: boolean("revoked").notNull().default(false),
  createdAt: at("created_at").notNull().default(sql`now()`),
  lastUsedAt: at("last_used_at"),
});

export const providerKeys = pgTable("provider_keys", {
  provider: text("provider").primaryKey(),
  /** Encrypted at rest; never read back over the API. */
  secret: text("secret"),
  baseUrl: text("base_url"),
  settings: jsonb("settings").notNull().default({}),
  updatedAt: at("updated_at").notNull().default(sql`now()`),
});

/** Secrets given to a capability, for all users (`user_email` is empty) or for one. */
export const capabilitySecrets = pgTable(
  "capability_secrets",
  {
    capability: text("capability").notNull(),
    name: text("name").notNull(),
    user: text("user_email").notNull(),
    /** Encrypted at rest; never read back over the API. */
    secret: text("secret").notNull(),
    updatedBy: text("updated_by").notNull(),
    updatedAt: at("updated_at").notNull().default(sql`now()`),
  },
  (table) => [primaryKey({ columns: [table.capability, table.name, table.user] })],
);

export const auditLog = pgTable(
  "audit_log",
  {
    id: bigserial("id", { mode: "number" }).primaryKey(),
    actor: text("actor").notNull(),
    action: text("action").notNull(),
    subject: text("subject").notNull(),
    details: jsonb("details").notNull().default({}),
    createdAt: at("created_at").notNull().default(sql`now()`),
    /** The hash of the previous row, and of this row combined with it: see `audit-chain.ts`. */
    previous: text("previous"),
    hash: text("hash"),
  },
  (table) => [index("idx_audit_created").on(table.createdAt)],
);

export const capabilityData = pgTable(
  "capability_data",
  {
    capabilityId: text("capability_id").notNull(),
    /** `session:<id>` inside a session, otherwise `user:<email>`. */
    scope: text("scope").notNull(),
    key: text("key").notNull(),
    value: jsonb("value").notNull(),
    updatedAt: at("updated_at").notNull().default(sql`now()`),
  },
  (table) => [primaryKey({ columns: [table.capabilityId, table.scope, table.key] })],
);

/** Capabilities registered over the API: their original document. Built-ins are code and have no row. */
export const capabilityDocuments = pgTable("capability_documents", {
  id: text("id").primaryKey(),
  kind: text("kind").notNull(),
  version: text("version").notNull(),
  document: jsonb("document").notNull(),
  createdBy: text("created_by").notNull(),
  createdAt: at("created_at").notNull().default(sql`now()`),
  updatedAt: at("updated_at").notNull().default(sql`now()`),
});

/** Every version of those, also of the registered one once a second was saved: agents may stay on any. */
export const capabilityDocumentVersions = pgTable(
  "capability_document_versions",
  {
    id: text("id").notNull(),
    version: text("version").notNull(),
    document: jsonb("document").notNull(),
    createdBy: text("created_by").notNull(),
    createdAt: at("created_at").notNull().default(sql`now()`),
  },
  (table) => [primaryKey({ columns: [table.id, table.version] })],
);

/** The operator's server-wide choices, such as the default model. */
export const serverSettings = pgTable("server_settings", {
  name: text("name").primaryKey(),
  value: jsonb("value").notNull(),
  updatedBy: text("updated_by").notNull(),
  updatedAt: at("updated_at").notNull().default(sql`now()`),
});
