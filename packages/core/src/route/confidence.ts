/**
 * How likely nothing fits, and how likely the first match is right: two logistic models over all candidates. They use absolute evidence
 * (the best value of some channels, the first's score) and how far the first is ahead. A capability without triggers shares fewer words
 * with any task, so whether the first has triggers is an input too.
 */
import type { Field } from "./fusion.ts";
import type { Postings } from "./postings.ts";
import type { Task } from "./task.ts";

/** Inputs of both models. More inputs fitted the dev set better and other sets worse. */
export const CONFIDENCE_INPUTS = [
  "words",
  "phrase",
  "pair",
  "centre",
  "nearest",
  "evidence", // the first's score, unscaled
  "share", // its softmax share
  "lead", // how far it is ahead of the sixth
  "length", // content words of the task: the longer it is, the less any capability covers
  "parts", // clauses
  "phrasing", // a request, or a question about the world
  "unknown", // share of the task's content that no capability mentions, by rarity
  "spoken", // 1 when it has triggers
] as const;
export type ConfidenceInput = (typeof CONFIDENCE_INPUTS)[number];
export type ConfidenceValues = Readonly<Record<ConfidenceInput, number>>;

export interface LogisticWeights {
  readonly bias: number;
  readonly weights: Partial<Readonly<Record<ConfidenceInput, number>>>;
}

const LONG_TASK = 20;
const MANY_PARTS = 4;
const PHRASING_SCALE = 4;
const RUNNER_UP = 5; // several may be right; a sixth seldom is

export interface CandidateField {
  readonly best: Field["best"];
  /** Unscaled evidence of all candidates, highest first. */
  readonly scores: readonly number[];
  readonly task: Pick<Task, "contentTerms" | "clauses" | "phrasing">;
  readonly unknown: number;
  readonly spoken: boolean;
}

export function confidenceValues({ best, scores, task, unknown, spoken }: CandidateField): ConfidenceValues {
  const first = scores[0] ?? 0;
  let total = 0;
  for (const score of scores) total += Math.exp(score - first);
  const { words, phrase, pair, centre, nearest } = best;
  return {
    words,
    phrase,
    pair,
    centre,
    nearest,
    evidence: first / 10,
    share: total > 0 ? 1 / total : 0,
    lead: (first - (scores[RUNNER_UP] ?? 0)) / 5,
    length: Math.min(1, task.contentTerms.size / LONG_TASK),
    parts: Math.min(1, task.clauses.length / MANY_PARTS),
    phrasing: task.phrasing / PHRASING_SCALE,
    unknown,
    spoken: spoken ? 1 : 0,
  };
}

/** 1 when no content word of the task occurs in any capability. */
export function unknownShare(contentTerms: Iterable<string>, postings: Postings): number {
  let all = 0;
  let unknown = 0;
  for (const term of contentTerms) {
    const idf = postings.idf(term);
    all += idf;
    if (!postings.knows(term)) unknown += idf;
  }
  return all > 0 ? unknown / all : 1;
}

export function logOdds(values: ConfidenceValues, { bias, weights }: LogisticWeights): number {
  let sum = bias;
  for (const input of CONFIDENCE_INPUTS) sum += values[input] * (weights[input] ?? 0);
  return sum;
}

export const probability = (odds: number): number => 1 / (1 + Math.exp(-odds));

export const logistic = (values: ConfidenceValues, model: LogisticWeights): number =>
  probability(logOdds(values, model));
