/**
 * Does anything in this catalog fit? The general model was fitted on other catalogs, so it is corrected for this one: each
 * of a sample of triggers is ranked with itself left out (something fits) and with its capability hidden (nothing fits). A small
 * logistic model is fitted on these rows, with the other catalogs as prior.
 *
 * The rows of those catalogs are not shipped. Their loss is stored as a quadratic around its minimum: five weights and a matrix.
 */
import type { Candidate } from "./features.ts";
import { dot } from "./vectors.ts";

/** The model's inputs. A background of everyday requests and six further inputs did not help; see docs/routing.md. */
export const CATALOG_INPUTS = [
  "centre", // similarity to the nearest centre
  "near", // mean similarity to the three nearest texts and triggers
  "gap", // how far the first is ahead of the second
  "agree", // 1 when the nearest centre is that of the first
] as const;
export type CatalogValues = Readonly<Record<(typeof CATALOG_INPUTS)[number], number>>;

/** Weights in the order of the inputs, the bias last. */
export type CatalogModel = readonly number[];

export interface CatalogPrior {
  readonly weights: CatalogModel;
  /** Row by row: the curvature of the other catalogs' mean loss at these weights. */
  readonly curvature: readonly number[];
}

export interface CatalogRow {
  readonly values: CatalogValues;
  readonly none: boolean;
}

const OWN_SHARE = 0.4; // relative to other catalogs; 0.25 to 0.6 gave the same figures
const NEAREST = 3;
const STEPS = 12;
const ENOUGH = 1e-6;

export function catalogValues(
  candidates: readonly Candidate[],
  ranked: readonly { readonly candidate: Candidate; readonly evidence: number }[],
  vector: Float32Array | undefined,
): CatalogValues {
  const nearest = candidates.reduce<Candidate | undefined>(
    (best, next) => (next.features.centre > (best?.features.centre ?? -1) ? next : best),
    undefined,
  );
  const [first, second] = ranked;
  return {
    centre: nearest?.features.centre ?? 0,
    near: vector ? meanOfNearest(candidates, vector) : 0,
    gap: ((first?.evidence ?? 0) - (second?.evidence ?? 0)) / 5,
    agree: nearest !== undefined && nearest === first?.candidate ? 1 : 0,
  };
}

function meanOfNearest(candidates: readonly Candidate[], vector: Float32Array): number {
  const best = new Float64Array(NEAREST); // ascending
  const see = (similarity: number) => {
    if (similarity <= (best[0] as number)) return;
    best[0] = similarity;
    best.sort();
  };
  for (const { entry } of candidates) {
    if (!entry.vectors) continue;
    const { own, spokenRows } = entry.vectors;
    see(dot(own, vector));
    for (let from = 0; from < spokenRows.length; from += vector.length)
      see(dot(spokenRows.subarray(from, from + vector.length), vector));
  }
  return best.reduce((sum, value) => sum + value, 0) / NEAREST;
}

/** Half of the rows fit nothing; of real tasks, about a quarter. */
const RARER = Math.log(3);

/** The log odds that nothing fits. */
export const nothingFitsOdds = (values: CatalogValues, model: CatalogModel): number =>
  catalogLogit(values, model) - RARER;

function catalogLogit(values: CatalogValues, model: CatalogModel): number {
  return CATALOG_INPUTS.reduce(
    (sum, input, at) => sum + values[input] * (model[at] ?? 0),
    model[CATALOG_INPUTS.length] ?? 0,
  );
}

/** Newton's method: the prior keeps every step small, so a few are enough. */
export function fitCatalogModel(rows: readonly CatalogRow[], prior: CatalogPrior): CatalogModel {
  const size = CATALOG_INPUTS.length + 1;
  const weights = [...prior.weights];
  const none = rows.filter((row) => row.none).length;
  const weightOf = (row: CatalogRow) => OWN_SHARE / 2 / (row.none ? none : rows.length - none);
  for (let step = 0; step < STEPS; step++) {
    const matrix = prior.curvature.map((value) => value * (1 - OWN_SHARE));
    const gradient = weights.map((_, row) =>
      sumOver(
        size,
        (column) =>
          -(matrix[row * size + column] ?? 0) * ((weights[column] ?? 0) - (prior.weights[column] ?? 0)),
      ),
    );
    for (const row of rows) addRow(row, weights, weightOf(row), matrix, gradient);
    const move = solve(matrix, gradient);
    move.forEach((value, at) => {
      weights[at] = (weights[at] ?? 0) + value;
    });
    if (move.every((value) => Math.abs(value) < ENOUGH)) break;
  }
  return weights;
}

function addRow(
  { values, none }: CatalogRow,
  weights: CatalogModel,
  weight: number,
  matrix: number[],
  gradient: number[],
): void {
  const x = [...CATALOG_INPUTS.map((input) => values[input]), 1];
  const p = 1 / (1 + Math.exp(-catalogLogit(values, weights)));
  const bend = weight * p * (1 - p);
  x.forEach((value, row) => {
    gradient[row] = (gradient[row] ?? 0) + weight * ((none ? 1 : 0) - p) * value;
    x.forEach((other, column) => {
      const at = row * x.length + column;
      matrix[at] = (matrix[at] ?? 0) + bend * value * other;
    });
  });
}

/** Gaussian elimination without pivoting: the matrix is symmetric and positive. */
function solve(matrix: number[], right: readonly number[]): number[] {
  const size = right.length;
  const out = [...right];
  const at = (row: number, column: number) => matrix[row * size + column] ?? 0;
  for (let k = 0; k < size; k++) {
    for (let row = k + 1; row < size; row++) {
      const factor = at(row, k) / (at(k, k) || 1);
      for (let column = k; column < size; column++)
        matrix[row * size + column] = at(row, column) - factor * at(k, column);
      out[row] = (out[row] ?? 0) - factor * (out[k] ?? 0);
    }
  }
  for (let row = size - 1; row >= 0; row--) {
    const known = sumOver(size, (column) => (column > row ? at(row, column) * (out[column] ?? 0) : 0));
    out[row] = ((out[row] ?? 0) - known) / (at(row, row) || 1);
  }
  return out;
}

function sumOver(size: number, term: (at: number) => number): number {
  let sum = 0;
  for (let at = 0; at < size; at++) sum += term(at);
  return sum;
}
