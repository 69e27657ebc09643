/**
 * The router's index, kept in sync with the registry: adding or removing a capability only changes its own entries.
 * A capability with many tools, such as an imported API, has an entry per tool: one text of a thousand operations is similar
 * to no task. An entry's id is the capability's, then a space and the tool's name.
 */
import { type Capability, type CapabilityRegistry, rank, routeDocument } from "@capstan/core";
import {
  calledByName,
  type RankResult,
  type RouteDocument,
  type RouteIndex,
  servesTasks,
  toolDocument,
} from "@capstan/core/internal";
import type { TieredIndex } from "./route-tier.ts";

const MANY_TOOLS = 20; // up to this many tools a capability is about one thing

export function keepInStep(index: TieredIndex, registry: CapabilityRegistry): TieredIndex {
  const indexed = new Map<string, { capability: Capability; ids: readonly string[] }>();
  const remove = (id: string) => {
    for (const each of indexed.get(id)?.ids ?? []) index.remove(each);
    indexed.delete(id);
  };
  const add = (capability: Capability) => {
    const documents = documentsOf(capability);
    for (const document of documents) index.add(document);
    indexed.set(capability.id, { capability, ids: documents.map(({ id }) => id) });
  };
  const update = () => {
    const now = offered(registry);
    const changed = [...indexed].filter(([id, { capability }]) => now.get(id) !== capability);
    for (const [id] of changed) remove(id);
    for (const capability of now.values()) if (!indexed.has(capability.id)) add(capability);
  };
  update();
  registry.onChange(update);
  return index;
}

const offered = (registry: CapabilityRegistry): Map<string, Capability> =>
  new Map(
    registry
      .list()
      .filter(servesTasks)
      .map((capability) => [capability.id, capability]),
  );

export function documentsOf(capability: Capability): RouteDocument[] {
  const { id, name, tools } = capability;
  if (tools.length <= MANY_TOOLS) return [routeDocument(capability)];
  return [
    routeDocument({ ...capability, tools: [] }),
    ...tools.map((tool) => ({ ...toolDocument(tool), id: `${id} ${tool.name}`, tags: [name] })),
  ];
}

export interface EntryId {
  readonly capabilityId: string;
  readonly tool?: string | undefined;
}

export function entryOf(id: string): EntryId {
  const [capabilityId = id, tool] = id.split(" ");
  return { capabilityId, tool };
}

/** Enough to include other capabilities besides a large one. */
const ENTRIES = 200;

export interface RankCapabilities {
  readonly topK: number;
  readonly rejected?: boolean | undefined;
  readonly visible: (entry: EntryId) => boolean;
}

/**
 * Ranks capabilities for a task, by their entries. A large one is ranked again with only its best entry:
 * a hundred similar operations of one API must not lower the confidence in it. One that the task calls by name is ranked alone.
 */
export function rankCapabilities(task: string, index: RouteIndex, options: RankCapabilities): RankResult {
  const { topK, visible } = options;
  const called = calledByName(
    task,
    index.entries.flatMap((entry) =>
      entry && visible(entryOf(entry.document.id))
        ? [{ entry, capabilityId: entryOf(entry.document.id).capabilityId }]
        : [],
    ),
  );
  if (called === undefined) return byCapability(rankEntries(task, index, options), topK);
  const isCalled = (entry: EntryId) => entry.capabilityId === called && visible(entry);
  const named = rankEntries(task, index, { ...options, visible: isCalled, isCalled: true });
  return byCapability(named.matches.length > 0 ? named : rankEntries(task, index, options), topK);
}

function rankEntries(
  task: string,
  index: RouteIndex,
  { rejected, visible, isCalled }: RankCapabilities & { readonly isCalled?: boolean },
): RankResult {
  const ask = (open: (id: string) => boolean) =>
    rank(task, index, { topK: ENTRIES, rejected, visible: open, isCalled });
  const all = ask((id) => visible(entryOf(id)));
  const best = new Map<string, string>();
  for (const { id } of all.matches) {
    const { capabilityId, tool } = entryOf(id);
    if (tool !== undefined && !best.has(capabilityId)) best.set(capabilityId, id);
  }
  if (best.size === 0) return all;
  const alone = ask((id) => {
    const entry = entryOf(id);
    return visible(entry) && (entry.tool === undefined || best.get(entry.capabilityId) === id);
  });
  return alone.noMatch ? all : alone;
}

/** Entries as capabilities: each once, at its best rank; the matching tool is among the reasons. */
function byCapability({ matches, rejected, ...rest }: RankResult, topK: number): RankResult {
  const kept = firstOfEach(matches).slice(0, topK);
  const ids = new Set(kept.map(({ id }) => id));
  return {
    ...rest,
    matches: kept,
    ...(rejected && { rejected: firstOfEach(rejected).filter(({ id }) => !ids.has(id)) }),
  };
}

function firstOfEach<T extends { readonly id: string; readonly reasons?: readonly string[] }>(
  entries: readonly T[],
): T[] {
  const seen = new Set<string>();
  return entries.flatMap((entry) => {
    const { capabilityId, tool } = entryOf(entry.id);
    if (seen.has(capabilityId)) return [];
    seen.add(capabilityId);
    const reasons = entry.reasons && { reasons: [...entry.reasons, ...(tool ? [`tool:${tool}`] : [])] };
    return [{ ...entry, id: capabilityId, ...reasons }];
  });
}
