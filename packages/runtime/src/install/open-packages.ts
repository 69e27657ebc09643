/**
 * Everything about packages in one call, for the server: install and uninstall with the registry kept in step, commands
 * as tools, background services, and what waits in the drop folder.
 */
import { mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Capability, type CapabilityRegistry, type Failure, fail, ok, type Result } from "@capstan/core";
import type { Database } from "../db/database.ts";
import { ServiceSupervisor } from "../services/service-supervisor.ts";
import { type CliParts, cliCapability } from "../sources/cli.ts";
import { ServiceBreaker } from "../sources/service-breaker.ts";
import { SessionFolders, sweepDeadFolders } from "../sources/session-folders.ts";
import { forgetCapability } from "../sources/user-home.ts";
import { createPackageHost } from "./create-package-host.ts";
import type { PackageSource } from "./fetch-package.ts";
import type { InstallOptions } from "./installer.ts";
import type { PackageKinds } from "./package-kind.ts";
import type { PackageRecord, PackageReview } from "./package-record.ts";
import { type PackageLoaders, PackageRegistry } from "./package-registry.ts";
import { packageStore } from "./package-store.ts";
import type { WaitingPackage } from "./scan-packages.ts";

const SWEEP_MS = 10 * 60 * 1000;

export interface PackagesOptions {
  readonly dataDir: string;
  readonly database: Pick<Database, "orm">;
  readonly registry: CapabilityRegistry;
  readonly lockPath: string;
  /** For pip and npm, as the server itself has it: PATH, HOME, proxies, registries. */
  readonly toolEnvironment: Readonly<Record<string, string>>;
  /** Reads an address through the network guard. */
  readonly download: (url: string) => Promise<Result<Uint8Array>>;
  /** Other kinds of packages: how they are read and placed, and how they become capabilities. */
  readonly kinds?: PackageKinds;
  readonly loaders?: PackageLoaders;
  readonly onError: (error: unknown) => void;
  readonly now: () => Date;
}

export interface Packages {
  readonly services: ServiceSupervisor;
  list(): Promise<{ record: PackageRecord; problem?: Failure }[]>;
  /** What lies in `capabilities/clis/` and is not installed. */
  waiting(): Promise<WaitingPackage[]>;
  review(source: PackageSource, options?: { runToDescribe?: boolean }): Promise<Result<PackageReview>>;
  install(
    source: PackageSource,
    options: InstallOptions,
  ): Promise<Result<{ record: PackageRecord; review: PackageReview }>>;
  /** `kept`: folders with users' own data, which are theirs to delete. */
  uninstall(name: string): Promise<Result<{ record: PackageRecord; kept: string[] }>>;
  close(): Promise<void>;
}

export async function openPackages(options: PackagesOptions): Promise<Packages> {
  const { dataDir, registry, toolEnvironment } = options;
  const store = packageStore(options.database);
  await mkdir(join(dataDir, "capabilities", "clis"), { recursive: true });
  const records = new Map<string, string>();
  const host = await createPackageHost({
    ...options,
    store,
    ...(options.kinds && { otherKinds: options.kinds }),
    ownerOf: (capability, name) => ownerOf(capability, name, registry, records),
  });
  const services = new ServiceSupervisor({
    dataDir,
    isolation: host.isolation,
    path: `${dirname(process.execPath)}:${toolEnvironment.PATH ?? "/usr/bin:/bin"}`,
  });
  const work = join(dataDir, "work");
  await sweepDeadFolders(work);
  const folders = new SessionFolders(work, () => options.now().getTime());
  const command = commandLoader(records, {
    dataDir,
    isolation: host.isolation,
    folders,
    breaker: new ServiceBreaker(() => options.now().getTime()),
    commandLine: (record, name) => host.placed.commandLine(record, name),
    serviceUrl: (capability) => services.serviceUrl(capability),
  });
  const loaded = new PackageRegistry({
    store,
    registry,
    loaders: { wheel: command, npm: command, ...options.loaders },
  });
  await loaded.sync();
  loaded.start(options.onError);
  await host.placed.sweep(options.now().getTime());
  const sweeper = setInterval(() => void folders.sweep().catch(options.onError), SWEEP_MS);
  sweeper.unref();
  return {
    services,
    waiting: host.waiting,
    review: host.installer.review,
    async list() {
      const all = await store.list();
      return all.map((record) => {
        const problem = loaded.problems.get(record.name);
        return { record, ...(problem && { problem }) };
      });
    },
    async install(source, installOptions) {
      const installed = await host.installer.install(source, installOptions);
      await loaded.sync();
      return installed;
    },
    async uninstall(name) {
      const removed = await host.installer.uninstall(name);
      await loaded.sync();
      if (!removed.ok) return removed;
      const { capability } = removed.value.description;
      const emails = await readdir(join(dataDir, "users")).catch(() => []);
      const kept = capability ? await forgetCapability(dataDir, emails, capability) : [];
      return ok({ record: removed.value, kept });
    },
    async close() {
      clearInterval(sweeper);
      await loaded.stop();
      await services.close();
      await folders.close();
    },
  };
}

/** Remembers which package brought which capability. */
function commandLoader(records: Map<string, string>, parts: CliParts) {
  return (record: PackageRecord): Result<Capability> => {
    const { manifest } = record.description;
    if (!manifest) return fail("package_broken", { name: record.name, why: "it has no manifest" });
    records.set(manifest.name, record.name);
    return ok(cliCapability(record, manifest, parts));
  };
}

/** A capability that a package registered belongs to that package; any other belongs to the server. */
function ownerOf(
  capability: string,
  name: string,
  registry: CapabilityRegistry,
  records: ReadonlyMap<string, string>,
): string | undefined {
  if (!registry.has(capability)) return undefined;
  const owner = records.get(capability);
  if (owner === name) return undefined;
  return owner ? `the package ${owner}` : "a capability of the server itself";
}
