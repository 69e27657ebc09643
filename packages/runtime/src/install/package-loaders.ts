/**
 * Loads a package's capabilities: from a stored package, or from one about to be stored, to see which agents it would
 * break.
 */
import { type Capability, fail, type Manifest, ok, type Result } from "@capstan/core";
import {
  type BrokenAgent,
  type CapabilityChange,
  type ChangeParts,
  checkChanges,
} from "../agents/broken-agents.ts";
import type { PackageRecord } from "../db/schema/package-record.ts";
import { type CliParts, cliCapability } from "../sources/cli.ts";
import { bundledSkills } from "./bundled-skills.ts";
import { documentLoader } from "./document-kind.ts";
import type { CandidatePackage } from "./installer.ts";
import { type McpKindParts, mcpLoader } from "./mcp-kind.ts";
import { openApiLoader } from "./openapi-kind.ts";
import type { PackageLoader, PackageLoaders, PackageRegistry } from "./package-registry.ts";
import type { PackageStore } from "./package-store.ts";
import { skillLoader } from "./skill-kind.ts";

export interface LoadingParts {
  readonly cli: CliParts;
  readonly mcp: McpKindParts;
  readonly folderOf: (record: PackageRecord) => Promise<Result<string>>;
}

/** The manifests of loaded commands, by capability. */
export type LoadedManifests = Map<string, Manifest>;

export const storedLoaders = (
  parts: LoadingParts,
  store: Pick<PackageStore, "archive">,
  manifests: LoadedManifests,
): PackageLoaders => loadersOver(parts, store, remembering(manifests, commandLoader(parts)));

/** Earlier versions; their manifests are not in effect. */
export const keptLoaders = (parts: LoadingParts, store: Pick<PackageStore, "archive">): PackageLoaders =>
  loadersOver(parts, store, commandLoader(parts));

/** The capabilities of a package that is not stored yet; everything opened for it is closed again. */
export async function candidateCapabilities(
  parts: LoadingParts,
  { record, bytes, folder }: CandidatePackage,
): Promise<Result<readonly Capability[]>> {
  const here = { ...parts, folderOf: async () => ok(folder) };
  const loaders = loadersOver(here, { archive: async () => bytes }, commandLoader(here));
  const read = await loaders[record.kind]?.(record);
  if (!read?.ok) return read ?? ok([]);
  await read.value.close?.();
  return ok(read.value.capabilities);
}

/** Refuses to replace or remove a package's capabilities while agents need them, unless forced. */
export type AgentGuard = (
  name: string,
  after: readonly Capability[],
  options: {
    readonly force: boolean;
    /** Versions of the package's own capability that agents can stay on. */
    readonly versions?: readonly Capability[];
  },
) => Promise<Result<readonly BrokenAgent[]>>;

export const agentGuard =
  (parts: ChangeParts | undefined, loaded: PackageRegistry): AgentGuard =>
  async (name, after, { force, versions = [] }) =>
    parts ? checkChanges(parts, changesOf(loaded.idsOf(name), after, versions), { force }) : ok([]);

/** Bundled skills are added and removed with their package. */
function changesOf(
  before: readonly string[],
  after: readonly Capability[],
  versions: readonly Capability[],
): CapabilityChange[] {
  const kept = new Set(after.map(({ id }) => id));
  const removed = before.filter((id) => !kept.has(id)).map((id) => ({ id }));
  return [
    ...after.map((capability) => ({
      id: capability.id,
      capability,
      versions: versions.filter(({ id }) => id === capability.id),
    })),
    ...removed,
  ];
}

const loadersOver = (
  { mcp, folderOf }: LoadingParts,
  store: Pick<PackageStore, "archive">,
  command: PackageLoader,
): PackageLoaders => ({
  wheel: command,
  npm: command,
  mcp: mcpLoader(store, mcp),
  skill: skillLoader(folderOf),
  openapi: openApiLoader(store, mcp.settings),
  document: documentLoader(store, mcp.settings),
});

function commandLoader({ cli, folderOf }: LoadingParts): PackageLoader {
  return async (record) => {
    const { manifest } = record.description;
    if (!manifest) return fail("package_broken", { name: record.name, why: "it has no manifest" });
    const folder = manifest.bundled_skills?.length ? await folderOf(record) : undefined;
    const skills = folder?.ok ? await bundledSkills(folder.value, manifest, record) : [];
    return ok({ capabilities: [cliCapability(record, manifest, cli), ...skills] });
  };
}

function remembering(manifests: LoadedManifests, load: PackageLoader): PackageLoader {
  return async (record) => {
    const loaded = await load(record);
    const { manifest } = record.description;
    if (!loaded.ok || !manifest) return loaded;
    manifests.set(manifest.name, manifest);
    return ok({
      ...loaded.value,
      async close() {
        // An update is loaded before its predecessor is closed.
        if (manifests.get(manifest.name) === manifest) manifests.delete(manifest.name);
      },
    });
  };
}
