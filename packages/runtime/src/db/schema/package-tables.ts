/** Installed packages. The archive is stored by its hash: any process can unpack what another one installed. */
import { sql } from "drizzle-orm";
import { customType, index, jsonb, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import type { PackageRecord } from "./package-record.ts";

const at = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });
const bytes = customType<{ data: Uint8Array; driverData: Buffer }>({ dataType: () => "bytea" });

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

export const packageArchives = pgTable("package_archives", {
  sha256: text("sha256").primaryKey(),
  bytes: bytes("bytes").notNull(),
  createdAt: at("created_at").notNull().default(sql`now()`),
});
