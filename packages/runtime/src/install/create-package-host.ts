/** Puts the parts of the installer together: one call for the server and for tests. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Result } from "@capstan/core";
import { type CommandIsolation, probeCommandIsolation } from "../commands/command-isolation.ts";
import { isOpenToOthers } from "../commands/open-to-others.ts";
import { createInstaller, type Installer } from "./installer.ts";
import { npmKind } from "./npm-kind.ts";
import type { PackageKinds } from "./package-kind.ts";
import type { PackageStore } from "./package-record.ts";
import { PlacedPackages } from "./placed-packages.ts";
import { findPython, type Python } from "./python.ts";
import { scanPackages, type WaitingPackage } from "./scan-packages.ts";
import { wheelKind } from "./wheel-kind.ts";

export interface PackageHostOptions {
  readonly dataDir: string;
  /** Of `probeIsolationFor` the same data folder. */
  readonly isolation: CommandIsolation;
  readonly store: PackageStore;
  /** Where `capstan.lock` lies. */
  readonly lockPath: string;
  /** For pip and npm: PATH, proxies and registries; packages themselves never see it. */
  readonly toolEnvironment: Readonly<Record<string, string>>;
  readonly download: (url: string) => Promise<Result<Uint8Array>>;
  readonly ownerOf: (capability: string, packageName: string) => string | undefined;
  /** How other kinds are read and placed: MCP servers, skills, OpenAPI documents. */
  readonly otherKinds?: PackageKinds;
  readonly now: () => Date;
  readonly node?: string;
  readonly helpTimeoutMs?: number;
}

export interface PackageHost {
  readonly installer: Installer;
  readonly placed: PlacedPackages;
  readonly isolation: CommandIsolation;
  /** What lies in `capabilities/clis/` and waits for review. */
  waiting(): Promise<WaitingPackage[]>;
}

export function createPackageHost(options: PackageHostOptions): PackageHost {
  const { dataDir, store, isolation, toolEnvironment: env } = options;
  const dropFolder = join(dataDir, "capabilities", "clis");
  let python: Promise<Result<Python>> | undefined;
  const kinds: PackageKinds = {
    wheel: wheelKind({
      python: () => {
        python ??= findPython(env, isolation);
        return python;
      },
      env,
      findLinks: [dropFolder],
    }),
    npm: npmKind({ env, node: options.node ?? process.execPath }),
    ...options.otherKinds,
  };
  const placed = new PlacedPackages(join(dataDir, "packages"), kinds, store);
  const installer = createInstaller({ ...options, env, kinds, placed });
  return { installer, placed, isolation, waiting: () => scanPackages(dropFolder, { installer, store }) };
}

/** What the reviews say must be true for this data folder, not for the system in general. */
export async function probeIsolationFor(dataDir: string): Promise<CommandIsolation> {
  const probed = await probeCommandIsolation();
  await mkdir(dataDir, { recursive: true });
  if (!probed.separateUsers || (await isOpenToOthers([dataDir]))) return probed;
  const note = `${dataDir} is closed to other users of the system, so commands run as the server's own user.`;
  return { ...probed, separateUsers: false, notes: [note, ...probed.notes] };
}
