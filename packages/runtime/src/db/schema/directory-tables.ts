/** Users and groups that a company's directory pushes by SCIM. Each organisation has its own; those of the first apply to all. */
import { sql } from "drizzle-orm";
import { boolean, index, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { at } from "./columns.ts";

export const directoryUsers = pgTable(
  "directory_users",
  {
    id: uuid("id").primaryKey(),
    userName: text("user_name").notNull(),
    /** Their id in the directory, such as the `sub` or `oid` of their logins. */
    externalId: text("external_id"),
    /** Their primary address, in lower case. */
    address: text("address"),
    active: boolean("active").notNull(),
    /** The SCIM resource without the fields that have columns. */
    resource: jsonb("resource").$type<Record<string, unknown>>().notNull(),
    createdAt: at("created_at").notNull().default(sql`now()`),
    updatedAt: at("updated_at").notNull().default(sql`now()`),
    /** Removed by the directory. The row stays, so that this person's older claims are ignored. */
    deletedAt: at("deleted_at"),
  },
  (table) => [
    uniqueIndex("idx_directory_users_name").on(sql`lower(${table.userName})`).where(sql`deleted_at is null`),
    index("idx_directory_users_lower_name").on(sql`lower(${table.userName})`),
    index("idx_directory_users_external").on(table.externalId),
    index("idx_directory_users_address").on(table.address),
  ],
);

export const directoryGroups = pgTable(
  "directory_groups",
  {
    id: uuid("id").primaryKey(),
    displayName: text("display_name").notNull(),
    externalId: text("external_id"),
    createdAt: at("created_at").notNull().default(sql`now()`),
    updatedAt: at("updated_at").notNull().default(sql`now()`),
    /** The row stays: it says that groups come from the directory. */
    deletedAt: at("deleted_at"),
  },
  (table) => [
    uniqueIndex("idx_directory_groups_name")
      .on(sql`lower(${table.displayName})`)
      .where(sql`deleted_at is null`),
  ],
);

export const directoryMembers = pgTable(
  "directory_members",
  {
    groupId: uuid("group_id")
      .notNull()
      .references(() => directoryGroups.id, { onDelete: "cascade" }),
    userId: uuid("user_id")
      .notNull()
      .references(() => directoryUsers.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.groupId, table.userId] }),
    index("idx_directory_members_user").on(table.userId),
  ],
);

/** The directory's bearer tokens. They are valid for /scim only, and outlive the user who created them. */
export const directoryTokens = pgTable("directory_tokens", {
  id: uuid("id").primaryKey(),
  name: text("name").notNull(),
  /** Only the hash is stored; the token itself is shown once. */
  hash: text("hash").notNull().unique(),
  prefix: text("prefix").notNull(),
  createdBy: text("created_by").notNull(),
  createdAt: at("created_at").notNull().default(sql`now()`),
  lastUsedAt: at("last_used_at"),
  revokedAt: at("revoked_at"),
});
