/** Organisations after the first one, and their members. Only the first organisation's copy is used. */
import { sql } from "drizzle-orm";
import { doublePrecision, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { at } from "./columns.ts";

export const organisations = pgTable("organisations", {
  /** A short word: part of keys and of the names of its schema and role. */
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  /** For all its callers together; null: no limit. */
  requestsPerMinute: integer("requests_per_minute"),
  /** Its weight when organisations share places for runs; the first organisation has 1. */
  weight: doublePrecision("weight").notNull().default(1),
  createdBy: text("created_by").notNull(),
  createdAt: at("created_at").notNull().default(sql`now()`),
  /** Its tables and rights exist. Until then nobody enters it. */
  readyAt: at("ready_at"),
  /** Nobody can enter it and nothing of it runs. */
  disabledAt: at("disabled_at"),
});

/** People of the OpenID provider whom an admin made members, in addition to those whose claims do. */
export const organisationMembers = pgTable(
  "organisation_members",
  {
    organisationId: text("organisation_id")
      .notNull()
      .references(() => organisations.id, { onDelete: "cascade" }),
    userEmail: text("user_email").notNull(),
    role: text("role").notNull(),
    addedBy: text("added_by").notNull(),
    addedAt: at("added_at").notNull().default(sql`now()`),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.userEmail] })],
);
