/**
 * Keeps the registry in step with the store: what any process installs, updates or removes is in force on all of them
 * within a second. A package that cannot be loaded here is left out and named in `problems`.
 */
import type { Capability, CapabilityRegistry, Failure, Result } from "@capstan/core";
import type { PackageKind, PackageRecord, PackageStore } from "./package-record.ts";

const EVERY_MS = 500;

export type PackageLoaders = Readonly<
  Partial<Record<PackageKind, (record: PackageRecord) => Promise<Result<Capability>> | Result<Capability>>>
>;

export interface PackageRegistryParts {
  readonly store: PackageStore;
  readonly registry: CapabilityRegistry;
  /** How a stored package of each kind becomes a capability. */
  readonly loaders: PackageLoaders;
}

export class PackageRegistry {
  readonly problems = new Map<string, Failure>();
  readonly #parts: PackageRegistryParts;
  /** Package name to the hash that is loaded and the capability it gave. */
  readonly #loaded = new Map<string, { sha256: string; capability: string }>();
  #revision: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: PackageRegistryParts) {
    this.#parts = parts;
  }

  /** Call after a change made here, so that the answer to a request already sees it. */
  sync(): Promise<void> {
    this.#running = this.#running.then(() => this.#sync());
    return this.#running;
  }

  /** `onError`: the store may be away for a moment; the next look tries again. */
  start(onError: (error: unknown) => void): void {
    this.#timer = setInterval(() => {
      void this.sync().catch((error) => {
        this.#running = Promise.resolve();
        onError(error);
      });
    }, EVERY_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running.catch(() => {});
  }

  async #sync(): Promise<void> {
    const revision = await this.#parts.store.revision();
    if (revision === this.#revision) return;
    const records = await this.#parts.store.list();
    const present = new Set(records.map(({ name }) => name));
    for (const [name, { capability }] of this.#loaded) {
      if (present.has(name)) continue;
      this.#parts.registry.remove(capability);
      this.#loaded.delete(name);
      this.problems.delete(name);
    }
    for (const record of records) await this.#load(record);
    this.#revision = revision;
  }

  async #load(record: PackageRecord): Promise<void> {
    const { registry, loaders } = this.#parts;
    const before = this.#loaded.get(record.name);
    if (before?.sha256 === record.sha256) return;
    const loaded = await loaders[record.kind]?.(record);
    if (!loaded) return;
    const registered = loaded.ok ? this.#register(loaded.value, before?.capability) : loaded;
    if (!registered.ok) {
      this.problems.set(record.name, registered.failure);
      return;
    }
    if (before && before.capability !== registered.value.id) registry.remove(before.capability);
    this.problems.delete(record.name);
    this.#loaded.set(record.name, { sha256: record.sha256, capability: registered.value.id });
  }

  /** Only a package's own capability is replaced; one that someone else registered stays. */
  #register(capability: Capability, own: string | undefined): Result<Capability> {
    const { registry } = this.#parts;
    return own === capability.id ? registry.replace(capability) : registry.register(capability);
  }
}
