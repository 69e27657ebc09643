/** Installed packages. The archive is stored by its hash: any process can unpack what another one installed. */
import { sql } from "drizzle-orm";
import { index, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { at, bytes } from "./columns.ts";
import type { PackageRecord } from "./package-record.ts";

export const packages = pgTable(
  "packages",
  {
    name: text("name").primaryKey(),
    sha256: text("sha256").notNull(),
    record: jsonb("record").$type<PackageRecord>().notNull(),
    createdAt: at("created_at").notNull().default(sql`now()`),
    updatedAt: at("updated_at").notNull().default(sql`now()`),
  },
  (table) => [index("idx_packages_sha256").on(table.sha256)],
);

/** Earlier versions that agents stay on. */
export const packageVersions = pgTable(
  "package_versions",
  {
    name: text("name").notNull(),
    version: text("version").notNull(),
    sha256: text("sha256").notNull(),
    record: jsonb("record").$type<PackageRecord>().notNull(),
    createdAt: at("created_at").notNull().default(sql`now()`),
  },
  (table) => [primaryKey({ columns: [table.name, table.version] })],
);

export const packageArchives = pgTable("package_archives", {
  sha256: text("sha256").primaryKey(),
  bytes: bytes("bytes").notNull(),
  createdAt: at("created_at").notNull().default(sql`now()`),
});
