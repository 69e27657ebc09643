/** What is kept of an installed package. The shapes are the API's, so they are in snake_case. */
import type { ConnectionNeed, DataRead, DataWrite, Manifest } from "@capstan/core";

/** Where a package comes from decides how it is read, put on disk and loaded; each kind is one entry of a table. */
export type PackageKind = "wheel" | "npm" | "mcp" | "skill" | "openapi" | "document";

export interface ToolSummary {
  readonly name: string;
  readonly description: string;
  readonly scopes: readonly string[];
  /** Absent in packages that were installed before this was recorded. */
  readonly reads?: readonly DataRead[];
  readonly writes?: readonly DataWrite[];
}

/** What a package adds, as far as it can be known without running it. */
export interface PackageDescription {
  /** The package's own name, such as `aech-cli-documents`. */
  readonly name: string;
  readonly version: string;
  readonly role: "cli" | "rt" | "other";
  /** The id under which agents use it; absent while a package must still run to describe itself. */
  readonly capability?: string;
  readonly summary?: string;
  readonly tools: readonly ToolSummary[];
  /** Every scope that the capability or one of its actions asks for. */
  readonly scopes: readonly string[];
  readonly commands: readonly string[];
  readonly dependencies: readonly string[];
  readonly install_scripts: readonly string[];
  readonly skills: readonly string[];
  readonly service?: {
    readonly container: string;
    readonly port?: number;
    readonly health_endpoint?: string;
  };
  /** Hosts that its tools call, if a document names them. */
  readonly hosts?: readonly string[];
  /** Accounts of the user that its tools use. */
  readonly connections?: readonly Pick<ConnectionNeed, "provider" | "scopes">[];
  /** Manifest fields that nothing reads. */
  readonly unused_fields?: readonly string[];
  /** True when it has no manifest, so that only running it shows what it adds. */
  readonly must_run_code: boolean;
  readonly manifest?: Manifest;
}

export interface PackageRecord {
  readonly name: string;
  readonly kind: PackageKind;
  readonly version: string;
  readonly sha256: string;
  readonly size_bytes: number;
  /** What was asked for: a path, a package name, an address. */
  readonly origin: string;
  /** The folder of its background service, if it has one. */
  readonly service_folder?: string;
  readonly description: PackageDescription;
  readonly allow_scripts: boolean;
  /** Its folder is watched; a change that needs no further rights is applied without a review. */
  readonly linked?: boolean;
  /** Exact versions of what it depends on, in its package manager's own notation. */
  readonly dependency_lock?: string;
  readonly installed_by: string;
  readonly installed_at: string;
}
