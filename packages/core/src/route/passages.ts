/**
 * TF-IDF cosine over words and word pairs, per passage: a capability's own text and each of its triggers.
 * A passage's norm depends on every IDF, so it is computed on first use after a change, never all at once.
 */
import { grams } from "./text.ts";

interface Gram {
  passages: Passage[];
  /** Damped counts, one per passage. */
  counts: number[];
  readonly isPair: boolean;
}

export interface Passage {
  readonly slot: number;
  readonly text: string;
  /** The capability's own text, not a trigger. */
  readonly own: boolean;
  /** With damped counts. */
  grams: { gram: Gram; count: number }[];
  norm: number;
  normVersion: number;
  /** For the current query: the product so far, and the number of shared word pairs. */
  dot: number;
  pairs: number;
  query: number;
}

export interface Passages {
  add(slot: number, text: string, own: boolean): Passage;
  remove(passage: Passage): void;
  /** Visits every passage that shares one of these words or word pairs, with its cosine. */
  search(grams: readonly string[], visit: (passage: Passage, similarity: number) => void): void;
}

const dampen = (count: number) => 1 + Math.log(count);

export function createPassages(): Passages {
  const byText = new Map<string, Gram>();
  let total = 0;
  let version = 0;
  let query = 0;
  const idf = (gram: Gram) => Math.log(1 + total / gram.passages.length);

  const normOf = (passage: Passage): number => {
    if (passage.normVersion !== version) {
      let squares = 0;
      for (const { gram, count } of passage.grams) squares += (count * idf(gram)) ** 2;
      passage.norm = Math.sqrt(squares) || 1;
      passage.normVersion = version;
    }
    return passage.norm;
  };

  return {
    add(slot, text, own) {
      const unread = { norm: 1, normVersion: -1, dot: 0, pairs: 0, query: -1 };
      const passage: Passage = { slot, text, own, grams: [], ...unread };
      for (const [key, times] of counted(grams(text))) {
        const gram = byText.get(key) ?? { passages: [], counts: [], isPair: key.includes(" ") };
        const count = dampen(times);
        byText.set(key, gram);
        gram.passages.push(passage);
        gram.counts.push(count);
        passage.grams.push({ gram, count });
      }
      total++;
      version++;
      return passage;
    },

    remove(passage) {
      for (const { gram } of passage.grams) {
        const at = gram.passages.indexOf(passage);
        gram.passages.splice(at, 1);
        gram.counts.splice(at, 1);
      }
      for (const key of grams(passage.text)) {
        if (byText.get(key)?.passages.length === 0) byText.delete(key);
      }
      total--;
      version++;
    },

    search(asked, visit) {
      query++;
      const touched: Passage[] = [];
      let squares = 0;
      for (const [key, count] of counted(asked)) {
        const gram = byText.get(key);
        const weight = dampen(count) * (gram ? idf(gram) : Math.log(1 + total));
        squares += weight * weight;
        if (gram) accumulate(gram, weight * idf(gram), query, touched);
      }
      const norm = Math.sqrt(squares) || 1;
      for (const passage of touched) visit(passage, passage.dot / (norm * normOf(passage)));
    },
  };
}

function accumulate(
  { passages, counts, isPair }: Gram,
  weight: number,
  query: number,
  touched: Passage[],
): void {
  for (let at = 0; at < passages.length; at++) {
    const passage = passages[at] as Passage;
    if (passage.query !== query) {
      passage.query = query;
      passage.dot = 0;
      passage.pairs = 0;
      touched.push(passage);
    }
    passage.dot += weight * (counts[at] as number);
    if (isPair) passage.pairs++;
  }
}

function counted(all: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const gram of all) counts.set(gram, (counts.get(gram) ?? 0) + 1);
  return counts;
}
