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
/** What one point of top-1, lost by refusing an answerable task, is worth in points of no-match F1. */
const PRICE_OF_REFUSAL = 1;

interface Point {
  readonly group: Group;
  readonly values: Readonly<Record<GateInput, number>>;
  readonly none: boolean;
  readonly right: boolean;
  readonly weight: number;
}

export function fitGates(groups: readonly Group[], weights: Float64Array) {
  const points = groups.flatMap((group) => pointsOf(group, weights));
  const none = fitLogistic(points, ({ none: isNone }) => isNone);
  const thresholds = Array.from({ length: 90 }, (_, at) => 0.05 + at * 0.01);
  const noneThreshold = thresholds.reduce((best, next) =>
    utility(points, none, next) > utility(points, none, best) ? next : best,
  );
  for (const group of groups) report(group, points, none, noneThreshold);
  for (const name of ["metatool", "clinc150"]) {
    const others = fitLogistic(
      points.filter(({ group }) => group.set !== name),
      ({ none: isNone }) => isNone,
    );
    const own = groups.find(({ set }) => set === name);
    if (own)
      report(
        { ...own, name: `${own.name} (gate fitted without it)` },
        points.map((p) =>
          p.group === own ? { ...p, group: { ...own, name: `${own.name} (gate fitted without it)` } } : p,
        ),
        others,
        noneThreshold,
      );
  }
  const answered = points.filter(({ none: isNone }) => !isNone);
  const right = fitLogistic(answered, ({ right: isRight }) => isRight);
  console.log("calibration of confidence:", calibration(answered, right));
  return { none, noneThreshold, right };
}

function pointsOf(group: Group, weights: Float64Array): Point[] {
  return group.examples.map((example) => {
    const scores = [...scoresOf(example, weights)];
    const order = scores.map((_, at) => at).sort((a, b) => (scores[b] as number) - (scores[a] as number));
    const sorted = order.map((at) => scores[at] as number);
    return {
      group,
      values: gateValues({ ...example, scores: sorted, spoken: example.spoken[order[0] ?? -1] === true }),
      none: example.answers === 0,
      right: example.right[order[0] ?? -1] === true,
      weight: pointWeight(group, example),
    };
  });
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

function outcome(points: readonly Point[], gate: LogisticWeights, threshold: number) {
  let [rightly, wrongly, missed, top, answerable] = [0, 0, 0, 0, 0];
  for (const { values, none, right } of points) {
    const refused = logistic(values, gate) >= threshold;
    if (none) refused ? rightly++ : missed++;
    else {
      answerable++;
      if (refused) wrongly++;
      else if (right) top++;
    }
  }
  const f1 = rightly + missed > 0 ? (2 * rightly) / (2 * rightly + wrongly + missed) : undefined;
  return { f1, top1: top / (answerable || 1), falseNone: wrongly / (answerable || 1) };
}

function utility(points: readonly Point[], gate: LogisticWeights, threshold: number): number {
  const groups = [...new Set(points.map(({ group }) => group))];
  return groups.reduce((sum, group) => {
    const { f1, top1 } = outcome(
      points.filter((point) => point.group === group),
      gate,
      threshold,
    );
    return sum + gateWeight(group) * ((f1 ?? 0) + PRICE_OF_REFUSAL * top1);
  }, 0);
}

function report(group: Group, points: readonly Point[], gate: LogisticWeights, threshold: number): void {
  const { f1, top1, falseNone } = outcome(
    points.filter((point) => point.group.name === group.name),
    gate,
    threshold,
  );
  const percent = (value: number | undefined) => (value === undefined ? "-" : (value * 100).toFixed(1));
  console.log(
    `gate ${group.name.padEnd(40)} F1 ${percent(f1)}  falsely none ${percent(falseNone)}  top-1 after it ${percent(top1)}`,
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
