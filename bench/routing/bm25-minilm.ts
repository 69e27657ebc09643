/**
 * The peer that a team would build in an afternoon: BM25 (minisearch) over the same fields and, beside it, the nearest text or trigger by
 * all-MiniLM-L6-v2 as published; both rankings are joined by reciprocal ranks. It has no notion of "nothing fits".
 */
import type { Minilm } from "@capstan/builtins";
import type { RoutingSet } from "./sets.ts";

const RANK_OFFSET = 60; // as in the paper on reciprocal rank fusion
const DEEP = 50;

export interface Neighbour {
  /** Ids by similarity, and the best similarity. */
  nearest(task: string): Promise<{ readonly ids: string[]; readonly best: number }>;
}

export async function neighbours(set: RoutingSet, model: Minilm): Promise<Neighbour> {
  const texts: { id: string; vector: Float32Array }[] = [];
  for (const { id, name, description, triggers = [] } of set.capabilities)
    for (const text of [`${name}. ${description}`, ...triggers])
      texts.push({ id, vector: await model.vector(text) });
  return {
    nearest: async (task) => {
      const vector = await model.vector(task);
      const best = new Map<string, number>();
      for (const text of texts) {
        const similarity = dot(text.vector, vector);
        if (similarity > (best.get(text.id) ?? -1)) best.set(text.id, similarity);
      }
      const sorted = [...best].sort((a, b) => b[1] - a[1]).slice(0, DEEP);
      return { ids: sorted.map(([id]) => id), best: sorted[0]?.[1] ?? 0 };
    },
  };
}

/** Joined by the sum of reciprocal ranks. */
export function joined(rankings: readonly (readonly string[])[], top: number): string[] {
  const sums = new Map<string, number>();
  for (const ids of rankings)
    ids.slice(0, DEEP).forEach((id, at) => {
      sums.set(id, (sums.get(id) ?? 0) + 1 / (RANK_OFFSET + at + 1));
    });
  return [...sums]
    .sort((a, b) => b[1] - a[1])
    .slice(0, top)
    .map(([id]) => id);
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number);
  return sum;
}
