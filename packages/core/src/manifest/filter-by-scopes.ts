/**
 * The part of a manifest visible with the granted scopes, exactly as in seed 004: all capability scopes or nothing,
 * then action by action.
 */
import { missingScopes } from "../scopes.ts";
import type { Manifest } from "./manifest.ts";

export interface HiddenByScope {
  /** Undefined when the whole capability is hidden. */
  readonly action?: string;
  readonly missing: readonly string[];
}

export interface FilteredManifest {
  /** Undefined when nothing is visible. */
  readonly manifest: Manifest | undefined;
  readonly hidden: readonly HiddenByScope[];
}

export function filterByScopes(manifest: Manifest, granted: readonly string[]): FilteredManifest {
  const missing = missingScopes(manifest.required_scopes ?? [], granted);
  if (missing.length > 0) return { manifest: undefined, hidden: [{ missing }] };
  const hidden: HiddenByScope[] = [];
  const actions = manifest.actions.filter((action) => {
    const lacking = missingScopes(action.required_scopes ?? [], granted);
    if (lacking.length > 0) hidden.push({ action: action.name, missing: lacking });
    return lacking.length === 0;
  });
  return { manifest: actions.length > 0 ? { ...manifest, actions } : undefined, hidden };
}
