/** Packages in Postgres: the record, and the archive by hash, so that every process can unpack what another installed. */
import { eq, notInArray, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import type { PackageRecord } from "../db/schema/package-record.ts";
import { packageArchives, packages } from "../db/schema/package-tables.ts";

export interface PackageStore {
  list(): Promise<PackageRecord[]>;
  get(name: string): Promise<PackageRecord | undefined>;
  /** Writes record and archive in one transaction; an archive no record names any more is removed. */
  put(record: PackageRecord, archive: Uint8Array): Promise<void>;
  remove(name: string): Promise<boolean>;
  archive(sha256: string): Promise<Uint8Array | undefined>;
  /** Changes whenever a package is put or removed, by whichever process. */
  revision(): Promise<string>;
}

export function packageStore({ orm }: Pick<Database, "orm">): PackageStore {
  type Transaction = Parameters<Parameters<typeof orm.transaction>[0]>[0];
  const dropUnused = (transaction: Transaction) =>
    transaction
      .delete(packageArchives)
      .where(
        notInArray(packageArchives.sha256, transaction.select({ sha256: packages.sha256 }).from(packages)),
      );
  return {
    async list() {
      const rows = await orm.select({ record: packages.record }).from(packages).orderBy(packages.name);
      return rows.map(({ record }) => record);
    },
    async get(name) {
      const [row] = await orm
        .select({ record: packages.record })
        .from(packages)
        .where(eq(packages.name, name));
      return row?.record;
    },
    async put(record, archive) {
      const { name, sha256 } = record;
      await orm.transaction(async (transaction) => {
        await transaction.insert(packageArchives).values({ sha256, bytes: archive }).onConflictDoNothing();
        await transaction
          .insert(packages)
          .values({ name, sha256, record })
          .onConflictDoUpdate({ target: packages.name, set: { sha256, record, updatedAt: sql`now()` } });
        await dropUnused(transaction);
      });
    },
    async remove(name) {
      return orm.transaction(async (transaction) => {
        const rows = await transaction
          .delete(packages)
          .where(eq(packages.name, name))
          .returning({ name: packages.name });
        await dropUnused(transaction);
        return rows.length > 0;
      });
    },
    async revision() {
      const [row] = await orm
        .select({
          revision: sql<string>`count(*) || ' ' || coalesce(max(extract(epoch from updated_at)), 0)`,
        })
        .from(packages);
      return row?.revision ?? "";
    },
    async archive(sha256) {
      const [row] = await orm
        .select({ bytes: packageArchives.bytes })
        .from(packageArchives)
        .where(eq(packageArchives.sha256, sha256));
      return row?.bytes;
    },
  };
}
