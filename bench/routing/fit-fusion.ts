/**
 * Listwise softmax regression with weights that cannot be negative: Adam, projected after each step. A right one that is
 * not among the first five costs extra: the softmax alone gives its all for the first place.
 */
import type { Feature } from "../../packages/core/src/route/features.ts";
import type { Example, Group } from "./fit.ts";

/** How a channel enters the sum: as it is, relative to the best candidate, or times the doubt. */
export type Term = readonly ["plain" | "relative" | "doubt", Feature];

const STEPS = 400;
const STEPS_FROM_START = 150; // when the start is already near
const RATE = 0.25;
const RIDGE = 1e-4;
const RECALL = { price: 10, among: 5, softness: 0.3 };

export function fitFusion(
  groups: readonly Group[],
  terms: readonly Term[],
  start?: Float64Array,
): Float64Array {
  const weights = start ? Float64Array.from(start) : new Float64Array(terms.length).fill(1);
  const first = new Float64Array(terms.length);
  const second = new Float64Array(terms.length);
  const total = groups.reduce((sum, { weight }) => sum + weight, 0);
  const steps = start ? STEPS_FROM_START : STEPS;
  for (let step = 1; step <= steps; step++) {
    const gradient = new Float64Array(terms.length);
    for (const group of groups) addGradient(group, weights, gradient, group.weight / total);
    for (let k = 0; k < weights.length; k++) {
      const g = -(gradient[k] as number) + (2 * RIDGE * (weights[k] as number)) / terms.length;
      const m = 0.9 * (first[k] as number) + 0.1 * g;
      const v = 0.999 * (second[k] as number) + 0.001 * g * g;
      first[k] = m;
      second[k] = v;
      const move =
        (RATE * Math.max(0.02, 1 - step / steps) * (m / (1 - 0.9 ** step))) /
        (Math.sqrt(v / (1 - 0.999 ** step)) + 1e-8);
      weights[k] = Math.max(0, (weights[k] as number) - move);
    }
  }
  return weights;
}

function addGradient(
  { examples }: Group,
  weights: Float64Array,
  gradient: Float64Array,
  share: number,
): void {
  const d = weights.length;
  const usable = examples.filter(({ found }) => found > 0);
  for (const example of usable) {
    const { matrix, right, found } = example;
    const scores = scoresOf(example, weights);
    const pulls = recallPulls(example, scores);
    let most = Number.NEGATIVE_INFINITY;
    for (const score of scores) most = Math.max(most, score);
    let total = 0;
    for (let at = 0; at < scores.length; at++) {
      scores[at] = Math.exp((scores[at] as number) - most);
      total += scores[at] as number;
    }
    for (let at = 0; at < scores.length; at++) {
      const chosen = (right[at] ? 1 / found : 0) - (scores[at] as number) / total;
      const pull = (chosen + (pulls[at] as number)) * (share / usable.length);
      for (let k = 0; k < d; k++)
        gradient[k] = (gradient[k] as number) + pull * (matrix[at * d + k] as number);
    }
  }
}

/** Up for what is right and too far down, down for what stands before it: the gradient of a soft "not among the first". */
function recallPulls({ right, found }: Example, scores: Float64Array): Float64Array {
  const pulls = new Float64Array(scores.length);
  const before = new Float64Array(scores.length);
  for (let at = 0; at < scores.length; at++) {
    if (!right[at]) continue;
    let place = 0;
    for (let other = 0; other < scores.length; other++) {
      before[other] = right[other]
        ? 0
        : sigmoid(((scores[other] as number) - (scores[at] as number)) / RECALL.softness);
      place += before[other] as number;
    }
    const missed = sigmoid(place - RECALL.among + 0.5);
    const price = (RECALL.price / found) * missed * (1 - missed);
    for (let other = 0; other < scores.length; other++) {
      const share = before[other] as number;
      const pull = (price * share * (1 - share)) / RECALL.softness;
      pulls[other] = (pulls[other] as number) - pull;
      pulls[at] = (pulls[at] as number) + pull;
    }
  }
  return pulls;
}

const sigmoid = (value: number): number => 1 / (1 + Math.exp(-value));

export function scoresOf({ matrix, right }: Example, weights: Float64Array): Float64Array {
  const d = weights.length;
  const scores = new Float64Array(right.length);
  for (let at = 0; at < scores.length; at++) {
    let total = 0;
    for (let k = 0; k < d; k++) total += (matrix[at * d + k] as number) * (weights[k] as number);
    scores[at] = total;
  }
  return scores;
}

export function top1({ examples }: Group, weights: Float64Array): number {
  const answerable = examples.filter(({ answers }) => answers > 0);
  const right = answerable.filter((example) => {
    const scores = scoresOf(example, weights);
    return example.right[scores.indexOf(Math.max(...scores))] === true;
  });
  return right.length / (answerable.length || 1);
}
