/** Tasks: requests with their answers, and the circuit breakers of the capabilities that serve them. */
import { sql } from "drizzle-orm";
import { index, integer, jsonb, pgTable, text, unique, uuid } from "drizzle-orm/pg-core";
import { at } from "./columns.ts";

export const tasks = pgTable(
  "tasks",
  {
    id: uuid("id").primaryKey(),
    owner: text("owner").notNull(),
    /** The caller's Idempotency-Key, or the task's own id. */
    key: text("key").notNull(),
    /** Hash of the request, so that one key cannot be used for two tasks. */
    requestHash: text("request_hash").notNull(),
    request: jsonb("request").notNull(),
    response: jsonb("response"),
    status: text("status").notNull().default("running"),
    /** The process working on it, and until when it holds the lease. */
    leaseOwner: text("lease_owner").notNull(),
    leaseUntil: at("lease_until").notNull(),
    createdAt: at("created_at").notNull().default(sql`now()`),
    updatedAt: at("updated_at").notNull().default(sql`now()`),
  },
  (table) => [
    unique("tasks_owner_key").on(table.owner, table.key),
    index("idx_tasks_running").on(table.leaseUntil).where(sql`status = 'running'`),
  ],
);

export const capabilityBreakers = pgTable("capability_breakers", {
  capabilityId: text("capability_id").primaryKey(),
  state: text("state").notNull(),
  failures: integer("failures").notNull(),
  openedAt: at("opened_at"),
  updatedAt: at("updated_at").notNull().default(sql`now()`),
});

/** Texts stored for localai.search: found by words (Postgres full text) and by meaning (their embedding). */
export const documents = pgTable(
  "documents",
  {
    id: uuid("id").primaryKey(),
    owner: text("owner").notNull(),
    title: text("title").notNull(),
    body: text("body").notNull(),
    embedding: jsonb("embedding").$type<number[]>(),
    createdAt: at("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    index("idx_documents_owner").on(table.owner),
    index("idx_documents_words").using("gin", sql`to_tsvector('simple', title || ' ' || body)`),
  ],
);
