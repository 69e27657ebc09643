/**
 * Does anything fit at all, and how sure is the choice? Two small logistic models over the field of candidates:
 * absolute evidence (the best value of each channel) and how far the first is ahead of the rest.
 */
import type { Field } from "./fusion.ts";

/** What both models read, in the order of their weights. */
export const GATE_INPUTS = [
  "words",
  "phrase",
  "cover",
  "name",
  "centre",
  "clauseCentre",
  "nearest",
  "share", // softmax share of the first
  "margin", // its lead over the second
  "evidence", // its own score
  "length", // content words in the task, up to 20
] as const;
export type GateInput = (typeof GATE_INPUTS)[number];
export type GateValues = Readonly<Record<GateInput, number>>;

export interface LogisticWeights {
  readonly bias: number;
  readonly weights: Partial<Readonly<Record<GateInput, number>>>;
}

/** `scores`: unscaled evidence of all candidates, highest first. */
export function gateValues(field: Field, scores: readonly number[], contentWords: number): GateValues {
  const first = scores[0] ?? 0;
  let total = 0;
  for (const score of scores) total += Math.exp(score - first);
  const { words, phrase, cover, name, centre, clauseCentre, nearest } = field.best;
  return {
    words,
    phrase,
    cover,
    name,
    centre,
    clauseCentre,
    nearest,
    share: total > 0 ? 1 / total : 0,
    margin: (first - (scores[1] ?? 0)) / 5,
    evidence: first / 10,
    length: Math.min(contentWords, 20) / 20,
  };
}

export function logistic(values: GateValues, { bias, weights }: LogisticWeights): number {
  let sum = bias;
  for (const input of GATE_INPUTS) sum += values[input] * (weights[input] ?? 0);
  return 1 / (1 + Math.exp(-sum));
}
