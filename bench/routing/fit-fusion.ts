/** Listwise softmax regression with weights that cannot be negative: Adam, projected after each step. */
import type { Feature } from "../../packages/core/src/route/features.ts";
import type { Group } from "./fit.ts";

/** How a channel enters the sum: as it is, relative to the best candidate, or times the doubt. */
export type Term = readonly ["plain" | "relative" | "doubt", Feature];

const STEPS = 250;
const RATE = 0.25;
const RIDGE = 1e-4;

export function fitFusion(groups: readonly Group[], terms: readonly Term[]): Float64Array {
  const weights = new Float64Array(terms.length).fill(1);
  const first = new Float64Array(terms.length);
  const second = new Float64Array(terms.length);
  const total = groups.reduce((sum, { weight }) => sum + weight, 0);
  for (let step = 1; step <= STEPS; step++) {
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

function addGradient(group: Group, weights: Float64Array, gradient: Float64Array, share: number): void {
  const usable = group.examples.filter(({ right }) => right.some(Boolean));
  for (const { rows, right } of usable) {
    const scores = rows.map((row) => sum(row, weights));
    const most = Math.max(...scores);
    const exponents = scores.map((score) => Math.exp(score - most));
    const total = exponents.reduce((a, b) => a + b, 0);
    const answers = right.filter(Boolean).length;
    rows.forEach((row, at) => {
      const pull =
        ((right[at] ? 1 / answers : 0) - (exponents[at] as number) / total) * (share / usable.length);
      for (let k = 0; k < row.length; k++) gradient[k] = (gradient[k] as number) + pull * (row[k] as number);
    });
  }
}

export function sum(row: Float64Array, weights: Float64Array): number {
  let total = 0;
  for (let k = 0; k < row.length; k++) total += (row[k] as number) * (weights[k] as number);
  return total;
}

export function top1({ examples }: Group, weights: Float64Array): number {
  const answerable = examples.filter(({ answers }) => answers > 0);
  const right = answerable.filter(({ rows, right: isRight }) => {
    const scores = rows.map((row) => sum(row, weights));
    return isRight[scores.indexOf(Math.max(...scores))] === true;
  });
  return right.length / (answerable.length || 1);
}
