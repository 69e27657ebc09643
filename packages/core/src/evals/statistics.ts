/**
 * Means with an interval, and whether two variants differ. Items are the sample: repeats of one item are averaged
 * first, because they only show how much a model varies, not how it does on other questions.
 */

export interface Interval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** How many items. */
  readonly items: number;
}

const Z = 1.959964; // 95 percent

/** A mean of scores from 0 to 1. For passes and fails Wilson's interval, which is not empty at ten of ten. */
export function intervalOf(scores: readonly number[]): Interval | undefined {
  const items = scores.length;
  if (items === 0) return undefined;
  const mean = meanOf(scores);
  if (scores.every((score) => score === 0 || score === 1)) return { mean, items, ...wilson(mean, items) };
  const margin = tOf(items - 1) * (deviationOf(scores, mean) / Math.sqrt(items));
  return { mean, items, low: Math.max(0, mean - margin), high: Math.min(1, mean + margin) };
}

function wilson(share: number, count: number): { low: number; high: number } {
  const scale = 1 + Z ** 2 / count;
  const middle = (share + Z ** 2 / (2 * count)) / scale;
  const margin = (Z / scale) * Math.sqrt((share * (1 - share)) / count + Z ** 2 / (4 * count ** 2));
  return { low: share === 0 ? 0 : middle - margin, high: share === 1 ? 1 : middle + margin };
}

export interface PairedDifference {
  readonly difference: number;
  readonly low: number;
  readonly high: number;
  /** The probability of a difference at least this large if nothing differs. */
  readonly p: number;
  readonly items: number;
}

const MOST_EXACT = 14; // items: 16,384 sign patterns
const SAMPLES = 20_000;

/** After minus before, item by item: a sign-flip test, exact for few items and by a fixed sample for many. */
export function pairedDifference(
  pairs: readonly { readonly before: number; readonly after: number }[],
): PairedDifference | undefined {
  const items = pairs.length;
  if (items === 0) return undefined;
  const differences = pairs.map(({ before, after }) => after - before);
  const [low, high] = differenceInterval(differences);
  return {
    difference: meanOf(differences),
    low: Math.max(-1, low),
    high: Math.min(1, high),
    p: signFlip(differences.filter((each) => each !== 0)),
    items,
  };
}

/**
 * For passes and fails Agresti and Min's interval: Student's covers the difference in as few as a quarter of cases when few
 * items differ, and is empty when none does.
 */
export function differenceInterval(differences: readonly number[]): [number, number] {
  const mean = meanOf(differences);
  const items = differences.length;
  if (differences.every(Number.isInteger)) {
    const count = items + 2;
    const [better, worse] = [1, -1].map(
      (kind) => 0.5 + differences.filter((each) => each === kind).length,
    ) as [number, number];
    const middle = (better - worse) / count;
    const margin = (Z * Math.sqrt(better + worse - (better - worse) ** 2 / count)) / count;
    return [Math.min(mean, middle - margin), Math.max(mean, middle + margin)];
  }
  const margin = items < 2 ? 1 : tOf(items - 1) * (deviationOf(differences, mean) / Math.sqrt(items));
  return [mean - margin, mean + margin];
}

function signFlip(differences: readonly number[]): number {
  const count = differences.length;
  if (count === 0) return 1;
  const seen = Math.abs(sumOf(differences)) - 1e-9;
  const isExact = count <= MOST_EXACT;
  const total = isExact ? 2 ** count : SAMPLES;
  const random = randomFrom(count);
  const isFlipped = (pattern: number, at: number): boolean =>
    isExact ? ((pattern >> at) & 1) === 1 : random() < 0.5;
  let extreme = 0;
  for (let pattern = 0; pattern < total; pattern++) {
    const flipped = differences.map((each, at) => (isFlipped(pattern, at) ? -each : each));
    if (Math.abs(sumOf(flipped)) >= seen) extreme++;
  }
  return isExact ? extreme / total : (extreme + 1) / (total + 1);
}

/** A fixed seed, so that a report can be reproduced (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed + 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Holm's correction: with many comparisons, one of them looks significant by chance. In the order given. */
export function holm(ps: readonly number[]): number[] {
  const order = ps.map((p, at) => ({ p, at })).toSorted((a, b) => a.p - b.p);
  const adjusted: number[] = [...ps];
  let highest = 0;
  for (const [rank, { p, at }] of order.entries()) {
    highest = Math.max(highest, Math.min(1, p * (ps.length - rank)));
    adjusted[at] = highest;
  }
  return adjusted;
}

/** Agreement of two raters beyond chance: 1 is perfect, 0 is chance (Cohen's kappa). */
export function agreementOf(pairs: readonly { readonly left: boolean; readonly right: boolean }[]): {
  readonly share: number;
  readonly kappa: number;
  readonly items: number;
} {
  const items = pairs.length;
  if (items === 0) return { share: 0, kappa: 0, items };
  const share = pairs.filter(({ left, right }) => left === right).length / items;
  const yes = (side: "left" | "right") => pairs.filter((pair) => pair[side]).length / items;
  const chance = yes("left") * yes("right") + (1 - yes("left")) * (1 - yes("right"));
  return { share, kappa: chance === 1 ? 1 : (share - chance) / (1 - chance), items };
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
export const meanOf = (values: readonly number[]): number => sumOf(values) / values.length;

function deviationOf(values: readonly number[], mean: number): number {
  if (values.length < 2) return 0.5; // one item has no variance
  return Math.sqrt(sumOf(values.map((value) => (value - mean) ** 2)) / (values.length - 1));
}

/** Student's t at 97.5 percent. */
const T_TABLE = [12.7062, 4.30265, 3.18245, 2.77645, 2.57058, 2.44691, 2.36462, 2.306, 2.26216, 2.22814];

/** Beyond the table an expansion around the normal distribution, within 0.0002. */
function tOf(freedom: number): number {
  const listed = T_TABLE[Math.max(freedom, 1) - 1];
  return listed ?? Z + 2.372272 / freedom + 2.822505 / freedom ** 2 + 2.555847 / freedom ** 3;
}
