/** How a version stands to those that were tested. A pre-release is not the release: it counts as older. */
import type { CodingAgentManifest } from "@capstan/core/internal";
import { compareVersions } from "./compare-versions.ts";

export type VersionStanding = "tested" | "newer" | "older" | "untested";

export function standingOf(version: string, tested: CodingAgentManifest["testedVersions"]): VersionStanding {
  if (!tested) return "untested";
  if (compareVersions(version, tested.from) < 0) return "older";
  return compareVersions(version, tested.to) > 0 ? "newer" : "tested";
}
