/**
 * Datasets: cases to measure agents on. An item's row is never changed: a change ends it with one version and begins
 * another row with the next, so every version stays readable.
 */
import { sql } from "drizzle-orm";
import { index, integer, json, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { at } from "./columns.ts";

export const datasets = pgTable(
  "datasets",
  {
    id: uuid("id").primaryKey(),
    owner: text("owner").notNull(),
    name: text("name").notNull(),
    description: text("description").notNull().default(""),
    /** The newest; 0 while it is empty. */
    version: integer("version").notNull().default(0),
    createdAt: at("created_at").notNull().default(sql`now()`),
    updatedAt: at("updated_at").notNull().default(sql`now()`),
  },
  (table) => [uniqueIndex("datasets_owner_name").on(table.owner, table.name)],
);

export const datasetItems = pgTable(
  "dataset_items",
  {
    rowId: uuid("row_id").primaryKey(),
    datasetId: uuid("dataset_id")
      .notNull()
      .references(() => datasets.id, { onDelete: "cascade" }),
    itemId: text("item_id").notNull(),
    /** Its position stays the same when it is changed. */
    position: integer("position").notNull(),
    fromVersion: integer("from_version").notNull(),
    /** The first version without this row; empty: it is in the newest. */
    toVersion: integer("to_version"),
    item: json("item").notNull(),
    /** Where something was removed, never what. */
    scrubbed: json("scrubbed").notNull(),
    /** Where it comes from; a run may be deleted before its item. */
    source: json("source").notNull(),
    createdAt: at("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    uniqueIndex("dataset_items_newest").on(table.datasetId, table.itemId).where(sql`to_version is null`),
    index("dataset_items_position").on(table.datasetId, table.position),
  ],
);

export const datasetVersions = pgTable(
  "dataset_versions",
  {
    datasetId: uuid("dataset_id")
      .notNull()
      .references(() => datasets.id, { onDelete: "cascade" }),
    number: integer("number").notNull(),
    by: text("by").notNull(),
    at: at("at").notNull().default(sql`now()`),
    why: text("why").notNull().default(""),
    added: integer("added").notNull(),
    changed: integer("changed").notNull(),
    removed: integer("removed").notNull(),
    /** How many items it has. */
    items: integer("items").notNull(),
  },
  (table) => [primaryKey({ columns: [table.datasetId, table.number] })],
);
