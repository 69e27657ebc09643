/**
 * What function words say about whether anything fits: `node bench/routing/fit-phrasing.ts` writes the table
 * `packages/core/src/route/phrasing-weights.ts` from the dev tasks. Sets count alike; tasks that nothing fits as much as
 * three. For the fit of the confidence models, each task is read by a model that has not seen it.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { withOperators } from "../../packages/core/src/route/operators.ts";
import { OPENING_WORDS, PHRASING_WORDS, phrasingMarks } from "../../packages/core/src/route/phrasing.ts";
import { boundedText, words } from "../../packages/core/src/route/text.ts";
import { fitLogistic, type LogisticFit, type LogisticRow, sumOf } from "./logistic-regression.ts";
import { halfOf, readSet, SET_NAMES } from "./sets.ts";

const MARKS = [...PHRASING_WORDS, ...OPENING_WORDS.map((word) => `^${word}`)];
const RIDGE = 5e-3;
const FOLDS = 5;
const SMALLEST = 0.05; // a lighter mark is left out of the table

interface Spoken extends LogisticRow {
  readonly task: string;
  readonly fold: number;
  readonly half: number;
}

/** How each dev task sounds to a model that was not fitted on it, nor on anything of `left`, a half of every set. */
export function unseenPhrasing(left?: number): ReadonlyMap<string, number> {
  const rows = devTasks();
  const seen = rows.filter(({ half }) => half !== left);
  const out = new Map<string, number>();
  const read = (some: readonly Spoken[], fit: LogisticFit) => {
    for (const row of some) out.set(row.task, sumOf(row.x, fit));
  };
  for (let fold = 0; fold < FOLDS; fold++) {
    read(
      seen.filter((row) => row.fold === fold),
      fitLogistic(
        seen.filter((row) => row.fold !== fold),
        RIDGE,
      ),
    );
  }
  if (left !== undefined)
    read(
      rows.filter(({ half }) => half === left),
      fitLogistic(seen, RIDGE),
    );
  return out;
}

function devTasks(): Spoken[] {
  return SET_NAMES.flatMap((name) => {
    const { dev } = readSet(name);
    const share = name === "livemcp" ? 0 : 1 / dev.length; // 47 tasks: to look at, not to fit on
    return dev.map(({ task, expected }, at) => {
      const marks = phrasingMarks(words(withOperators(boundedText(task))));
      return {
        task,
        fold: (at >> 2) % FOLDS,
        half: halfOf(at),
        x: Float64Array.from(MARKS, (mark) => (marks.has(mark) ? 1 : 0)),
        positive: expected.length === 0,
        weight: (expected.length === 0 ? 3 : 1) * share,
      };
    });
  });
}

function asModule({ bias, weights }: LogisticFit): string {
  const kept = MARKS.map((mark, at) => [mark, round(weights[at] ?? 0)] as const)
    .filter(([, weight]) => Math.abs(weight) >= SMALLEST)
    .sort(([, a], [, b]) => b - a);
  const lines = kept.map(([mark, weight]) => `    ["${mark}", ${weight}],`);
  return `/** Learned: \`bench/routing/fit-phrasing.ts\`. Above 0 speaks for a question that no capability answers, below 0 for a wish. */
export const PHRASING_WEIGHTS: { readonly bias: number; readonly marks: ReadonlyMap<string, number> } = {
  bias: ${round(bias)},
  marks: new Map([
${lines.join("\n")}
  ]),
};
`;
}

const round = (value: number): number => Math.round(value * 100) / 100;

if (import.meta.main) {
  const fit = fitLogistic(devTasks(), RIDGE);
  const path = join(import.meta.dirname, "../../packages/core/src/route/phrasing-weights.ts");
  writeFileSync(path, asModule(fit));
  console.log(`${path} written`);
}
