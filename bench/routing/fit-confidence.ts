/** The two logistic models of the confidence, and the threshold above which the answer is "nothing fits". */
import {
  CONFIDENCE_INPUTS,
  type ConfidenceInput,
  confidenceValues,
  type LogisticWeights,
  logistic,
} from "../../packages/core/src/route/confidence.ts";
import type { Example, Group } from "./fit.ts";
import { scoresOf } from "./fit-fusion.ts";
import { fitLogistic } from "./logistic-regression.ts";

const RIDGE = 1e-3;

export interface Point {
  readonly group: Group;
  readonly values: Readonly<Record<ConfidenceInput, number>>;
  readonly none: boolean;
  readonly right: boolean;
  readonly recall5: number;
  readonly weight: number;
}

export interface ConfidenceModels {
  readonly none: LogisticWeights;
  readonly noneThreshold: number;
  readonly right: LogisticWeights;
}

/** `price`: what one point of R@5, lost by refusing an answerable task, is worth in points of no-match F1. */
export function fitConfidence(points: readonly Point[], price: number): ConfidenceModels {
  const none = fitModel(points, ({ none: isNone }) => isNone);
  const thresholds = Array.from({ length: 90 }, (_, at) => 0.05 + at * 0.01);
  const noneThreshold = thresholds.reduce((best, next) =>
    utility(points, none, next, price) > utility(points, none, best, price) ? next : best,
  );
  const right = fitModel(points.filter(isAnswerable), ({ right: isRight }) => isRight);
  return { none, noneThreshold, right };
}

const isAnswerable = ({ none }: Point): boolean => !none;

/** Group by group, then the two sets with tasks that nothing fits with a model that was fitted without them. */
export function reportConfidence(
  points: readonly Point[],
  { none, noneThreshold, right }: ConfidenceModels,
): void {
  for (const [name, own] of byGroup(points)) report(name, outcome(own, refusedBy(none, noneThreshold)));
  for (const set of ["metatool", "clinc150"]) {
    const others = fitModel(
      points.filter(({ group }) => group.set !== set),
      ({ none: isNone }) => isNone,
    );
    const own = points.filter(({ group }) => group.name === `${set} as it is`);
    report(`${set} (model fitted without it)`, outcome(own, refusedBy(others, noneThreshold)));
  }
  console.log("calibration of confidence:", calibration(points.filter(isAnswerable), right));
}

export function pointsOf(
  group: Group,
  weights: Float64Array,
  phrasing: ReadonlyMap<string, number>,
): Point[] {
  return group.examples.map((example) => {
    const scores = [...scoresOf(example, weights)];
    const order = scores.map((_, at) => at).sort((a, b) => (scores[b] as number) - (scores[a] as number));
    const sorted = order.map((at) => scores[at] as number);
    const found = order.slice(0, 5).filter((at) => example.right[at]).length;
    return {
      group,
      values: confidenceValues({
        ...example,
        task: { ...example.task, phrasing: phrasing.get(example.text) ?? 0 },
        scores: sorted,
        spoken: example.spoken[order[0] ?? -1] === true,
      }),
      none: example.answers === 0,
      right: example.right[order[0] ?? -1] === true,
      recall5: found / (example.answers || 1),
      weight: pointWeight(group, example),
    };
  });
}

export function byGroup<P extends Point>(points: readonly P[]): Map<string, P[]> {
  return Map.groupBy(points, ({ group }) => group.name);
}

const confidenceWeight = ({ weight, confidenceWeight: own }: Group): number => own ?? (weight || 0.1);

/**
 * Sets count alike, whatever their size; a task without an answer counts as much as three with one. MetaTool's count
 * less: their phrasing gives them away, and with more weight they would have its long tasks refused as well.
 */
function pointWeight(group: Group, { answers }: Example): number {
  const none = group.set === "metatool" ? 1.2 : 3;
  return (confidenceWeight(group) * (answers === 0 ? none : 1)) / group.examples.length;
}

