/**
 * What an update changes in a package's rights. `grows` decides whether approval is required.
 * Dropping a required scope is growth too: the action then runs for people who were never granted it.
 */

import { type ConnectionNeed, joinNeeds } from "../connections/connection-need.ts";
import { flowOf, labelsOf } from "../data-flow/data-flow.ts";
import type { ToolRisk } from "../tool.ts";
import type { Manifest, ManifestAction } from "./manifest.ts";

export interface ActionChange {
  readonly action: string;
  readonly scopesAdded: readonly string[];
  readonly scopesRemoved: readonly string[];
  readonly approvalDropped: boolean;
  /** It declares a lower risk than before, so it is called with less certainty. */
  readonly riskLowered: boolean;
}

export interface PermissionDiff {
  readonly scopesAdded: readonly string[];
  readonly scopesRemoved: readonly string[];
  readonly actionsAdded: readonly string[];
  readonly actionsRemoved: readonly string[];
  readonly actionsChanged: readonly ActionChange[];
  readonly commandChanged?: { readonly from: string; readonly to: string } | undefined;
  readonly serviceChanged: boolean;
  readonly skillsAdded: readonly string[];
  /** Accounts of the user, and scopes of an account, that it did not request before. */
  readonly connectionsAdded: readonly ConnectionNeed[];
  readonly grows: boolean;
}

export function permissionDiff(before: Manifest, after: Manifest): PermissionDiff {
  const was = new Map(before.actions.map((action) => [action.name, action]));
  const is = new Map(after.actions.map((action) => [action.name, action]));
  const diff = {
    scopesAdded: without(after.required_scopes, before.required_scopes),
    scopesRemoved: without(before.required_scopes, after.required_scopes),
    actionsAdded: [...is.keys()].filter((name) => !was.has(name)),
    actionsRemoved: [...was.keys()].filter((name) => !is.has(name)),
    actionsChanged: after.actions.flatMap((action) => changeOf(was.get(action.name), action)),
    ...(before.command !== after.command && {
      commandChanged: { from: before.command, to: after.command },
    }),
    serviceChanged:
      after.service !== undefined && JSON.stringify(before.service) !== JSON.stringify(after.service),
    skillsAdded: without(skillNames(after), skillNames(before)),
    connectionsAdded: addedNeeds(manifestNeeds(before), manifestNeeds(after)),
  };
  return { ...diff, grows: grows(diff) };
}

function grows(diff: Omit<PermissionDiff, "grows">): boolean {
  const lists = [
    diff.scopesAdded,
    diff.scopesRemoved,
    diff.actionsAdded,
    diff.skillsAdded,
    diff.connectionsAdded,
    diff.actionsChanged,
  ];
  return lists.some((list) => list.length > 0) || diff.serviceChanged || diff.commandChanged !== undefined;
}

function changeOf(before: ManifestAction | undefined, after: ManifestAction): ActionChange[] {
  if (!before) return [];
  const scopesAdded = without(after.required_scopes, before.required_scopes);
  const scopesRemoved = without(before.required_scopes, after.required_scopes);
  const approvalDropped = Boolean(before.requires_approval) && !after.requires_approval;
  const riskLowered =
    isFlowLoosened(before, after) ||
    RISKS.indexOf(after.risk ?? "write") < RISKS.indexOf(before.risk ?? "write");
  if (scopesAdded.length + scopesRemoved.length === 0 && !approvalDropped && !riskLowered) return [];
  return [{ action: after.name, scopesAdded, scopesRemoved, approvalDropped, riskLowered }];
}

/** It no longer declares a read or write that rules depend on: they would no longer apply. */
function isFlowLoosened(before: ManifestAction, after: ManifestAction): boolean {
  const [was, is] = [flowOf(before), flowOf(after)];
  const labels = labelsOf(is);
  return (
    labelsOf(was).some((label) => !labels.includes(label)) ||
    (was.writes.includes("external") && !is.writes.includes("external"))
  );
}

/** Every account that a package wants, a provider once; a connection without scopes has those of all actions. */
export function manifestNeeds({
  connections = [],
  required_scopes = [],
  actions,
}: Manifest): ConnectionNeed[] {
  const all = [...required_scopes, ...actions.flatMap((action) => action.required_scopes ?? [])];
  return joinNeeds(connections.map(({ provider, scopes = all }) => ({ provider, scopes })));
}

function addedNeeds(before: readonly ConnectionNeed[], after: readonly ConnectionNeed[]): ConnectionNeed[] {
  const was = new Map(before.map(({ provider, scopes }) => [provider, scopes]));
  return after
    .map(({ provider, scopes }) => ({ provider, scopes: without(scopes, was.get(provider)) }))
    .filter(({ provider, scopes }) => scopes.length > 0 || !was.has(provider));
}

const RISKS: readonly ToolRisk[] = ["read", "write", "irreversible"];

const skillNames = (manifest: Manifest) => (manifest.bundled_skills ?? []).map(({ name }) => name);

function without(list: readonly string[] | undefined, other: readonly string[] | undefined): string[] {
  const known = new Set(other);
  return [...new Set(list)].filter((each) => !known.has(each));
}
