/**
 * The meaning of a word as keys that an ordinary full-text index can find: the numbers of the fixed words (anchors) that are
 * nearest to it. "beverage" and "tea" share some; two unrelated words share one in about sixty cases. The similarity
 * of whole texts is then computed for those found.
 */
import type { Embed } from "@capstan/core/internal";

export type MeaningKeys = (word: string, most: number) => readonly string[];

const MOST_KEPT = 5_000; // words whose anchors are remembered

export function createMeaningKeys(embed: Embed, anchors: readonly string[]): MeaningKeys {
  const vectors = anchors.map((word) => embed(word));
  const kept = new Map<string, readonly number[]>();
  const nearest = (word: string): readonly number[] => {
    const vector = embed(word);
    if (!vector) return [];
    return vectors
      .map((anchor, at) => ({ at, near: anchor ? dot(anchor, vector) : -1 }))
      .sort((a, b) => b.near - a.near)
      .slice(0, MOST_NEAR)
      .map(({ at }) => at);
  };
  return (word, most) => {
    const known = kept.get(word) ?? nearest(word);
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(word, known);
    return known.slice(0, most).map((at) => `m${at}`);
  };
}

const MOST_NEAR = 5;

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

const SCALE = 127;

/** A unit vector with one byte per number. */
export const packedVector = (vector: Float32Array): Buffer =>
  Buffer.from(Int8Array.from(vector, (value) => Math.round(value * SCALE)).buffer);

/** The similarity of a packed vector to another one, from -1 to 1. */
export function similarity(packed: Uint8Array, vector: Float32Array): number {
  const values = new Int8Array(packed.buffer, packed.byteOffset, packed.byteLength);
  let sum = 0;
  for (let at = 0; at < vector.length; at++) sum += (values[at] ?? 0) * (vector[at] as number);
  return sum / SCALE;
}
