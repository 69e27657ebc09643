/** Shared by all manifest files: deep freezing, and how each group was verified. */
import {
  CAPABILITY_GROUPS,
  type CapabilityGroup,
  type CodingAgentManifest,
  type Verification,
} from "@capstan/core/internal";

/** Frozen at every depth: a manifest is shared by all callers. */
export const defineManifest = (manifest: CodingAgentManifest): CodingAgentManifest => deepFreeze(manifest);

export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}

/** Every group verified by running the binary, except those only read in the documentation. */
export function verified(
  version: string,
  date: string,
  fromDocs: readonly CapabilityGroup[] | "all" = [],
): Record<CapabilityGroup, Verification> {
  const how = (group: CapabilityGroup): Verification => ({
    version,
    date,
    by: fromDocs === "all" || fromDocs.includes(group) ? "docs" : "run",
  });
  return Object.fromEntries(CAPABILITY_GROUPS.map((group) => [group, how(group)])) as Record<
    CapabilityGroup,
    Verification
  >;
}

export const EVERY_PLATFORM = ["darwin", "linux", "win32"] as const;
export const EVERY_LEVEL = ["low", "medium", "high", "max"] as const;
export const EVERY_MODE = ["yolo", "prompt", "deny"] as const;
