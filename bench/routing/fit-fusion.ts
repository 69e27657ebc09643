/** Listwise softmax regression with weights that cannot be negative: Adam, projected after each step. */
import type { Feature } from "../../packages/core/src/route/features.ts";
import type { Example, Group } from "./fit.ts";

/** How a channel enters the sum: as it is, relative to the best candidate, or times the doubt. */
export type Term = readonly ["plain" | "relative" | "doubt", Feature];

const STEPS = 150;
const STEPS_FROM_START = 50; // when the start is already near
const RATE = 0.25;
const RIDGE = 1e-4;

export function fitFusion(
  groups: readonly Group[],
  terms: readonly Term[],
  start?: Float64Array,
): Float64Array {
  const weights = start ? Float64Array.from(start) : new Float64Array(terms.length).fill(1);
  const first = new Float64Array(terms.length);
  const second = new Float64Array(terms.length);
  const total = groups.reduce((sum, { weight }) => sum + weight, 0);
  for (let step = 1; step <= (start ? STEPS_FROM_START : STEPS); step++) {
    const gradient = new Float64Array(terms.length);
    for (const group of groups) addGradient(group, weights, gradient, group.weight / total);
    for (let k = 0; k < weights.length; k++) {
      const g = -(gradient[k] as number) + (2 * RIDGE * (weights[k] as number)) / terms.length;
      const m = 0.9 * (first[k] as number) + 0.1 * g;
      const v = 0.999 * (second[k] as number) + 0.001 * g * g;
      first[k] = m;
      second[k] = v;
      const move = (RATE * (m / (1 - 0.9 ** step))) / (Math.sqrt(v / (1 - 0.999 ** step)) + 1e-8);
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
    let most = Number.NEGATIVE_INFINITY;
    for (const score of scores) most = Math.max(most, score);
    let total = 0;
    for (let at = 0; at < scores.length; at++) {
      scores[at] = Math.exp((scores[at] as number) - most);
      total += scores[at] as number;
    }
    for (let at = 0; at < scores.length; at++) {
      const pull = ((right[at] ? 1 / found : 0) - (scores[at] as number) / total) * (share / usable.length);
      for (let k = 0; k < d; k++)
        gradient[k] = (gradient[k] as number) + pull * (matrix[at * d + k] as number);
    }
  }
}

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