function fitModel(points: readonly Point[], isPositive: (point: Point) => boolean): LogisticWeights {
  const total = points.reduce((sum, { weight }) => sum + weight, 0);
  const meanOf = (read: (point: Point) => number) =>
    points.reduce((sum, point) => sum + point.weight * read(point), 0) / total;
  const mean = CONFIDENCE_INPUTS.map((input) => meanOf(({ values }) => values[input]));
  const spread = CONFIDENCE_INPUTS.map(
    (input, k) => Math.sqrt(meanOf(({ values }) => (values[input] - (mean[k] ?? 0)) ** 2)) || 1,
  );
  const fit = fitLogistic(
    points.map((point) => ({
      x: CONFIDENCE_INPUTS.map((input, k) => (point.values[input] - (mean[k] ?? 0)) / (spread[k] ?? 1)),
      positive: isPositive(point),
      weight: point.weight,
    })),
    RIDGE,
  );
  const raw = CONFIDENCE_INPUTS.map((_, k) => (fit.weights[k] ?? 0) / (spread[k] ?? 1));
  return {
    bias: round(raw.reduce((sum, weight, k) => sum - weight * (mean[k] ?? 0), fit.bias)),
    weights: Object.fromEntries(CONFIDENCE_INPUTS.map((input, k) => [input, round(raw[k] ?? 0)])),
  };
}

export const refusedBy =
  (model: LogisticWeights, threshold: number) =>
  ({ values }: Point): boolean =>
    logistic(values, model) >= threshold;

export interface Outcome {
  readonly f1: number | undefined;
  readonly top1: number;
  readonly recall5: number;
  readonly falseNone: number;
}

export function outcome<P extends Point>(points: readonly P[], isRefused: (point: P) => boolean): Outcome {
  const judged = points.map((point) => ({ ...point, refused: isRefused(point) }));
  const open = judged.filter(isAnswerable);
  const rightly = judged.filter(({ none, refused }) => none && refused).length;
  const missed = judged.filter(({ none, refused }) => none && !refused).length;
  const wrongly = open.filter(({ refused }) => refused).length;
  const answered = open.filter(({ refused }) => !refused);
  return {
    f1: rightly + missed > 0 ? (2 * rightly) / (2 * rightly + wrongly + missed) : undefined,
    top1: answered.filter(({ right }) => right).length / (open.length || 1),
    recall5: answered.reduce((sum, { recall5 }) => sum + recall5, 0) / (open.length || 1),
    falseNone: wrongly / (open.length || 1),
  };
}

function utility(points: readonly Point[], model: LogisticWeights, threshold: number, price: number): number {
  return [...byGroup(points).values()].reduce((sum, own) => {
    const { f1, recall5 } = outcome(own, refusedBy(model, threshold));
    const [first] = own;
    return sum + (first ? confidenceWeight(first.group) : 0) * ((f1 ?? 0) + price * recall5);
  }, 0);
}

export function report(name: string, { f1, top1, recall5, falseNone }: Outcome): void {
  const percent = (value: number | undefined) => (value === undefined ? "-" : (value * 100).toFixed(1));
  console.log(
    `${name.padEnd(40)} top-1 ${percent(top1)}  R@5 ${percent(recall5)}  F1 ${percent(f1)}  falsely none ${percent(falseNone)}`,
  );
}

/** In five bins: what was said, and how often it was right. */
function calibration(points: readonly Point[], model: LogisticWeights): string {
  const said = points.map((point) => ({ ...point, p: logistic(point.values, model) }));
  return [0, 0.2, 0.4, 0.6, 0.8]
    .map((from) => {
      const bin = said.filter(({ p }) => p >= from && p < from + 0.2);
      const weight = bin.reduce((sum, point) => sum + point.weight, 0) || 1;
      const mean = bin.reduce((sum, point) => sum + point.weight * point.p, 0) / weight;
      const right = bin.reduce((sum, point) => sum + (point.right ? point.weight : 0), 0) / weight;
      return `${mean.toFixed(2)}->${right.toFixed(2)} (${bin.length})`;
    })
    .join("  ");
}

const round = (value: number): number => Math.round(value * 1000) / 1000;
