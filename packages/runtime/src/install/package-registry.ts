/**
 * Keeps the registry in sync with the store: a package that any process installs, updates or removes takes effect on all of them
 * within a second. A package that cannot be loaded here is left out, listed in `problems` and tried again later: an MCP server
 * may only be slow, or its registry away.
 */
import { type Capability, type CapabilityRegistry, type Failure, ok, type Result } from "@capstan/core";
import type { PackageKind, PackageRecord } from "../db/schema/package-record.ts";
import type { PackageStore } from "./package-store.ts";

const EVERY_MS = 500;
const MOST_LOADING = 4; // at once: each may start a process
const FIRST_RETRY_MS = 30_000;
const LONGEST_RETRY_MS = 10 * 60_000;

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

/** A package that could not be loaded here. */
interface FailedLoad {
  readonly sha256: string;
  readonly delayMs: number;
  readonly retryAtMs: number;
}

export class PackageRegistry {
  readonly problems = new Map<string, Failure>();
  readonly #parts: PackageRegistryParts;
  readonly #loaded = new Map<string, LoadedEntry>();
  readonly #failed = new Map<string, FailedLoad>();
  #isRetrying = false;
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
    return this.#next(() => this.#sync());
  }

  /** Tries packages again whose pause is over. Nothing waits for it: a start that hangs takes a minute. */
  async retry(nowMs = performance.now()): Promise<void> {
    if (this.#isRetrying || ![...this.#failed.values()].some(({ retryAtMs }) => retryAtMs <= nowMs)) return;
    this.#isRetrying = true;
    try {
      const records = await this.#parts.store.list();
      const due = records.filter(({ name, sha256 }) => {
        const failed = this.#failed.get(name);
        return failed?.sha256 === sha256 && failed.retryAtMs <= nowMs;
      });
      await this.#loadAll(due, (record, loaded) => this.#next(() => this.#adopt(record, loaded)));
    } finally {
      this.#isRetrying = false;
    }
  }

  /** Runs one step after the other. */
  #next(step: () => Promise<void>): Promise<void> {
    this.#running = this.#running.catch(() => {}).then(step);
    return this.#running;
  }

  /** `onError`: the store may be briefly unreachable; the next poll retries. */
  start(onError: (error: unknown) => void): void {
    this.#timer = setInterval(() => {
      void this.sync().catch(onError);
      void this.retry().catch(onError);
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
    for (const name of [...this.#loaded.keys(), ...this.#failed.keys()]) {
      if (!present.has(name)) await this.#unload(name);
    }
    const kept = this.#parts.keptLoaders ? await this.#parts.store.earlier() : [];
    const keptOf = ({ name }: PackageRecord) => kept.filter((each) => each.name === name);
    const isLoaded = ({ name, sha256 }: PackageRecord) => this.#loaded.get(name)?.sha256 === sha256;
    for (const record of records.filter(isLoaded)) await this.#change(record, keptOf(record));
    const hasFailed = ({ name, sha256 }: PackageRecord) => this.#failed.get(name)?.sha256 === sha256;
    const missing = records.filter((record) => !isLoaded(record) && !hasFailed(record));
    await this.#loadAll(missing, (record, loaded) => this.#put(record, loaded, keptOf(record)));
    this.#revision = revision;
  }

  /** Loads a few at a time, and hands them over in their order. */
  async #loadAll(
    records: readonly PackageRecord[],
    take: (record: PackageRecord, loaded: LoadedPackage) => Promise<void>,
  ): Promise<void> {
    for (let at = 0; at < records.length; at += MOST_LOADING) {
      const some = records.slice(at, at + MOST_LOADING);
      const results = await Promise.allSettled(
        some.map(async (record) => this.#parts.loaders[record.kind]?.(record)),
      );
      for (const [index, record] of some.entries()) {
        const result = results[index];
        if (result?.status !== "fulfilled" || !result.value) continue;
        if (result.value.ok) await take(record, result.value.value);
        else this.#fail(record, result.value.failure);
      }
      const thrown = results.find((result) => result.status === "rejected");
      if (thrown) throw thrown.reason;
    }
  }

  #fail({ name, sha256 }: PackageRecord, failure: Failure): void {
    const before = this.#failed.get(name);
    const delayMs =
      before?.sha256 === sha256 ? Math.min(before.delayMs * 2, LONGEST_RETRY_MS) : FIRST_RETRY_MS;
    this.#failed.set(name, { sha256, delayMs, retryAtMs: performance.now() + delayMs });
    this.problems.set(name, failure);
  }

  /** A package that was tried again; closed if it was replaced or removed in the meantime. */
  async #adopt(record: PackageRecord, loaded: LoadedPackage): Promise<void> {
    const stored = await this.#parts.store.get(record.name);
    const isStored = stored?.sha256 === record.sha256;
    if (!isStored || this.#loaded.get(record.name)?.sha256 === record.sha256) return loaded.close?.();
    const kept = this.#parts.keptLoaders ? await this.#parts.store.earlier(record.name) : [];
    await this.#put(record, loaded, kept);
  }

  async #put(
    record: PackageRecord,
    loaded: LoadedPackage,
    keptRecords: readonly PackageRecord[],
  ): Promise<void> {
    const before = this.#loaded.get(record.name);
    const kept = await this.#earlier(keptRecords, before?.kept);
    const close = this.#forget(record.name);
    const ids: string[] = [];
    for (const capability of loaded.capabilities) {
      const registered = this.#parts.registry.register(capability);
      if (registered.ok) ids.push(capability.id);
      else this.problems.set(record.name, registered.failure);
    }
    const entry = { sha256: record.sha256, ids, loaded, kept };
    this.#keep(entry);
    this.#loaded.set(record.name, entry);
    await close();
    await closeUnused(before?.kept, kept);
  }

  /** The package is unchanged, but its earlier versions are not. */
  async #change({ name }: PackageRecord, keptRecords: readonly PackageRecord[]): Promise<void> {
    const entry = this.#loaded.get(name);
    if (!entry) return;
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
    this.#failed.delete(name);
    if (!before) return async () => {};
    for (const id of before.ids) this.#parts.registry.remove(id);
    this.#loaded.delete(name);
    return async () => before.loaded.close?.();
  }
}

async function closeUnused(before: EarlierVersions = new Map(), after: EarlierVersions): Promise<void> {
  for (const [sha256, loaded] of before) if (!after.has(sha256)) await loaded.close?.();
}
