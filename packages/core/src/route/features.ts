/**
 * The evidence for each capability, one number between 0 and 1 per channel: what the learned weights are applied to.
 * The cheap channels look at every capability; the nearest single trigger only at those some channel already likes.
 */
import type { IndexEntry, RouteIndex } from "./route-index.ts";
import type { Task, TaskPart } from "./task.ts";
import { dot } from "./vectors.ts";

/** The channels in the order of the learned weights. */
export const FEATURES = [
  "words", // BM25F over all fields, as a share of the ideal score
  "clauseWords", // the same for the best clause
  "phrase", // TF-IDF cosine to the nearest passage: its own text or one trigger
  "phraseTop", // mean over the three nearest passages
  "clausePhrase",
  "name", // share of its name that the task says
  "cover", // share of its own text that the task says
  "tag", // share of its tags that the task says
  "trigger", // a short trigger stands in the task word for word
  "domain",
  "action", // the task's verb is of its kind
  "centre", // embedding: near the centre of its text and triggers
  "clauseCentre",
  "own", // embedding: near its own text
  "clauseOwn",
  "nearest", // embedding: near one trigger
  "nearestTop", // mean over the three nearest triggers
] as const;
export type Feature = (typeof FEATURES)[number];
export type FeatureValues = Readonly<Record<Feature, number>>;

export interface Candidate {
  readonly entry: IndexEntry;
  readonly features: FeatureValues;
  readonly triggerHits: readonly string[];
  readonly tagHits: readonly string[];
  /** The passage and the trigger that came nearest, for the reasons. */
  readonly nearestPassage: { readonly text: string; readonly similarity: number } | undefined;
  readonly nearestTrigger: { readonly text: string; readonly similarity: number } | undefined;
}

const PER_CHANNEL = 20; // deep enough that the right answer is among them for 99% of the dev tasks
const TOP = 3;

/** The capabilities worth a closer look, with their evidence, in the order of their ids. */
export function candidatesFor(
  task: Task,
  index: RouteIndex,
  accept: (entry: IndexEntry) => boolean = () => true,
): Candidate[] {
  const open = index.entries.map((entry) => entry !== undefined && accept(entry));
  const channels = scan(task, index, open.length);
  const chosen = new Set<number>();
  for (const values of [channels.words, channels.clauseWords, channels.phrase, channels.clausePhrase]) {
    for (const slot of topSlots(values, open, PER_CHANNEL)) chosen.add(slot);
  }
  if (task.whole.vector) {
    for (const values of [channels.centre, channels.clauseCentre, channels.own]) {
      for (const slot of topSlots(values, open, PER_CHANNEL)) chosen.add(slot);
    }
  }
  return [...chosen].flatMap((slot) => {
    const entry = index.entries[slot];
    return entry ? [lookCloser(task, index, entry, channels)] : [];
  });
}

interface Channels {
  words: Float64Array;
  clauseWords: Float64Array;
  phrase: Float64Array;
  phraseSecond: Float64Array;
  phraseThird: Float64Array;
  clausePhrase: Float64Array;
  centre: Float64Array;
  clauseCentre: Float64Array;
  own: Float64Array;
  clauseOwn: Float64Array;
  passageText: (string | undefined)[];
}

function scan(task: Task, index: RouteIndex, size: number): Channels {
  const zeros = () => new Float64Array(size);
  const channels: Channels = {
    words: zeros(),
    clauseWords: zeros(),
    phrase: zeros(),
    phraseSecond: zeros(),
    phraseThird: zeros(),
    clausePhrase: zeros(),
    centre: zeros(),
    clauseCentre: zeros(),
    own: zeros(),
    clauseOwn: zeros(),
    passageText: [],
  };
  index.postings.score(task.whole.terms, channels.words);
  for (const { passage, similarity } of index.passages.search(task.whole.text)) {
    if (similarity > (channels.phrase[passage.slot] as number))
      channels.passageText[passage.slot] = passage.text;
    pushTop(channels, passage.slot, similarity);
  }
  scanVectors(task.whole, index, channels.centre, channels.own);
  scanClauses(task, index, channels);
  return channels;
}

function scanClauses(task: Task, index: RouteIndex, channels: Channels): void {
  channels.clauseWords.set(channels.words);
  channels.clausePhrase.set(channels.phrase);
  channels.clauseCentre.set(channels.centre);
  channels.clauseOwn.set(channels.own);
  for (const clause of task.clauses) {
    const scores = new Float64Array(channels.words.length);
    index.postings.score(clause.terms, scores);
    raise(channels.clauseWords, scores);
    for (const { passage, similarity } of index.passages.search(clause.text)) {
      const { slot } = passage;
      if (similarity > (channels.clausePhrase[slot] as number)) channels.clausePhrase[slot] = similarity;
    }
    scanVectors(clause, index, channels.clauseCentre, channels.clauseOwn);
  }
}

