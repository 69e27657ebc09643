/** `/capabilities.json` of a session: its agent's manifests, with the actions that the agent may use for its user. */
import type { RuntimeAgent } from "../runtime-agent.ts";
import { filterByScopes } from "./filter-by-scopes.ts";
import type { Manifest } from "./manifest.ts";
import { toolName } from "./tool-names.ts";

export const SESSION_MANIFEST_PATH = "/capabilities.json";

/** The file's text; deterministic for the same manifests and rights, so that an unchanged file is not rewritten. */
export function sessionManifest(
  manifests: readonly Manifest[],
  { scopes, tools }: Pick<RuntimeAgent, "scopes" | "tools">,
): string {
  const seen = new Set(tools.map(({ capabilityId, tool }) => `${capabilityId} ${tool.name}`));
  const capabilities = manifests
    .flatMap((manifest) => filterByScopes(manifest, scopes).manifest ?? [])
    .map((manifest) => ({
      ...manifest,
      // Tools are hidden not only by scopes: also by a policy that denies them.
      actions: manifest.actions.filter(({ name }) =>
        seen.has(`${manifest.name} ${toolName(manifest.name, name)}`),
      ),
    }))
    .filter(({ actions }) => actions.length > 0)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return `${JSON.stringify({ capabilities }, null, 2)}\n`;
}
