/**
 * Inverted postings for BM25F: one field-weighted frequency per term and document; documents are added and removed individually.
 * IDF and average length are computed at query time, so a new document costs only its own terms.
 */
import { termWeight } from "./text.ts";

const K1 = 1.5;
const B = 0.75;
/** The ideal document: contains the term about twice, at average length. */
const IDEAL_SATURATION = 0.8;
/** Words that no document contains lower every score a little: the task wants something nobody offers. */
const UNKNOWN_SHARE = 0.5;

const TENTHS = 10;

/** Frequencies are integers (tenths), so that sums do not depend on the order of registration. */
export type WeightedTerms = ReadonlyMap<string, number>;

interface TermPosting {
  slots: number[];
  frequencies: number[];
  /** Cached until the next change: a logarithm per term and candidate would take a tenth of a ranking. */
  idf: number;
  version: number;
}

/** Terms whose rarity is summed once per index change, not once per task. */
export interface TermGroup {
  readonly terms: readonly string[];
  mass: number;
  version: number;
}

export const termGroup = (terms: readonly string[]): TermGroup => ({
  terms: [...new Set(terms)],
  mass: 0,
  version: -1,
});

export interface Postings {
  add(slot: number, terms: WeightedTerms): void;
  remove(slot: number, terms: WeightedTerms): void;
  idf(term: string): number;
  knows(term: string): boolean;
  /** How much of the group is among these terms, by rarity; add-one smoothing, so that one lucky word does not dominate. */
  covered(group: TermGroup, said: ReadonlySet<string>): number;
  /** Adds each document's score, as a share of the query's ideal score, into `out`. */
  score(terms: readonly string[], out: Float64Array): void;
}

export function createPostings(): Postings {
  const byTerm = new Map<string, TermPosting>();
  const lengths: number[] = [];
  let documents = 0;
  let totalLength = 0;
  let version = 0;
  const rarest: TermPosting = { slots: [], frequencies: [], idf: 0, version: -1 };

  const idfOf = (posting: TermPosting): number => {
    if (posting.version !== version) {
      const { length } = posting.slots;
      posting.idf = Math.log(1 + (documents - length + 0.5) / (length + 0.5));
      posting.version = version;
    }
    return posting.idf;
  };

  return {
    add(slot, terms) {
      let length = 0;
      for (const [term, frequency] of terms) {
        length += frequency;
        const posting = byTerm.get(term) ?? { slots: [], frequencies: [], idf: 0, version: -1 };
        byTerm.set(term, posting);
        posting.slots.push(slot);
        posting.frequencies.push(frequency);
      }
      lengths[slot] = length;
      totalLength += length;
      documents++;
      version++;
    },

    remove(slot, terms) {
      for (const term of terms.keys()) {
        const posting = byTerm.get(term);
        const at = posting?.slots.indexOf(slot) ?? -1;
        if (!posting || at < 0) continue;
        posting.slots.splice(at, 1);
        posting.frequencies.splice(at, 1);
        if (posting.slots.length === 0) byTerm.delete(term);
      }
      totalLength -= lengths[slot] ?? 0;
      lengths[slot] = 0;
      documents--;
      version++;
    },

    idf: (term) => idfOf(byTerm.get(term) ?? rarest),
    knows: (term) => byTerm.has(term),

    covered(group, said) {
      let found = 0;
      for (const term of group.terms) if (said.has(term)) found += idfOf(byTerm.get(term) ?? rarest);
      if (found === 0) return 0;
      if (group.version !== version) {
        group.mass = group.terms.reduce((sum, term) => sum + idfOf(byTerm.get(term) ?? rarest), 0);
        group.version = version;
      }
      return found / (group.mass + idfOf(rarest));
    },

    score(query, out) {
      const average = documents > 0 ? totalLength / documents : 1;
      const weighed = query.map((term) => {
        const posting = byTerm.get(term);
        return { posting, weight: termWeight(term) * idfOf(posting ?? rarest) };
      });
      const ideal = weighed.reduce(
        (sum, { posting, weight }) => sum + weight * (posting ? (K1 + 1) * IDEAL_SATURATION : UNKNOWN_SHARE),
        0,
      );
      for (const { posting, weight } of weighed) {
        if (posting) accumulate(posting, (weight * (K1 + 1)) / ideal, lengths, average, out);
      }
    },
  };
}

function accumulate(
  { slots, frequencies }: TermPosting,
  weight: number,
  lengths: readonly number[],
  average: number,
  out: Float64Array,
): void {
  for (let at = 0; at < slots.length; at++) {
    const slot = slots[at] as number;
    const frequency = frequencies[at] as number;
    const norm = K1 * TENTHS * (1 - B + (B * (lengths[slot] as number)) / average);
    out[slot] = (out[slot] as number) + (weight * frequency) / (frequency + norm);
  }
}
