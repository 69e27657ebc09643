/**
 * Keeps the registry in sync with the store: a package that any process installs, updates or removes takes effect on all of them
 * within a second. A package that cannot be loaded here is left out and listed in `problems`.
 */
import type { Capability, CapabilityRegistry, Failure, Result } from "@capstan/core";
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
}

export class PackageRegistry {
  readonly problems = new Map<string, Failure>();
  readonly #parts: PackageRegistryParts;
  readonly #loaded = new Map<string, { sha256: string; ids: readonly string[]; loaded: LoadedPackage }>();
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
    this.#running = this.#running.catch(() => {}).then(() => this.#sync()); // callers that waited for that one got its result
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
    await Promise.all([...this.#loaded.values()].map(({ loaded }) => loaded.close?.()));
  }

  async #sync(): Promise<void> {
    const revision = await this.#parts.store.revision();
    if (revision === this.#revision) return;
    const records = await this.#parts.store.list();
    const present = new Set(records.map(({ name }) => name));
    for (const name of this.#loaded.keys()) {
      if (!present.has(name)) await this.#unload(name);
    }
    for (const record of records) await this.#load(record);
    this.#revision = revision;
  }

  async #load(record: PackageRecord): Promise<void> {
    const before = this.#loaded.get(record.name);
    if (before?.sha256 === record.sha256) return;
    const loaded = await this.#parts.loaders[record.kind]?.(record);
    if (!loaded) return;
    if (!loaded.ok) {
      this.problems.set(record.name, loaded.failure);
      return;
    }
    await this.#unload(record.name);
    const ids: string[] = [];
    for (const capability of loaded.value.capabilities) {
      const registered = this.#parts.registry.register(capability);
      if (registered.ok) ids.push(capability.id);
      else this.problems.set(record.name, registered.failure);
    }
    this.#loaded.set(record.name, { sha256: record.sha256, ids, loaded: loaded.value });
  }

  /** Removes only what this package registered; someone else's capability with the same id stays. */
  async #unload(name: string): Promise<void> {
    const before = this.#loaded.get(name);
    this.problems.delete(name);
    if (!before) return;
    for (const id of before.ids) this.#parts.registry.remove(id);
    this.#loaded.delete(name);
    await before.loaded.close?.();
  }
}
