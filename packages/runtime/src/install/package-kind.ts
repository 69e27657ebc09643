/** The table of kinds: how a package of each kind is read, put on disk and started. The installer knows no kind by name. */
import type { Result } from "@capstan/core";
import type { CommandLine } from "../commands/command-line.ts";
import type { PackageDescription, PackageKind } from "../db/schema/package-record.ts";

export interface PackageReading {
  readonly description: PackageDescription;
  readonly files: number;
  readonly unpackedBytes: number;
  /** What a reviewer should know besides; shown with what could not be isolated. */
  readonly notes?: readonly string[];
}

/** Everything a package brings along, through others too; each by the hash that its registry names. */
export interface ResolvedDependencies {
  /** In the package manager's own notation, for exactly these; empty = it needs nothing. */
  readonly lock: string;
  readonly list: readonly { readonly name: string; readonly version: string; readonly hash: string }[];
}

export interface PlaceRequest {
  readonly bytes: Uint8Array;
  /** Empty, and where it will stay: virtual environments cannot be moved. */
  readonly folder: string;
  readonly allowScripts: boolean;
  /** What was resolved and reviewed; nothing else is installed. */
  readonly dependencyLock?: string | undefined;
}

export interface PackageKindRules {
  /** What the bytes say of themselves. Nothing of the package runs. */
  read(bytes: Uint8Array): Promise<Result<PackageReading>> | Result<PackageReading>;
  /** Makes it ready to run. Nothing of the package runs unless scripts are allowed. */
  place(request: PlaceRequest): Promise<Result<true>>;
  /** Asks the registry what it would bring along. Absent when the kind has no dependencies. */
  resolve?(bytes: Uint8Array): Promise<Result<ResolvedDependencies>>;
  /** What it adds, by running it; absent when `--help` of its command tells. Called only after a yes. */
  describe?(bytes: Uint8Array, description: PackageDescription): Promise<Result<PackageDescription>>;
  /** The start of the command line for one of its commands; absent when the kind has none. */
  commandLine?(folder: string, command: string): Promise<Result<CommandLine>>;
}

export type PackageKinds = Readonly<Partial<Record<PackageKind, PackageKindRules>>>;
