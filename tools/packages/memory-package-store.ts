/** An in-memory package store for a process that installs one package and exits: a database would slow the test. */
import type { PackageRecord } from "../../packages/runtime/src/db/schema/package-record.ts";
import type { PackageStore } from "../../packages/runtime/src/install/package-store.ts";

export function memoryPackageStore(): PackageStore {
  const records = new Map<string, PackageRecord>();
  const archives = new Map<string, Uint8Array>();
  return {
    list: async () => [...records.values()],
    get: async (name) => records.get(name),
    put: async (record, archive) => {
      records.set(record.name, record);
      archives.set(record.sha256, archive);
    },
    remove: async (name) => records.delete(name),
    earlier: async () => [],
    removeKept: async () => false,
    hashes: async () => new Set([...records.values()].map(({ sha256 }) => sha256)),
    archive: async (sha256) => archives.get(sha256),
    revision: async () => String(records.size),
  };
}
