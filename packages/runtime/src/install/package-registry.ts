/**
 * Keeps the registry in sync with the store: a package that any process installs, updates or removes takes effect on all of them
 * within a second. A package that cannot be loaded here is left out and listed in `problems`.
 */
import { type Capability, type CapabilityRegistry, type Failure, ok, type Result } from "@capstan/core";
import type { PackageKind, PackageRecord } from "../db/schema/package-record.ts";
import type { PackageStore } from "./package-store.ts";

const EVERY_MS = 500;

/** A package as loaded by this process. */
export interface LoadedPackage {
  /** The first is the package's own; the others, such as bundled skills, are added and removed with it. */
  readonly capabilities: readonly [Capability, ...Capability[]];
  /** Releases what it holds open, such as the process of an MCP server. */
  close?(): Promise<void>;
}

export type PackageLoader = (record: PackageRecord) => Promise<Result<LoadedPackage>> | Result<LoadedPackage>;
export type PackageLoaders = Readonly<Partial<Record<PackageKind, PackageLoader>>>;

export interface PackageRegistryParts {
  readonly store: PackageStore;
  readonly registry: CapabilityRegistry;
  /** How a stored package of each kind becomes a capability. */
  readonly loaders: PackageLoaders;
  /** The same for its earlier versions; absent: they are not offered. */
  readonly keptLoaders?: PackageLoaders;
}

type EarlierVersions = ReadonlyMap<string, LoadedPackage>;

interface LoadedEntry {
  readonly sha256: string;
  readonly ids: readonly string[];
  readonly loaded: LoadedPackage;
  /** Its earlier versions, by hash. */
  kept: EarlierVersions;
}

export class PackageRegistry {
  readonly problems = new Map<string, Failure>();
  readonly #parts: PackageRegistryParts;
  readonly #loaded = new Map<string, LoadedEntry>();
  #revision: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: PackageRegistryParts) {
    this.#parts = parts;
  }

  /** The capabilities that a package registered. */
  idsOf(name: string): readonly string[] {
    return this.#loaded.get(name)?.ids ?? [];
  }

  /** The package that registered a capability. */
  ownerOf(id: string): string | undefined {
    for (const [name, { ids }] of this.#loaded) if (ids.includes(id)) return name;
    return undefined;
  }

  /** Call after a local change, so that the response to a request already includes it. */
  sync(): Promise<void> {
    this.#running = this.#running.catch(() => {}).then(() => this.#sync()); // callers that waited for it share its result
    return this.#running;
  }

  /** `onError`: the store may be briefly unreachable; the next poll retries. */
  start(onError: (error: unknown) => void): void {
    this.#timer = setInterval(() => {
      void this.sync().catch(onError);
    }, EVERY_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running.catch(() => {});
    const open = [...this.#loaded.values()].flatMap(({ loaded, kept }) => [loaded, ...kept.values()]);
    await Promise.all(open.map((each) => each.close?.()));
  }

  async #sync(): Promise<void> {
    const revision = await this.#parts.store.revision();
    if (revision === this.#revision) return;
    const records = await this.#parts.store.list();
    const present = new Set(records.map(({ name }) => name));
    for (const name of this.#loaded.keys()) {
      if (!present.has(name)) await this.#unload(name);
    }
    const kept = this.#parts.keptLoaders ? await this.#parts.store.earlier() : [];
    for (const record of records) {
      await this.#load(
        record,
        kept.filter(({ name }) => name === record.name),
      );
    }
    this.#revision = revision;
  }

  async #load(record: PackageRecord, keptRecords: readonly PackageRecord[]): Promise<void> {
    const before = this.#loaded.get(record.name);
    if (before?.sha256 === record.sha256) return this.#change(before, keptRecords);
    const loaded = await this.#parts.loaders[record.kind]?.(record);
    if (!loaded) return;
    if (!loaded.ok) {
      this.problems.set(record.name, loaded.failure);
      return;
    }
    const kept = await this.#earlier(keptRecords, before?.kept);
    const close = this.#forget(record.name);
    const ids: string[] = [];
    for (const capability of loaded.value.capabilities) {
      const registered = this.#parts.registry.register(capability);
      if (registered.ok) ids.push(capability.id);
      else this.problems.set(record.name, registered.failure);
    }
    const entry = { sha256: record.sha256, ids, loaded: loaded.value, kept };
    this.#keep(entry);
    this.#loaded.set(record.name, entry);
    await close();
    await closeUnused(before?.kept, kept);
  }

  /** The package is unchanged, but its earlier versions are not. */
  async #change(entry: LoadedEntry, keptRecords: readonly PackageRecord[]): Promise<void> {
    const { kept: before } = entry;
    if (keptRecords.length === before.size && keptRecords.every(({ sha256 }) => before.has(sha256))) return;
    entry.kept = await this.#earlier(keptRecords, before);
    this.#keep(entry);
    await closeUnused(before, entry.kept);
  }

  /** One that cannot be loaded here is left out, and agents that pin it report that. Loaded ones stay open. */
  async #earlier(
    records: readonly PackageRecord[],
    before: EarlierVersions = new Map(),
  ): Promise<EarlierVersions> {
    const found = new Map<string, LoadedPackage>();
    for (const record of records) {
      const open = before.get(record.sha256);
      const loaded = open ? ok(open) : await this.#parts.keptLoaders?.[record.kind]?.(record);
      if (loaded?.ok) found.set(record.sha256, loaded.value);
    }
    return found;
  }

  /** Bundled skills have the versions of their package. One that the newest version lacks is not offered. */
  #keep({ ids, kept }: LoadedEntry): void {
    const earlier = [...kept.values()].flatMap(({ capabilities }) => capabilities);
    for (const id of ids)
      this.#parts.registry.keepVersions(
        id,
        earlier.filter((each) => each.id === id),
      );
  }

  /** Removes only what this package registered; someone else's capability with the same id stays. */
  async #unload(name: string): Promise<void> {
    const kept = this.#loaded.get(name)?.kept;
    await this.#forget(name)();
    await closeUnused(kept, new Map());
  }

  /** Returns what closes the package, but not its earlier versions. */
  #forget(name: string): () => Promise<void> {
    const before = this.#loaded.get(name);
    this.problems.delete(name);
    if (!before) return async () => {};
    for (const id of before.ids) this.#parts.registry.remove(id);
    this.#loaded.delete(name);
    return async () => before.loaded.close?.();
  }
}

async function closeUnused(before: EarlierVersions = new Map(), after: EarlierVersions): Promise<void> {
  for (const [sha256, loaded] of before) if (!after.has(sha256)) await loaded.close?.();
}
