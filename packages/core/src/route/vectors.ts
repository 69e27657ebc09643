/** Embeddings of a document: the vectors of its text and of each trigger, and their centre. */

import type { RouteWeights } from "./weights.ts";

/**
 * Embeds a text as a vector of length 1, or undefined when it knows none of its words. Passed in: core has no model.
 * Must be deterministic, with the same number of dimensions for all texts.
 */
export interface Embed {
  (text: string): Float32Array | undefined;
  /** Its weights, if they differ from the static table's. */
  readonly weights?: RouteWeights;
}

/** Weight of a capability's own text in its centre, relative to the mean of its triggers; measured on the train splits. */
const OWN_TEXT_SHARE = 0.3;

export interface DocumentVectors {
  /** Name and description. */
  readonly own: Float32Array;
  /** Mean of the triggers, pulled towards its own text. */
  readonly centre: Float32Array;
  /** The triggers that have a vector, and the vectors in one array: contiguous memory is read twice as fast. */
  readonly spoken: readonly string[];
  readonly spokenRows: Float32Array;
}

export function documentVectors(
  ownText: string,
  triggers: readonly string[],
  embed: Embed,
): DocumentVectors | undefined {
  const spoken = triggers.flatMap((text) => {
    const vector = embed(text);
    return vector ? [{ text, vector }] : [];
  });
  const own = embed(ownText) ?? spoken[0]?.vector;
  if (!own) return undefined;
  const spokenRows = new Float32Array(spoken.length * own.length);
  spoken.forEach(({ vector }, at) => {
    spokenRows.set(vector, at * own.length);
  });
  const centre = centreOf(
    own,
    spoken.map(({ vector }) => vector),
  );
  return { own, centre, spoken: spoken.map(({ text }) => text), spokenRows };
}

/** The same without one trigger, as if the document never had it. */
export function withoutSpoken(vectors: DocumentVectors, text: string): DocumentVectors {
  const { own, spoken, spokenRows } = vectors;
  const size = own.length;
  const kept = spoken.map((_, at) => at).filter((at) => spoken[at] !== text);
  const rows = kept.map((at) => spokenRows.subarray(at * size, (at + 1) * size));
  const keptRows = new Float32Array(rows.length * size);
  rows.forEach((row, at) => {
    keptRows.set(row, at * size);
  });
  return {
    own,
    centre: centreOf(own, rows),
    spoken: kept.map((at) => spoken[at] as string),
    spokenRows: keptRows,
  };
}

function centreOf(own: Float32Array, triggers: readonly Float32Array[]): Float32Array {
  if (triggers.length === 0) return own;
  const centre = own.map((value) => value * OWN_TEXT_SHARE);
  for (const vector of triggers) {
    for (let at = 0; at < centre.length; at++) {
      centre[at] = (centre[at] as number) + (vector[at] as number) / triggers.length;
    }
  }
  const norm = Math.sqrt(dot(centre, centre)) || 1;
  return centre.map((value) => value / norm);
}

/** The centres of all documents in one array: a task is compared with every one of them. */
export interface CentreRows {
  set(slot: number, centre: Float32Array | undefined): void;
  /** Similarity of each row to the first vector, and the highest to any of them. */
  scan(vectors: readonly Float32Array[], first: Float64Array, highest: Float64Array): void;
}

const FIRST_ROWS = 64;

export function createCentreRows(): CentreRows {
  let dimensions = 0;
  let rows = new Float32Array(0);
  return {
    set(slot, centre) {
      dimensions ||= centre?.length ?? 0;
      if (dimensions === 0) return;
      if ((slot + 1) * dimensions > rows.length) {
        const larger = new Float32Array(Math.max(FIRST_ROWS, 2 * (slot + 1)) * dimensions);
        larger.set(rows);
        rows = larger;
      }
      const from = slot * dimensions;
      if (centre) rows.set(centre, from);
      else rows.fill(0, from, from + dimensions);
    },
    scan(vectors, first, highest) {
      const known = dimensions === 0 ? 0 : Math.min(first.length, rows.length / dimensions);
      for (let slot = 0; slot < known; slot++) {
        let most = 0;
        for (let at = 0; at < vectors.length; at++) {
          most = Math.max(most, dotRow(rows, slot * dimensions, vectors[at] as Float32Array));
          if (at === 0) first[slot] = most;
        }
        highest[slot] = most;
      }
    },
  };
}

/** The row nearest to the vector and its similarity; -1 when no similarity is positive. */
export function nearestRow(rows: Float32Array, vector: Float32Array): { at: number; similarity: number } {
  let nearest = -1;
  let similarity = 0;
  for (let at = 0; at * vector.length < rows.length; at++) {
    const value = dotRow(rows, at * vector.length, vector);
    if (value <= similarity) continue;
    similarity = value;
    nearest = at;
  }
  return { at: nearest, similarity };
}

export const dot = (a: Float32Array, b: Float32Array): number => dotRow(a, 0, b);

/** Four sums at a time: the only loop in the router where unrolling pays. */
function dotRow(rows: Float32Array, from: number, vector: Float32Array): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  const end = vector.length & ~3;
  for (let at = 0; at < end; at += 4) {
    const row = from + at;
    s0 += (rows[row] as number) * (vector[at] as number);
    s1 += (rows[row + 1] as number) * (vector[at + 1] as number);
    s2 += (rows[row + 2] as number) * (vector[at + 2] as number);
    s3 += (rows[row + 3] as number) * (vector[at + 3] as number);
  }
  return s0 + s1 + s2 + s3;
}
