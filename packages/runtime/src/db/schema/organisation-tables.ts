/** Organisations after the first one, and their members. Only the first organisation's copy is used. */
import { sql } from "drizzle-orm";
import { doublePrecision, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { at } from "./columns.ts";

export const organisations = pgTable("organisations", {
  /** A short word: it is part of keys, of its schema's and of its role's name. */
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  /** For all its callers together; null: no limit. */
  requestsPerMinute: integer("requests_per_minute"),
  /** The share of places for runs, beside other organisations; the first one has 1. */
  weight: doublePrecision("weight").notNull().default(1),
  createdBy: text("created_by").notNull(),
  createdAt: at("created_at").notNull().default(sql`now()`),
  /** Its tables and rights exist. Until then nobody enters it. */
  readyAt: at("ready_at"),
  /** Nobody enters it, and nothing of it runs. */
  disabledAt: at("disabled_at"),
});

/** People of the OpenID provider whom an admin made members, beside those whose claims do. */
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
