/** The two logistic models of the gate, and the threshold above which the answer is "nothing fits". */
import {
  GATE_INPUTS,
  type GateInput,
  gateValues,
  type LogisticWeights,
  logistic,
} from "../../packages/core/src/route/gate.ts";
import type { Example, Group } from "./fit.ts";
import { scoresOf } from "./fit-fusion.ts";

const STEPS = 400;
const RATE = 0.1;
const RIDGE = 1e-3;

export interface Point {
  readonly group: Group;
  readonly values: Readonly<Record<GateInput, number>>;
  readonly none: boolean;
  readonly right: boolean;
  readonly recall5: number;
  readonly weight: number;
}

export interface Gates {
  readonly none: LogisticWeights;
  readonly noneThreshold: number;
  readonly right: LogisticWeights;
}

/** `price`: what one point of R@5, lost by refusing an answerable task, is worth in points of no-match F1. */
export function fitGates(points: readonly Point[], price: number): Gates {
  const none = fitLogistic(points, ({ none: isNone }) => isNone);
  const thresholds = Array.from({ length: 90 }, (_, at) => 0.05 + at * 0.01);
  const noneThreshold = thresholds.reduce((best, next) =>
    utility(points, none, next, price) > utility(points, none, best, price) ? next : best,
  );
  const right = fitLogistic(points.filter(isAnswerable), ({ right: isRight }) => isRight);
  return { none, noneThreshold, right };
}

const isAnswerable = ({ none }: Point): boolean => !none;

/** Group by group, then the two sets with tasks that nothing fits as a gate sees them that was fitted without them. */
export function reportGates(points: readonly Point[], { none, noneThreshold, right }: Gates): void {
  for (const [name, own] of byGroup(points)) report(name, outcome(own, refusedBy(none, noneThreshold)));
  for (const set of ["metatool", "clinc150"]) {
    const others = fitLogistic(
      points.filter(({ group }) => group.set !== set),
      ({ none: isNone }) => isNone,
    );
    const own = points.filter(({ group }) => group.name === `${set} as it is`);
    report(`${set} (gate fitted without it)`, outcome(own, refusedBy(others, noneThreshold)));
  }
  console.log("calibration of confidence:", calibration(points.filter(isAnswerable), right));
}

export function pointsOf(group: Group, weights: Float64Array): Point[] {
  return group.examples.map((example) => {
    const scores = [...scoresOf(example, weights)];
    const order = scores.map((_, at) => at).sort((a, b) => (scores[b] as number) - (scores[a] as number));
    const sorted = order.map((at) => scores[at] as number);
    const found = order.slice(0, 5).filter((at) => example.right[at]).length;
    return {
      group,
      values: gateValues({ ...example, scores: sorted, spoken: example.spoken[order[0] ?? -1] === true }),
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

const gateWeight = ({ weight, gateWeight: own }: Group): number => own ?? (weight || 0.1);

/** Sets count alike, whatever their size; tasks without an answer count as much as three with one. */
function pointWeight(group: Group, { answers }: Example): number {
  return (gateWeight(group) * (answers === 0 ? 3 : 1)) / group.examples.length;
}

function fitLogistic(points: readonly Point[], isPositive: (point: Point) => boolean): LogisticWeights {
  const inputs = GATE_INPUTS;
  const total = points.reduce((sum, { weight }) => sum + weight, 0);
  const mean = inputs.map(
    (input) => points.reduce((sum, { values, weight }) => sum + weight * values[input], 0) / total,
  );
  const spread = inputs.map(
    (input, k) =>
      Math.sqrt(
        points.reduce((sum, { values, weight }) => sum + weight * (values[input] - (mean[k] ?? 0)) ** 2, 0) /
          total,
      ) || 1,
  );
  const rows = points.map(({ values }) =>
    inputs.map((input, k) => (values[input] - (mean[k] ?? 0)) / (spread[k] ?? 1)),
  );
  const w = new Float64Array(inputs.length + 1);
  const m = new Float64Array(w.length);
  const v = new Float64Array(w.length);
  for (let step = 1; step <= STEPS; step++) {
    const g = new Float64Array(w.length);
    rows.forEach((row, at) => {
      const point = points[at] as Point;
      let z = w[inputs.length] as number;
      for (let k = 0; k < row.length; k++) z += (w[k] as number) * (row[k] as number);
      const pull = ((isPositive(point) ? 1 : 0) - 1 / (1 + Math.exp(-z))) * (point.weight / total);
      for (let k = 0; k < row.length; k++) g[k] = (g[k] as number) + pull * (row[k] as number);
      g[inputs.length] = (g[inputs.length] as number) + pull;
    });
    for (let k = 0; k < w.length; k++) {
      const pull = (g[k] as number) - (k < inputs.length ? RIDGE * (w[k] as number) : 0);
      m[k] = 0.9 * (m[k] as number) + 0.1 * pull;
      v[k] = 0.999 * (v[k] as number) + 0.001 * pull * pull;
      w[k] =
        (w[k] as number) +
        (RATE * ((m[k] as number) / (1 - 0.9 ** step))) /
          (Math.sqrt((v[k] as number) / (1 - 0.999 ** step)) + 1e-8);
    }
  }
  const weights = Object.fromEntries(
    inputs.map((input, k) => [input, round((w[k] as number) / (spread[k] ?? 1))]),
  );
  const shift = inputs.reduce((sum, _, k) => sum + ((w[k] as number) * (mean[k] ?? 0)) / (spread[k] ?? 1), 0);
  return { bias: round((w[inputs.length] as number) - shift), weights };
}

export const refusedBy =
  (gate: LogisticWeights, threshold: number) =>
  ({ values }: Point): boolean =>
    logistic(values, gate) >= threshold;

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

function utility(points: readonly Point[], gate: LogisticWeights, threshold: number, price: number): number {
  return [...byGroup(points).values()].reduce((sum, own) => {
    const { f1, recall5 } = outcome(own, refusedBy(gate, threshold));
    const [first] = own;
    return sum + (first ? gateWeight(first.group) : 0) * ((f1 ?? 0) + price * recall5);
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
