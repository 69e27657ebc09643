/** `/capabilities.json` of a session: the manifests its agent may use for its user, filtered by what both were granted. */
import { filterByScopes } from "./filter-by-scopes.ts";
import type { Manifest } from "./manifest.ts";

export const SESSION_MANIFEST_PATH = "/capabilities.json";

/** The file's text; the same manifests and scopes always give the same text, so that an unchanged file is not rewritten. */
export function sessionManifest(manifests: readonly Manifest[], granted: readonly string[]): string {
  const capabilities = manifests
    .flatMap((manifest) => filterByScopes(manifest, granted).manifest ?? [])
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return `${JSON.stringify({ capabilities }, null, 2)}\n`;
}
