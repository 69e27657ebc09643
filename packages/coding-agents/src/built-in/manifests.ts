/** Every built-in manifest, by name and in the order of the matrix. */
import type { CodingAgentManifest } from "@capstan/core/internal";
import { BUILT_IN_ADAPTERS, type BuiltInAgentName } from "./built-in-agents.ts";

export const ALL_MANIFESTS: readonly CodingAgentManifest[] = Object.freeze(
  Object.values(BUILT_IN_ADAPTERS).map(({ manifest }) => manifest),
);

export const MANIFESTS = Object.freeze(
  Object.fromEntries(ALL_MANIFESTS.map((manifest) => [manifest.capabilities.agent, manifest])),
) as Readonly<Record<BuiltInAgentName, CodingAgentManifest>>;
