/**
 * A catalog's own rows for its model. Which triggers are used depends on the documents alone, never on the order they were added in, so
 * that the same catalog always gets the same model.
 */
import { type CatalogRow, catalogValues } from "./catalog-model.ts";
import type { RouteDocument } from "./document.ts";
import { candidatesFor } from "./features.ts";
import { evidence, type FusionWeights, fieldOf } from "./fusion.ts";
import type { IndexEntry, RouteIndex } from "./route-index.ts";
import { readTask } from "./task.ts";

const FEWEST_TRIGGERS = 20; // fewer say too little of a catalog
const MOST_TRIGGERS = 80; // 150 gave the same figures and cost twice the time

interface Trigger {
  readonly document: RouteDocument;
  readonly text: string;
}

/** Empty when the catalog has too few triggers. Takes documents out of the index and puts them back. */
export function catalogRows(index: RouteIndex, fusion: FusionWeights): CatalogRow[] {
  const triggers = sample(triggersOf(index));
  return triggers.flatMap(({ document, text }) => {
    const others = (document.triggers ?? []).filter((trigger) => trigger !== text);
    index.add({ ...document, triggers: others });
    const fits = rowOf(text, index, fusion, () => true);
    index.add(document);
    const hidden = rowOf(text, index, fusion, (entry) => entry.document.id !== document.id);
    return fits && hidden
      ? [
          { values: fits, none: false },
          { values: hidden, none: true },
        ]
      : [];
  });
}

function rowOf(
  text: string,
  index: RouteIndex,
  fusion: FusionWeights,
  accept: (entry: IndexEntry) => boolean,
) {
  const task = readTask(text, index.embed);
  if (!task.whole.vector) return undefined;
  const candidates = candidatesFor(task, index, accept);
  const field = fieldOf(candidates);
  const ranked = candidates
    .map((candidate) => ({ candidate, evidence: evidence(candidate, field, fusion) }))
    .sort((a, b) => b.evidence - a.evidence);
  return catalogValues(candidates, ranked, task.whole.vector);
}

function triggersOf({ entries }: RouteIndex): Trigger[] {
  return entries
    .flatMap((entry) => (entry && !entry.document.fallback ? [entry.document] : []))
    .flatMap((document) => (document.triggers ?? []).map((text) => ({ document, text })))
    .sort((a, b) => compare(a.text, b.text) || compare(a.document.id, b.document.id));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Evenly over all of them: ordered by their text, neighbours are of different capabilities. */
function sample(triggers: readonly Trigger[]): Trigger[] {
  if (triggers.length < FEWEST_TRIGGERS) return [];
  const count = Math.min(MOST_TRIGGERS, triggers.length);
  return Array.from(
    { length: count },
    (_, at) => triggers[Math.floor((at * triggers.length) / count)] as Trigger,
  );
}
