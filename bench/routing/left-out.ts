/**
 * "Nothing fits" and confidence on catalogs that no fit has seen: every model is fitted without the measured set, the catalog's own
 * model on the catalog's own triggers.  node bench/routing/left-out.ts
 */
import { fitCatalogModel, nothingFitsOdds } from "../../packages/core/src/route/catalog-model.ts";
import type { OwnRow } from "../../packages/core/src/route/catalog-rows.ts";
import { CONFIDENCE_INPUTS } from "../../packages/core/src/route/confidence.ts";
import { CONFIDENCE_FLOORS } from "../../packages/core/src/route/confirmation.ts";
import { type OwnAnswer, ownShift, rawShift } from "../../packages/core/src/route/own-accuracy.ts";
import { OPENING_WORDS, PHRASING_WORDS, phrasingMarks } from "../../packages/core/src/route/phrasing.ts";
import { words } from "../../packages/core/src/route/text.ts";
import { STATIC_WEIGHTS } from "../../packages/core/src/route/weights.ts";
import { type Finding, report } from "../result.ts";
import { catalogPrior } from "./fit-catalog.ts";
import { fitLogistic, sumOf } from "./logistic-regression.ts";
import { type Variant, type VariantRow, variants } from "./variants.ts";

type OddsOf = (row: Pick<VariantRow, "text" | "values">) => number;
type Score = (row: VariantRow) => number;

export interface LeftOut {
  readonly catalog: string;
  readonly tasks: number;
  readonly none: number;
  readonly auroc: number;
  readonly f1: number;
  /** Share of the tasks with an answer that were refused. */
  readonly wronglyRefused: number;
  /** Mean distance of the confidence from how often it was right, in ten bins. */
  readonly calibrationError: number;
  /** Share of the right answers, and of the wrong ones, that reach each floor of the confidence. */
  readonly reached: Readonly<
    Record<"write" | "irreversible", { readonly right: number; readonly wrong: number }>
  >;
}

const THRESHOLD = Math.log(STATIC_WEIGHTS.noneThreshold / (1 - STATIC_WEIGHTS.noneThreshold));

export async function leftOut(): Promise<{ general: LeftOut[]; own: LeftOut[] }> {
  const all: Variant[] = [];
  for await (const variant of variants()) all.push(variant);
  const measured = all.filter(({ seen, rows }) => !seen && rows.some(({ none }) => none));
  const rows = measured.map((variant) => {
    const others = all.filter(({ set }) => set !== variant.set);
    const phrasing = phrasingModel(others);
    const general = logisticModel(others, phrasing, ({ none }) => none, { positiveWeight: 2 });
    const right = logisticModel(others, phrasing, (row) => row.right, { takesPart: ({ none }) => !none });
    const model = variant.own.length > 0 ? fitCatalogModel(variant.own, catalogPrior(others)) : undefined;
    const both: Score = model ? (row) => (general(row) + nothingFitsOdds(row.catalog, model)) / 2 : general;
    const shift = shiftOf(variant, others, right);
    const shifted: Score = (row) => right(row) + shift;
    return { general: measure(variant, general, right), own: measure(variant, both, shifted) };
  });
  return { general: rows.map(({ general }) => general), own: rows.map(({ own }) => own) };
}

/** As the router does it: what this catalog's triggers show beside those of the others, by a model that never saw it. */
function shiftOf({ own }: Variant, others: readonly Variant[], right: OddsOf): number {
  const usual = others.filter((each) => !each.seen && each.own.length > 0);
  return own.length === 0 || usual.length === 0
    ? 0
    : ownShift(answersOf(own, right), usualShift(usual, right));
}

export const usualShift = (some: readonly Variant[], right: OddsOf): number =>
  some.reduce((sum, { own }) => sum + rawShift(answersOf(own, right)), 0) / some.length;

const answersOf = (own: readonly OwnRow[], right: OddsOf): OwnAnswer[] =>
  own
    .filter(({ none }) => !none)
    .map((row) => ({ odds: right({ text: row.text, values: row.confidence }), right: row.right }));

const MARKS = [...PHRASING_WORDS, ...OPENING_WORDS.map((word) => `^${word}`)];
const marksOf = (text: string): Float64Array => {
  const marks = phrasingMarks(words(text));
  return Float64Array.from(MARKS, (mark) => (marks.has(mark) ? 1 : 0));
};

function phrasingModel(others: readonly Variant[]): (text: string) => number {
  const plain = others.filter(({ name, seen }) => !seen && name.endsWith("as it is"));
  const fit = fitLogistic(
    plain.flatMap(({ rows }) =>
      rows.map(({ text, none }) => ({
        x: marksOf(text),
        positive: none,
        weight: (none ? 3 : 1) / rows.length,
      })),
    ),
    5e-3,
  );
  return (text) => sumOf(marksOf(text), fit) / 4;
}

interface ModelOptions {
  readonly takesPart?: (row: VariantRow) => boolean;
  readonly positiveWeight?: number;
}

