/** Assembles the parts of the installer: one call for the server and for tests. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Result } from "@capstan/core";
import {
  type CommandIsolation,
  type ProbeOptions,
  probeCommandIsolation,
} from "../commands/command-isolation.ts";
import { allowTraversal } from "../commands/open-to-others.ts";
import { type CheckUpdate, createInstaller, type Installer } from "./installer.ts";
import { npmKind } from "./npm-kind.ts";
import { npmProgram } from "./npm-program.ts";
import type { PackageKinds } from "./package-kind.ts";
import type { PackageStore } from "./package-store.ts";
import { PlacedPackages } from "./placed-packages.ts";
import { findPython, type Python } from "./python.ts";
import { scanPackages, type WaitingPackage } from "./scan-packages.ts";
import { wheelKind } from "./wheel-kind.ts";
import { type WrapProposal, type WrapRequest, wrapCommand } from "./wrap-command.ts";

export interface PackageHostOptions {
  readonly dataDir: string;
  /** Result of `probeIsolationFor` for the same data folder. */
  readonly isolation: CommandIsolation;
  readonly store: PackageStore;
  /** The folder of `capstan.lock`. */
  readonly lockPath: string;
  /** For pip and npm: PATH, proxies and registries; packages themselves never see it. */
  readonly toolEnvironment: Readonly<Record<string, string>>;
  readonly download: (url: string) => Promise<Result<Uint8Array>>;
  readonly ownerOf: (capability: string, packageName: string) => string | undefined;
  /** How other kinds are read and unpacked: MCP servers, skills, OpenAPI documents. */
  readonly otherKinds?: PackageKinds;
  readonly checkUpdate?: CheckUpdate;
  readonly now: () => Date;
  readonly node?: string;
  readonly helpTimeoutMs?: number;
}

export interface PackageHost {
  readonly installer: Installer;
  readonly placed: PlacedPackages;
  readonly kinds: PackageKinds;
  readonly isolation: CommandIsolation;
  /** Archives in `capabilities/clis/` that wait for review. */
  waiting(): Promise<WaitingPackage[]>;
  /** Proposes a package for a program that was not made for Capstan. */
  wrap(request: WrapRequest): Promise<Result<WrapProposal>>;
}

export function createPackageHost(options: PackageHostOptions): PackageHost {
  const { dataDir, store, isolation, toolEnvironment: env } = options;
  const dropFolder = join(dataDir, "capabilities", "clis");
  let python: Promise<Result<Python>> | undefined;
  const npmParts = { env, isolation, node: options.node ?? process.execPath };
  const kinds: PackageKinds = {
    wheel: wheelKind({
      python: () => {
        python ??= findPython(env, isolation);
        return python;
      },
      isolation,
      findLinks: [dropFolder],
    }),
    npm: npmKind(npmParts),
    ...options.otherKinds,
  };
  const placed = new PlacedPackages(join(dataDir, "packages"), kinds, store);
  const onlyFolder = isolation.organisation === undefined ? undefined : dropFolder;
  const parts = { ...options, onlyFolder, npm: npmProgram(npmParts), kinds, placed };
  const installer = createInstaller(parts);
  return {
    installer,
    placed,
    kinds,
    isolation,
    waiting: () => scanPackages(dropFolder, { installer, store }),
    wrap: (request) => wrapCommand(request, parts),
  };
}

/**
 * How packages are isolated for this data folder. Where the only way is another user, the folder's permissions are set so
 * that others can reach a package in it, and see nothing else.
 */
export async function probeIsolationFor(
  dataDir: string,
  options: ProbeOptions = {},
): Promise<CommandIsolation> {
  const isolation = await probeCommandIsolation({ runtimes: join(dataDir, "runtimes"), ...options });
  await mkdir(dataDir, { recursive: true });
  if (isolation.changesUser && !isolation.privateRoot) await allowTraversal(dataDir);
  return isolation;
}