function scanVectors(part: TaskPart, index: RouteIndex, centre: Float64Array, own: Float64Array): void {
  const { vector } = part;
  if (!vector) return;
  for (let slot = 0; slot < centre.length; slot++) {
    const vectors = index.entries[slot]?.vectors;
    if (!vectors) continue;
    const near = dot(vectors.centre, vector);
    if (near > (centre[slot] as number)) centre[slot] = near;
    const nearOwn = vectors.own === vectors.centre ? near : dot(vectors.own, vector);
    if (nearOwn > (own[slot] as number)) own[slot] = nearOwn;
  }
}

function lookCloser(task: Task, index: RouteIndex, entry: IndexEntry, channels: Channels): Candidate {
  const { slot } = entry;
  const triggerHits = entry.phrases.filter(task.holds).map(({ label }) => label);
  const tagHits = entry.tags.filter(task.holds).map(({ label }) => label);
  const near = nearestTriggers(task, entry);
  const at = (values: Float64Array) => values[slot] as number;
  const phrase = at(channels.phrase);
  return {
    entry,
    triggerHits,
    tagHits,
    nearestPassage: phrase > 0 ? { text: channels.passageText[slot] ?? "", similarity: phrase } : undefined,
    nearestTrigger: near.best,
    features: {
      words: at(channels.words),
      clauseWords: at(channels.clauseWords),
      phrase,
      phraseTop: (phrase + at(channels.phraseSecond) + at(channels.phraseThird)) / TOP,
      clausePhrase: at(channels.clausePhrase),
      name: covered(entry.nameTerms, task, index),
      cover: covered(entry.ownTerms, task, index),
      tag: entry.tags.length > 0 ? tagHits.length / entry.tags.length : 0,
      trigger: triggerHits.length > 0 ? 1 : 0,
      domain: covered(entry.domainTerms, task, index),
      action: (task.actions & entry.actions) !== 0 ? 1 : 0,
      centre: at(channels.centre),
      clauseCentre: at(channels.clauseCentre),
      own: at(channels.own),
      clauseOwn: at(channels.clauseOwn),
      nearest: Math.max(near.best?.similarity ?? 0, at(channels.own)),
      nearestTop: near.top,
    },
  };
}

function nearestTriggers(task: Task, { vectors }: IndexEntry) {
  const { vector } = task.whole;
  if (!vector || !vectors) return { best: undefined, top: 0 };
  const own = dot(vectors.own, vector);
  const scored = vectors.triggers
    .map(({ text, vector: trigger }) => ({ text, similarity: dot(trigger, vector) }))
    .sort((a, b) => b.similarity - a.similarity);
  const three = [own, ...scored.slice(0, TOP).map(({ similarity }) => similarity)].sort((a, b) => b - a);
  const top = three.slice(0, TOP).reduce((sum, value) => sum + Math.max(0, value), 0) / TOP;
  return { best: scored[0], top };
}

/** How much of these terms the task says, by rarity; as if there were one more, so that one lucky word is not all. */
function covered(wanted: readonly string[], task: Task, index: RouteIndex): number {
  let all = 0;
  let said = 0;
  for (const term of wanted) {
    const idf = index.postings.idf(term);
    all += idf;
    if (task.contentTerms.has(term)) said += idf;
  }
  return all > 0 ? said / (all + index.postings.idf("")) : 0;
}

function pushTop({ phrase, phraseSecond, phraseThird }: Channels, slot: number, value: number): void {
  const [first, second] = [phrase[slot] as number, phraseSecond[slot] as number];
  if (value > first) {
    phraseThird[slot] = second;
    phraseSecond[slot] = first;
    phrase[slot] = value;
  } else if (value > second) {
    phraseThird[slot] = second;
    phraseSecond[slot] = value;
  } else if (value > (phraseThird[slot] as number)) phraseThird[slot] = value;
}

function raise(target: Float64Array, values: Float64Array): void {
  for (let at = 0; at < target.length; at++) {
    if ((values[at] as number) > (target[at] as number)) target[at] = values[at] as number;
  }
}

/** The slots of the highest values above zero. Ties at the edge are all kept, so that slot order never decides. */
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

function kthHighest(values: number[], k: number): number {
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
