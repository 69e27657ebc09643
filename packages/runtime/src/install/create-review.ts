/** The review of a package: what its archive says, what it depends on, and how it differs from what is installed. */
import { permissionDiff } from "@capstan/core/internal";
import type { CommandIsolation } from "../commands/command-isolation.ts";
import type { PackageRecord } from "../db/schema/package-record.ts";
import type { PackageArchive } from "./fetch-package.ts";
import { sha256Hex } from "./node-codec.ts";
import type { PackageReading, ResolvedDependencies } from "./package-kind.ts";
import type { PackageReview } from "./package-review.ts";

export function reviewOf(
  {
    description,
    files,
    unpackedBytes,
    dependencies,
    notes = [],
  }: PackageReading & {
    dependencies: ResolvedDependencies;
  },
  { kind, origin, bytes }: PackageArchive,
  sha256: string,
  before: PackageRecord | undefined,
  { isolation }: { readonly isolation: CommandIsolation },
): PackageReview {
  const { manifest, ...about } = description;
  const permissions =
    before?.description.manifest && manifest && permissionDiff(before.description.manifest, manifest);
  return {
    ...about,
    kind,
    origin,
    sha256,
    size_bytes: bytes.length,
    unpacked_bytes: unpackedBytes,
    files,
    resolved_dependencies: dependencies.list,
    ...(dependencies.lock && { dependencies_sha256: hashOfList(dependencies) }),
    not_isolated: [...isolation.notes, ...notes],
    ...(before && {
      update: {
        from_version: before.version,
        same_content: before.sha256 === sha256,
        ...(permissions && { permissions }),
      },
    }),
  };
}

/** Hash of the list, not of the lock: two servers may write the same versions in another order. */
const hashOfList = ({ list }: ResolvedDependencies): string =>
  sha256Hex(
    new TextEncoder().encode(
      list
        .map(({ name, version, hash, installed_as: as, inside }) =>
          [name, version, hash, ...(as ? [`as ${as}`] : []), ...(inside ? [`inside ${inside}`] : [])].join(
            " ",
          ),
        )
        .sort()
        .join("\n"),
    ),
  );
