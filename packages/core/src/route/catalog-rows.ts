/**
 * Training rows from a catalog for its own model. The choice of triggers depends only on the documents, never on their order of
 * registration, so that the same catalog always gets the same model.
 */
import { type CatalogRow, catalogValues } from "./catalog-model.ts";
import { type ConfidenceValues, confidenceValues, unknownShare } from "./confidence.ts";
import { type Candidate, candidatesFor } from "./features.ts";
import { evidence, type FusionWeights, fieldOf } from "./fusion.ts";
import type { IndexEntry, RouteIndex } from "./route-index.ts";
import { readTask, type Task } from "./task.ts";
import { withoutValues } from "./text.ts";
import { dot, nearestRow, withoutSpoken } from "./vectors.ts";

const FEWEST_TRIGGERS = 20; // fewer are not representative
const MOST_TRIGGERS = 80; // 150 gave the same figures and took twice as long

interface Trigger {
  readonly entry: IndexEntry;
  readonly text: string;
}

export interface OwnRow extends CatalogRow {
  readonly text: string;
  readonly confidence: ConfidenceValues;
  /** Whether the trigger's own capability came first. */
  readonly right: boolean;
}

/** Empty when the catalog has too few triggers. */
export function catalogRows(index: RouteIndex, fusion: FusionWeights): OwnRow[] {
  return sample(triggersOf(index)).flatMap(({ entry, text }) => {
    const task = readTask(text, index.embed);
    if (!task.whole.vector) return [];
    const candidates = candidatesFor(task, index);
    const leftOut = candidates.map((each) =>
      each.entry === entry ? withoutTrigger(each, text, task, index) : each,
    );
    const hidden = candidatesFor(task, index, (each) => each !== entry);
    const read = (some: readonly Candidate[]) => readRow(some, task, { index, fusion, entry });
    return [
      { ...read(leftOut), none: false, text },
      { ...read(hidden), none: true, text },
    ];
  });
}

interface RowParts {
  readonly index: RouteIndex;
  readonly fusion: FusionWeights;
  readonly entry: IndexEntry;
}

function readRow(candidates: readonly Candidate[], task: Task, { index, fusion, entry }: RowParts) {
  const field = fieldOf(candidates);
  const ranked = candidates
    .map((candidate) => ({ candidate, evidence: evidence(candidate, field, fusion) }))
    .sort((a, b) => b.evidence - a.evidence);
  const first = ranked[0]?.candidate.entry;
  return {
    values: catalogValues(candidates, ranked, task.whole.vector),
    confidence: confidenceValues({
      best: field.best,
      task,
      scores: ranked.map((each) => each.evidence),
      unknown: unknownShare(task.contentTerms, index.postings),
      spoken: (first?.document.triggers?.length ?? 0) > 0,
    }),
    right: first?.slot === entry.slot,
  };
}

/**
 * Evidence for a capability without this trigger. Its words stay in the statistics, where one of many triggers changes little:
 * removing and re-adding the document would cost a hundred times as much.
 */
function withoutTrigger(candidate: Candidate, text: string, task: Task, index: RouteIndex): Candidate {
  const { entry, features } = candidate;
  const { vector } = task.whole;
  if (!entry.vectors || !vector) return candidate;
  const vectors = withoutSpoken(entry.vectors, withoutValues(text));
  const triggerHits = candidate.triggerHits.filter((trigger) => trigger !== text);
  const centre = Math.max(0, dot(vectors.centre, vector));
  let [phrase, pairs] = [0, 0];
  index.passages.search(task.grams, (passage, similarity) => {
    if (passage.slot !== entry.slot) return;
    if (passage.own) pairs = passage.pairs;
    if (passage.text !== text) phrase = Math.max(phrase, similarity);
  });
  return {
    ...candidate,
    entry: { ...entry, vectors },
    triggerHits,
    features: {
      ...features,
      phrase,
      pair: pairs / (pairs + 2),
      trigger: triggerHits.length > 0 ? 1 : 0,
      centre,
      clauseCentre: centre,
      nearest: Math.max(0, dot(vectors.own, vector), nearestRow(vectors.spokenRows, vector).similarity),
    },
  };
}

function triggersOf({ entries }: RouteIndex): Trigger[] {
  return entries
    .flatMap((entry) => (entry && !entry.document.fallback ? [entry] : []))
    .flatMap((entry) => (entry.document.triggers ?? []).map((text) => ({ entry, text })))
    .sort((a, b) => compare(a.text, b.text) || compare(a.entry.document.id, b.entry.document.id));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Evenly distributed: sorted by text, neighbours belong to different capabilities. */
function sample(triggers: readonly Trigger[]): Trigger[] {
  if (triggers.length < FEWEST_TRIGGERS) return [];
  const count = Math.min(MOST_TRIGGERS, triggers.length);
  return Array.from(
    { length: count },
    (_, at) => triggers[Math.floor((at * triggers.length) / count)] as Trigger,
  );
}
