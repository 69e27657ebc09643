/** The table of kinds: how a package of each kind is read, unpacked and started. The installer knows no kind by name. */
import type { Result } from "@capstan/core";
import type { CommandLine } from "../commands/command-line.ts";
import type { PackageDescription, PackageKind, PackageRecord } from "../db/schema/package-record.ts";

export interface PackageReading {
  readonly description: PackageDescription;
  readonly files: number;
  readonly unpackedBytes: number;
  /** Further notes for the reviewer; shown with what is not isolated. */
  readonly notes?: readonly string[];
}

export interface ResolvedDependency {
  /** What it is called in the registry. */
  readonly name: string;
  readonly version: string;
  /** From the registry; for a bundled package, the hash of the archive that contains it. */
  readonly hash: string;
  /** The alias under which the package's code finds it. */
  readonly installed_as?: string;
  /** The dependency whose archive contains it. */
  readonly inside?: string;
}

/** All dependencies of a package, transitively; each with the registry's hash. */
export interface ResolvedDependencies {
  /** In the package manager's own notation, pinned to exactly these; empty = no dependencies. */
  readonly lock: string;
  readonly list: readonly ResolvedDependency[];
}

export interface PlaceRequest {
  readonly bytes: Uint8Array;
  /** Empty, and final: virtual environments cannot be moved. */
  readonly folder: string;
  readonly allowScripts: boolean;
  /** The resolved and reviewed dependencies; nothing else is installed. */
  readonly dependencyLock?: string | undefined;
}

export interface PackageKindRules {
  /** Loading it starts a process or opens a connection, so an earlier version is only kept while something pins it. */
  readonly staysOpen?: true;
  /** The archive's metadata. Nothing of the package runs. */
  read(bytes: Uint8Array): Promise<Result<PackageReading>> | Result<PackageReading>;
  /** Prepares it for running. Nothing of the package runs unless scripts are allowed. */
  place(request: PlaceRequest): Promise<Result<true>>;
  /** Asks the registry for its dependencies. Absent when the kind has none. */
  resolve?(bytes: Uint8Array): Promise<Result<ResolvedDependencies>>;
  /** What it adds, found by running it; absent when the command's `--help` is used. Only called with consent. */
  describe?(
    bytes: Uint8Array,
    description: PackageDescription,
    /** Who asks: with their account, where the package is a server with a login. */
    reviewer: string,
  ): Promise<Result<PackageDescription>>;
  /** The start of the command line for one of its commands; absent when the kind has none. */
  commandLine?(folder: string, command: string): Promise<Result<CommandLine>>;
}

/** `named`: kept while something names it; `recorded`: also for revisions that were saved with it. */
export type Keeping = "no" | "named" | "recorded";

/** Whether agents can stay on this version after an update. A background service runs once, and serves every version. */
export const keepingOf =
  (kinds: PackageKinds) =>
  ({ kind, description }: PackageRecord): Keeping => {
    const rules = kinds[kind];
    if (!rules || description.capability === undefined) return "no";
    return rules.staysOpen ? "named" : "recorded";
  };

export type PackageKinds = Readonly<Partial<Record<PackageKind, PackageKindRules>>>;
