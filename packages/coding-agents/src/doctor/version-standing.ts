/** Compares a version with the tested ones. A pre-release counts as older than its release. */
import type { CodingAgentManifest } from "@capstan/core/internal";
import { compareVersions } from "./compare-versions.ts";

export type VersionStanding = "tested" | "newer" | "older" | "untested";

export function standingOf(version: string, tested: CodingAgentManifest["testedVersions"]): VersionStanding {
  if (!tested) return "untested";
  if (compareVersions(version, tested.from) < 0) return "older";
  return compareVersions(version, tested.to) > 0 ? "newer" : "tested";
}
