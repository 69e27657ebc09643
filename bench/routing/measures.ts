/** The figures: top-1, recall at 5, NDCG at 10 over tasks that have an answer; F1 of saying "nothing fits". */
import type { Labelled } from "./sets.ts";

export interface Measures {
  readonly tasks: number;
  readonly top1: number;
  readonly recall5: number;
  readonly ndcg10: number;
  /** Undefined when every task of the set has an answer. */
  readonly noMatchF1: number | undefined;
  /** Share of answerable tasks that were refused. */
  readonly falseNone: number;
}

/** `ranked`: ids, best first; empty = nothing fits. A refused task that has an answer counts as wrong everywhere. */
export function measure(tasks: readonly Labelled[], ranked: readonly (readonly string[])[]): Measures {
  const rows = tasks.map(({ expected }, at) => ({ expected: new Set(expected), ids: ranked[at] ?? [] }));
  const answerable = rows.filter(({ expected }) => expected.size > 0);
  const none = rows.filter(({ expected }) => expected.size === 0);
  const rightlyRefused = none.filter(({ ids }) => ids.length === 0).length;
  const wronglyRefused = answerable.filter(({ ids }) => ids.length === 0).length;
  const found = 2 * rightlyRefused;
  return {
    tasks: tasks.length,
    top1: mean(answerable.map(({ expected, ids }) => (expected.has(ids[0] ?? "") ? 1 : 0))),
    recall5: mean(
      answerable.map(
        ({ expected, ids }) => ids.slice(0, 5).filter((id) => expected.has(id)).length / expected.size,
      ),
    ),
    ndcg10: mean(answerable.map(({ expected, ids }) => ndcg(expected, ids.slice(0, 10)))),
    noMatchF1:
      none.length === 0 ? undefined : found / (found + wronglyRefused + (none.length - rightlyRefused) || 1),
    falseNone: answerable.length === 0 ? 0 : wronglyRefused / answerable.length,
  };
}

function ndcg(expected: ReadonlySet<string>, ids: readonly string[]): number {
  const gain = (at: number) => 1 / Math.log2(at + 2);
  const got = ids.reduce((sum, id, at) => sum + (expected.has(id) ? gain(at) : 0), 0);
  const ideal = Array.from({ length: Math.min(10, expected.size) }, (_, at) => gain(at)).reduce(
    (a, b) => a + b,
    0,
  );
  return got / ideal;
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

export const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
