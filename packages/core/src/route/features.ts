/**
 * The evidence for each capability, one number between 0 and 1 per channel: the input of the learned weights.
 * The cheap channels look at every capability; single triggers are compared only where some channel found something.
 */
import type { IndexEntry, RouteIndex } from "./route-index.ts";
import type { Task } from "./task.ts";
import { dot, nearestRow } from "./vectors.ts";

/** The channels. Others that did not help are listed in docs/routing.md. */
export const FEATURES = [
  "words", // BM25F over all fields, as a share of the ideal score
  "phrase", // TF-IDF cosine of words and word pairs to the nearest passage: its own text or one trigger
  "name", // share of its name that occurs in the task
  "pair", // word pairs of the task that occur in its own text: none, one third, half, ...
  "cover", // share of its own text that occurs in the task
  "param", // share of its parameters that the task names, or has such a value for
  "room", // share of the kinds of value in the task that it has a parameter for
  "tag", // share of its tags that occur in the task
  "trigger", // a short trigger occurs verbatim in the task
  "domain", // share of its domain's words that occur in the task
  "action", // the task's verb is of its class
  "centre", // embedding: similarity to the centre of its text and triggers
  "clauseCentre", // the same for the best clause
  "nearest", // embedding: similarity to its own text or one trigger
] as const;
export type Feature = (typeof FEATURES)[number];
export type FeatureValues = Readonly<Record<Feature, number>>;

export interface Candidate {
  readonly entry: IndexEntry;
  readonly features: FeatureValues;
  readonly triggerHits: readonly string[];
  readonly tagHits: readonly string[];
  /** The nearest passage and trigger, for the reasons. */
  readonly nearestPassage: Near | undefined;
  readonly nearestTrigger: Near | undefined;
}

export interface Near {
  readonly text: string;
  readonly similarity: number;
}

const PER_CHANNEL = 12; // ten are requested; twenty gave the same figures on every set

/** The best candidates of each channel, with all their evidence. */
export function candidatesFor(
  task: Task,
  index: RouteIndex,
  accept: (entry: IndexEntry) => boolean = () => true,
): Candidate[] {
  const open = index.entries.map((entry) => entry !== undefined && accept(entry));
  const channels = scan(task, index, open.length);
  const chosen = new Set<number>();
  const { words, phrase, centre, clauseCentre } = channels;
  for (const values of task.whole.vector ? [words, phrase, centre, clauseCentre] : [words, phrase]) {
    for (const slot of topSlots(values, open, PER_CHANNEL)) chosen.add(slot);
  }
  return [...chosen].flatMap((slot) => {
    const entry = index.entries[slot];
    return entry ? [lookCloser(task, index, entry, channels)] : [];
  });
}

interface Channels {
  readonly words: Float64Array;
  readonly phrase: Float64Array;
  readonly pairs: Float64Array;
  readonly passages: (string | undefined)[];
  readonly centre: Float64Array;
  readonly clauseCentre: Float64Array;
}

function scan(task: Task, index: RouteIndex, size: number): Channels {
  const channels: Channels = {
    words: new Float64Array(size),
    phrase: new Float64Array(size),
    pairs: new Float64Array(size),
    passages: [],
    centre: new Float64Array(size),
    clauseCentre: new Float64Array(size),
  };
  const { words, phrase, pairs, passages, centre, clauseCentre } = channels;
  index.postings.score(task.whole.terms, words);
  index.passages.search(task.grams, (passage, similarity) => {
    const { slot, text } = passage;
    if (passage.own) pairs[slot] = passage.pairs;
    if (similarity <= (phrase[slot] as number)) return;
    phrase[slot] = similarity;
    passages[slot] = text;
  });
  const vectors = [task.whole, ...task.clauses].flatMap(({ vector }) => vector ?? []);
  if (task.whole.vector) index.centres.scan(vectors, centre, clauseCentre);
  return channels;
}

function lookCloser(task: Task, index: RouteIndex, entry: IndexEntry, channels: Channels): Candidate {
  const { slot } = entry;
  const { postings } = index;
  const triggerHits = entry.phrases.filter(task.holds).map(({ label }) => label);
  const tagHits = entry.tags.filter(task.holds).map(({ label }) => label);
  const near = nearestTrigger(task, entry);
  const phrase = channels.phrase[slot] as number;
  const pairs = channels.pairs[slot] as number;
  return {
    entry,
    triggerHits,
    tagHits,
    nearestPassage: phrase > 0 ? { text: channels.passages[slot] ?? "", similarity: phrase } : undefined,
    nearestTrigger: near.trigger,
    features: {
      words: channels.words[slot] as number,
      phrase,
      name: postings.covered(entry.name, task.contentTerms),
      pair: pairs / (pairs + 2),
      cover: postings.covered(entry.own, task.contentTerms),
      param: postings.covered(entry.params, task.parameterTerms),
      room: roomFor(task.rooms, entry.paramNames),
      tag: entry.tags.length > 0 ? tagHits.length / entry.tags.length : 0,
      trigger: triggerHits.length > 0 ? 1 : 0,
      domain: postings.covered(entry.domain, task.contentTerms),
      action: (task.actions & entry.actions) !== 0 ? 1 : 0,
      centre: channels.centre[slot] as number,
      clauseCentre: channels.clauseCentre[slot] as number,
      nearest: near.similarity,
    },
  };
}

function nearestTrigger(
  task: Task,
  { vectors }: IndexEntry,
): { trigger: Near | undefined; similarity: number } {
  const { vector } = task.whole;
  if (!vector || !vectors) return { trigger: undefined, similarity: 0 };
  const { at, similarity } = nearestRow(vectors.spokenRows, vector);
  const text = vectors.spoken[at];
  return {
    trigger: text === undefined ? undefined : { text, similarity },
    similarity: Math.max(0, dot(vectors.own, vector), similarity),
  };
}

/** Add-one smoothing: a single place or date must not dominate. */
function roomFor(rooms: Task["rooms"], params: ReadonlySet<string>): number {
  if (rooms.length === 0 || params.size === 0) return 0;
  return rooms.filter((names) => names.some((name) => params.has(name))).length / (rooms.length + 1);
}

/** The slots of the highest values above zero. Ties at the cutoff are all kept, so that slot order never decides. */
function topSlots(values: Float64Array, open: readonly boolean[], count: number): number[] {
  const positive: number[] = [];
  for (let slot = 0; slot < values.length; slot++) {
    if (open[slot] && (values[slot] as number) > 0) positive.push(slot);
  }
  if (positive.length <= count) return positive;
  const edge = kthHighest(
    positive.map((slot) => values[slot] as number),
    count,
  );
  return positive.filter((slot) => (values[slot] as number) >= edge);
}

function kthHighest(values: readonly number[], k: number): number {
  const best: number[] = []; // ascending, at most k long
  for (const value of values) {
    if (best.length === k && value <= (best[0] as number)) continue;
    if (best.length === k) best.shift();
    let at = best.length;
    while (at > 0 && (best[at - 1] as number) > value) at--;
    best.splice(at, 0, value);
  }
  return best[0] ?? 0;
}
