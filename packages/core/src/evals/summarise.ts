/**
 * Summarises an experiment: each variant's scores with an interval, each variant compared with the first, the cases
 * that got worse, and those with unstable results.
 */
import {
  holm,
  type Interval,
  intervalOf,
  meanOf,
  type PairedDifference,
  pairedDifference,
} from "./statistics.ts";

/** One score of one cell. `score` is null while a person has not given it, or when the scorer failed. */
export interface CellScore {
  readonly scorer: string;
  readonly score: number | null;
  readonly passed: boolean | null;
  readonly why?: string | undefined;
}

export interface ScoredCell {
  readonly cellId: string;
  readonly itemId: string;
  readonly variant: number;
  readonly repeat: number;
  readonly scores: readonly CellScore[];
  readonly tokens: number;
  readonly costUsd: number;
  readonly modelMs: number;
}

export interface VariantSummary {
  readonly variant: number;
  readonly scorers: readonly (Interval & { readonly scorer: string; readonly passed: number })[];
  readonly tokens: number;
  readonly costUsd: number;
  readonly modelMs: number;
  readonly cells: number;
}

export interface PairSummary extends PairedDifference {
  readonly scorer: string;
  readonly variant: number;
  /** Corrected for the number of comparisons. */
  readonly pAdjusted: number;
  readonly verdict: "better" | "worse" | "no_difference_found";
}

export interface Regression {
  readonly itemId: string;
  readonly scorer: string;
  readonly variant: number;
  readonly before: number;
  readonly after: number;
  readonly beforeCells: readonly string[];
  readonly afterCells: readonly string[];
  readonly why?: string | undefined;
}

export interface FlakyCase {
  readonly itemId: string;
  readonly scorer: string;
  readonly variant: number;
  readonly passed: number;
  readonly of: number;
}

export interface ExperimentSummary {
  readonly variants: readonly VariantSummary[];
  readonly pairs: readonly PairSummary[];
  /** The largest drop first. */
  readonly regressions: readonly Regression[];
  readonly flaky: readonly FlakyCase[];
}

const SIGNIFICANT = 0.05;

export function summariseExperiment(cells: readonly ScoredCell[], variants: number): ExperimentSummary {
  const cases = casesOf(cells);
  const scorers = [...new Set(cases.map(({ scorer }) => scorer))];
  const summaries = Array.from({ length: variants }, (_, variant) =>
    variantSummary(variant, cells, cases, scorers),
  );
  const pairs = pairsOf(cases, scorers, variants);
  return {
    variants: summaries,
    pairs,
    regressions: regressionsOf(cases),
    flaky: cases.flatMap(({ itemId, scorer, variant, passes }): FlakyCase[] => {
      const passed = passes.filter(Boolean).length;
      return passed > 0 && passed < passes.length
        ? [{ itemId, scorer, variant, passed, of: passes.length }]
        : [];
    }),
  };
}

/** One item, one scorer, one variant: its repeats together. */
interface Case {
  readonly itemId: string;
  readonly scorer: string;
  readonly variant: number;
  readonly mean: number;
  readonly passes: readonly boolean[];
  readonly cellIds: readonly string[];
  readonly why?: string | undefined;
}

function casesOf(cells: readonly ScoredCell[]): Case[] {
  const scores = cells.flatMap(({ scores: each, ...cell }) => each.map((score) => ({ ...cell, ...score })));
  const known = scores.filter(({ score }) => score !== null);
  const groups = Map.groupBy(known, ({ itemId, scorer, variant }) =>
    JSON.stringify([itemId, scorer, variant]),
  );
  return [...groups.values()].map((group) => {
    const [{ itemId, scorer, variant }] = group as [(typeof group)[number]];
    return {
      itemId,
      scorer,
      variant,
      mean: meanOf(group.map(({ score }) => score ?? 0)),
      passes: group.map(({ passed }) => passed === true),
      cellIds: group.map(({ cellId }) => cellId),
      why: group.find(({ why }) => why !== undefined)?.why,
    };
  });
}

function variantSummary(
  variant: number,
  cells: readonly ScoredCell[],
  cases: readonly Case[],
  names: readonly string[],
): VariantSummary {
  const own = cells.filter((cell) => cell.variant === variant);
  const sum = (of: (cell: ScoredCell) => number) => own.reduce((total, cell) => total + of(cell), 0);
  return {
    variant,
    scorers: names.flatMap((scorer) => {
      const each = cases.filter((one) => one.variant === variant && one.scorer === scorer);
      const interval = intervalOf(each.map(({ mean }) => mean));
      const passed = each.filter(({ passes }) => passes.every(Boolean)).length;
      return interval ? [{ scorer, passed, ...interval }] : [];
    }),
    tokens: sum(({ tokens }) => tokens),
    costUsd: sum(({ costUsd }) => costUsd),
    modelMs: sum(({ modelMs }) => modelMs),
    cells: own.length,
  };
}

function pairsOf(cases: readonly Case[], scorers: readonly string[], variants: number): PairSummary[] {
  const found = scorers.flatMap((scorer) =>
    Array.from({ length: variants - 1 }, (_, at) => at + 1).flatMap((variant) => {
      const pairs = pairedCases(cases).filter(
        ({ after }) => after.scorer === scorer && after.variant === variant,
      );
      const compared = pairedDifference(
        pairs.map(({ before, after }) => ({ before: before.mean, after: after.mean })),
      );
      return compared ? [{ scorer, variant, ...compared }] : [];
    }),
  );
  const adjusted = holm(found.map(({ p }) => p));
  return found.map((pair, at) => {
    const pAdjusted = adjusted[at] ?? 1;
    const isClear = pAdjusted < SIGNIFICANT;
    const verdict = !isClear ? "no_difference_found" : pair.difference < 0 ? "worse" : "better";
    return { ...pair, pAdjusted, verdict };
  });
}

/** Each case beside the same one of the first variant. */
function pairedCases(cases: readonly Case[]): { readonly before: Case; readonly after: Case }[] {
  const key = ({ itemId, scorer }: Case) => JSON.stringify([itemId, scorer]);
  const first = new Map(cases.filter(({ variant }) => variant === 0).map((each) => [key(each), each]));
  return cases.flatMap((after) => {
    const before = after.variant === 0 ? undefined : first.get(key(after));
    return before ? [{ before, after }] : [];
  });
}

const regressionsOf = (cases: readonly Case[]): Regression[] =>
  pairedCases(cases)
    .filter(({ before, after }) => after.mean < before.mean)
    .map(({ before, after }) => ({
      itemId: after.itemId,
      scorer: after.scorer,
      variant: after.variant,
      before: before.mean,
      after: after.mean,
      beforeCells: before.cellIds,
      afterCells: after.cellIds,
      why: after.why,
    }))
    .toSorted((a, b) => b.before - b.after - (a.before - a.after));
