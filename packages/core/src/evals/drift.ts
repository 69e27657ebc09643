/**
 * Whether live runs of a revision score lower than those of the one before. It is checked repeatedly while runs
 * arrive, so each check uses only part of the 5 % error budget: all checks together raise a false alert for at most 5
 * of 100 revisions.
 */
import { meanOf } from "./statistics.ts";

export interface DriftQuestion {
  readonly before: readonly number[];
  readonly after: readonly number[];
  /** Counts from 1. */
  readonly look: number;
  /** The number of scorers compared at each check. */
  readonly scorers: number;
  /** Smaller drops of the mean are ignored. */
  readonly drop: number;
}

export interface DriftAnswer {
  readonly before: number;
  readonly after: number;
  /** The probability of such a drop if nothing differs. */
  readonly p: number;
  /** What `p` had to be below. */
  readonly level: number;
  readonly isDrift: boolean;
}

const LEVEL = 0.05;

/** The sum over all checks is `LEVEL`: 1/1 + 1/4 + 1/9 ... is pi squared over six. */
export const levelAt = (look: number, scorers: number): number =>
  (LEVEL * 6) / (Math.PI ** 2 * look ** 2 * scorers);

export function driftOf({ before, after, look, scorers, drop }: DriftQuestion): DriftAnswer {
  const means = { before: meanOf(before), after: meanOf(after) };
  const p = lowerBy(before, after);
  const level = levelAt(look, scorers);
  const isLower = means.before - means.after >= drop && means.after < means.before;
  return { ...means, p, level, isDrift: isLower && p < level };
}

/** One-sided: the probability of a mean that much lower by chance. Exact for passes and fails, else by Welch's t. */
export function lowerBy(before: readonly number[], after: readonly number[]): number {
  if (before.length < 2 || after.length < 2) return 1;
  const isPass = (score: number) => score === 0 || score === 1;
  return before.every(isPass) && after.every(isPass) ? fisher(before, after) : welch(before, after);
}

/** Fisher's exact test: the probability of as few passes in `after`, or fewer, by chance. */
function fisher(before: readonly number[], after: readonly number[]): number {
  const passes = (scores: readonly number[]) => scores.filter((score) => score === 1).length;
  const passed = passes(before) + passes(after);
  const total = before.length + after.length;
  const all = logChoose(total, after.length);
  let p = 0;
  for (let at = Math.max(0, after.length - (total - passed)); at <= passes(after); at++)
    p += Math.exp(logChoose(passed, at) + logChoose(total - passed, after.length - at) - all);
  return Math.min(1, p);
}

const logChoose = (of: number, count: number): number =>
  logGamma(of + 1) - logGamma(count + 1) - logGamma(of - count + 1);

function welch(before: readonly number[], after: readonly number[]): number {
  const [one, two] = [spreadOf(before), spreadOf(after)];
  const error = one + two;
  const difference = meanOf(after) - meanOf(before);
  if (error === 0) return difference < 0 ? 0 : 1;
  const freedom = error ** 2 / (one ** 2 / (before.length - 1) + two ** 2 / (after.length - 1));
  return studentBelow(difference / Math.sqrt(error), freedom);
}

/** The variance of the mean. */
function spreadOf(scores: readonly number[]): number {
  const mean = meanOf(scores);
  const squares = scores.reduce((sum, score) => sum + (score - mean) ** 2, 0);
  return squares / (scores.length - 1) / scores.length;
}

/** Student's distribution below `t`. */
function studentBelow(t: number, freedom: number): number {
  const tail = incompleteBeta(freedom / (freedom + t ** 2), freedom / 2, 0.5) / 2;
  return t < 0 ? tail : 1 - tail;
}

/** The regularised incomplete beta function, by its continued fraction (Lentz). */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x));
  let [c, d] = [1, notZero(1 - ((a + b) * x) / (a + 1))];
  d = 1 / d;
  let fraction = d;
  for (let m = 1; m <= 300; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    for (const term of [even, odd]) {
      d = 1 / notZero(1 + term * d);
      c = notZero(1 + term / c);
      fraction *= d * c;
    }
    if (Math.abs(d * c - 1) < 1e-12) break;
  }
  return (front * fraction) / a;
}

const notZero = (value: number): number => (Math.abs(value) < 1e-300 ? 1e-300 : value);

const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** The logarithm of the gamma function, for values above one half. */
function logGamma(value: number): number {
  const x = value - 1;
  const series = LANCZOS.reduce((sum, term, at) => (at === 0 ? term : sum + term / (x + at)), 0);
  const shifted = x + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (x + 0.5) * Math.log(shifted) - shifted + Math.log(series);
}
