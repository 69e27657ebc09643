/** Packages in Postgres: the record, and the archive by hash, so that every process can unpack what another installed. */
import { eq, notInArray, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import type { PackageRecord } from "../db/schema/package-record.ts";
import { packageArchives, packages, packageVersions } from "../db/schema/package-tables.ts";
import type { Keeping } from "./package-kind.ts";
import { forgetKept, keepReplaced, readKept } from "./package-versions.ts";

export interface PackageStore {
  list(): Promise<PackageRecord[]>;
  get(name: string): Promise<PackageRecord | undefined>;
  /** Writes record and archive in one transaction; an archive no record names any more is removed. */
  put(
    record: PackageRecord,
    archive: Uint8Array,
    /** How the replaced version is kept for agents that pin it; absent: not at all. */
    keeping?: (before: PackageRecord) => Keeping,
  ): Promise<void>;
  /** Earlier versions that are kept, newest first; without a name those of all packages. */
  earlier(name?: string): Promise<PackageRecord[]>;
  removeKept(name: string, version: string): Promise<boolean>;
  /** The hashes of everything installed or kept. */
  hashes(): Promise<Set<string>>;
  remove(name: string): Promise<boolean>;
  archive(sha256: string): Promise<Uint8Array | undefined>;
  /** Changes whenever a package is put or removed, by whichever process. */
  revision(): Promise<string>;
}

type Transaction = Parameters<Parameters<Database["orm"]["transaction"]>[0]>[0];

export function packageStore({ orm }: Pick<Database, "orm">): PackageStore {
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
    earlier: (name) => readKept(orm, name),
    removeKept: (name, version) =>
      orm.transaction(async (transaction) => {
        const removed = await forgetKept(transaction, name, version);
        // Other processes look at this time to see that something changed.
        await transaction.update(packages).set({ updatedAt: sql`now()` }).where(eq(packages.name, name));
        await dropUnused(transaction);
        return removed;
      }),
    async hashes() {
      const { rows } = await orm.execute<{ sha256: string }>(
        sql`select sha256 from packages union select sha256 from package_versions`,
      );
      return new Set(rows.map(({ sha256 }) => sha256));
    },
    async put(record, archive, keeping = () => "no" as const) {
      const { name, sha256 } = record;
      await orm.transaction(async (transaction) => {
        await transaction.insert(packageArchives).values({ sha256, bytes: archive }).onConflictDoNothing();
        await keepReplaced(transaction, record, keeping);
        await transaction
          .insert(packages)
          .values({ name, sha256, record })
          .onConflictDoUpdate({ target: packages.name, set: { sha256, record, updatedAt: sql`now()` } });
        await dropUnused(transaction);
      });
    },
    async remove(name) {
      return orm.transaction(async (transaction) => {
        await forgetKept(transaction, name);
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

/** Archives that neither an installed nor a kept version names. */
async function dropUnused(transaction: Transaction): Promise<void> {
  const installed = transaction.select({ sha256: packages.sha256 }).from(packages);
  const kept = transaction.select({ sha256: packageVersions.sha256 }).from(packageVersions);
  await transaction.delete(packageArchives).where(notInArray(packageArchives.sha256, installed.union(kept)));
}
