/** What is shown of a package before it is installed. The shape is the API's, so it is in snake_case. */
import type { PermissionDiff } from "@capstan/core/internal";
import type { PackageDescription, PackageKind } from "../db/schema/package-record.ts";
import type { ResolvedDependency } from "./package-kind.ts";

/** A person or `--yes` answers it. */
export interface PackageReview extends Omit<PackageDescription, "manifest"> {
  readonly kind: PackageKind;
  readonly origin: string;
  readonly sha256: string;
  readonly size_bytes: number;
  readonly unpacked_bytes: number;
  readonly files: number;
  /** Everything that would be installed with it, transitively. */
  readonly resolved_dependencies: readonly ResolvedDependency[];
  /** Hash of that list: an installation that accepts by hash names it, so that exactly the reviewed dependencies are installed. */
  readonly dependencies_sha256?: string;
  readonly not_isolated: readonly string[];
  /** Set when the package is already installed. */
  readonly update?: {
    readonly from_version: string;
    readonly same_content: boolean;
    readonly permissions?: PermissionDiff;
  };
}