function logisticModel(
  others: readonly Variant[],
  phrasing: (text: string) => number,
  isPositive: (row: VariantRow) => boolean,
  { takesPart = () => true, positiveWeight = 1 }: ModelOptions = {},
): OddsOf {
  const read = (row: Pick<VariantRow, "text" | "values">): number[] =>
    CONFIDENCE_INPUTS.map((input) => (input === "phrasing" ? phrasing(row.text) : row.values[input]));
  const fit = fitLogistic(
    others.flatMap(({ rows }) => {
      const some = rows.filter(takesPart);
      const positive = some.filter(isPositive).length;
      return positive === 0 || positive === some.length
        ? []
        : some.map((row) => ({
            x: read(row),
            positive: isPositive(row),
            weight: (isPositive(row) ? positiveWeight : 1) / some.length,
          }));
    }),
    1e-3,
  );
  return (row) => sumOf(read(row), fit);
}

function measure({ name, rows }: Variant, noneOdds: Score, rightOdds: Score): LeftOut {
  const judged = rows.map((row) => ({ ...row, odds: noneOdds(row), refused: noneOdds(row) >= THRESHOLD }));
  const none = judged.filter((row) => row.none);
  const open = judged.filter((row) => !row.none);
  const rightly = none.filter(({ refused }) => refused).length;
  const wrongly = open.filter(({ refused }) => refused).length;
  const answers = judged
    .filter(({ refused }) => !refused)
    .map((row) => ({ right: row.right, said: sigmoid(rightOdds(row)) * (1 - sigmoid(row.odds)) }));
  return {
    catalog: name,
    tasks: rows.length,
    none: none.length,
    auroc: auroc(judged),
    f1: (2 * rightly) / (2 * rightly + wrongly + (none.length - rightly) || 1),
    wronglyRefused: wrongly / open.length,
    calibrationError: calibrationError(answers),
    reached: {
      write: reaching(answers, CONFIDENCE_FLOORS.write),
      irreversible: reaching(answers, CONFIDENCE_FLOORS.irreversible),
    },
  };
}

interface Answer {
  readonly said: number;
  readonly right: boolean;
}

function reaching(answers: readonly Answer[], floor: number): { right: number; wrong: number } {
  const share = (some: readonly Answer[]) =>
    some.filter(({ said }) => said >= floor).length / (some.length || 1);
  return {
    right: share(answers.filter(({ right }) => right)),
    wrong: share(answers.filter(({ right }) => !right)),
  };
}

const sigmoid = (odds: number): number => 1 / (1 + Math.exp(-odds));

function auroc(judged: readonly { readonly odds: number; readonly none: boolean }[]): number {
  const sorted = [...judged].sort((a, b) => a.odds - b.odds);
  const positive = sorted.filter(({ none }) => none).length;
  const ranks = sorted.reduce((sum, { none }, at) => sum + (none ? at + 1 : 0), 0);
  return (ranks - (positive * (positive + 1)) / 2) / (positive * (sorted.length - positive));
}

function calibrationError(answers: readonly Answer[]): number {
  const bins = Map.groupBy(answers, ({ said }) => Math.min(9, Math.floor(said * 10)));
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  return [...bins.values()].reduce(
    (sum, bin) =>
      sum +
      (bin.length / answers.length) *
        Math.abs(mean(bin.map(({ said }) => said)) - mean(bin.map(({ right }) => (right ? 1 : 0)))),
    0,
  );
}

const percent = (value: number): string => (100 * value).toFixed(1);

export function leftOutFinding({ general, own }: Awaited<ReturnType<typeof leftOut>>): Finding {
  const rows = own.map((row, at) => ({
    catalog: row.catalog,
    tasks: row.tasks,
    "fit nothing": row.none,
    AUROC: row.auroc.toFixed(3),
    "AUROC, general model alone": (general[at]?.auroc ?? 0).toFixed(3),
    F1: percent(row.f1),
    "wrongly refused": percent(row.wronglyRefused),
    "calibration error": percent(row.calibrationError),
    "right, at 0.5 or more": percent(row.reached.write.right),
    "wrong, at 0.5 or more": percent(row.reached.write.wrong),
    "wrong, at 0.8 or more": percent(row.reached.irreversible.wrong),
  }));
  const spoken = own.filter(
    ({ catalog }) => /metatool|clinc150/.test(catalog) && !catalog.includes("without"),
  );
  const mean = (read: (row: LeftOut) => number) =>
    spoken.reduce((sum, row) => sum + read(row), 0) / spoken.length;
  return {
    name: "routing-left-out",
    question: "Does the router know when nothing fits, in a catalog it has never seen?",
    method:
      "Every model is fitted without the measured set; the catalog's own model is fitted on its own triggers. In some catalogs every fifth capability is hidden, so that its tasks have near neighbours but no answer. The goals are means over metatool and clinc150, each complete and with capabilities hidden.",
    goals: [
      { what: "AUROC of nothing fits", value: mean(({ auroc: area }) => area), atLeast: 0.84, unit: "" },
      { what: "F1 of nothing fits", value: 100 * mean(({ f1 }) => f1), atLeast: 50, unit: " %" },
      {
        what: "wrongly refused",
        value: 100 * mean(({ wronglyRefused }) => wronglyRefused),
        atMost: 11,
        unit: " %",
      },
      {
        what: "calibration error",
        value: 100 * mean(({ calibrationError: error }) => error),
        atMost: 6,
        unit: " %",
      },
    ],
    tables: [{ title: "Unseen catalogs, percent", rows }],
    plots: [],
  };
}

if (import.meta.main) report(leftOutFinding(await leftOut()));
