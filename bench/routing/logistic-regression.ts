/** Logistic regression with a ridge, by Newton's method: a few steps, to the end. */
export interface LogisticRow {
  readonly x: ArrayLike<number>;
  readonly positive: boolean;
  readonly weight: number;
}

export interface LogisticFit {
  readonly bias: number;
  readonly weights: Float64Array;
}

const STEPS = 30;
const ENOUGH = 1e-9;

/** `ridge` is the price of a squared weight beside the mean loss; the bias is free. */
export function fitLogistic(rows: readonly LogisticRow[], ridge: number): LogisticFit {
  const d = rows[0]?.x.length ?? 0;
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  const w = new Float64Array(d + 1); // the bias is last
  for (let step = 0; step < STEPS; step++) {
    const gradient = new Float64Array(d + 1);
    const curvature = Array.from({ length: d + 1 }, () => new Float64Array(d + 1));
    for (const row of rows) addRow(row, w, row.weight / total, gradient, curvature);
    for (let k = 0; k < d; k++) {
      gradient[k] = (gradient[k] as number) - ridge * (w[k] as number);
      add(curvature[k] as Float64Array, k, ridge);
    }
    for (let k = 0; k <= d; k++) add(curvature[k] as Float64Array, k, ENOUGH);
    const move = solve(curvature, gradient);
    for (let k = 0; k <= d; k++) add(w, k, move[k] as number);
    if (move.every((value) => Math.abs(value) < ENOUGH)) break;
  }
  return { bias: w[d] as number, weights: w.subarray(0, d) };
}

export const sumOf = (x: ArrayLike<number>, { bias, weights }: LogisticFit): number => {
  let sum = bias;
  for (let k = 0; k < weights.length; k++) sum += (weights[k] as number) * (x[k] as number);
  return sum;
};

function addRow(
  { x, positive }: LogisticRow,
  w: Float64Array,
  share: number,
  gradient: Float64Array,
  curvature: readonly Float64Array[],
): void {
  const d = x.length;
  const at = (k: number) => (k < d ? (x[k] as number) : 1);
  let sum = w[d] as number;
  for (let k = 0; k < d; k++) sum += (w[k] as number) * at(k);
  const p = 1 / (1 + Math.exp(-sum));
  const pull = share * ((positive ? 1 : 0) - p);
  const bend = share * p * (1 - p);
  for (let k = 0; k <= d; k++) {
    const value = at(k);
    if (value === 0) continue;
    add(gradient, k, pull * value);
    const row = curvature[k] as Float64Array;
    for (let j = 0; j <= d; j++) add(row, j, bend * value * at(j));
  }
}

/** Gauss with pivoting; both arguments are used up. */
function solve(matrix: readonly Float64Array[], right: Float64Array): Float64Array {
  const rows = [...matrix];
  const n = right.length;
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let i = k + 1; i < n; i++) {
      if (Math.abs(rows[i]?.[k] as number) > Math.abs(rows[best]?.[k] as number)) best = i;
    }
    [rows[k], rows[best]] = [rows[best] as Float64Array, rows[k] as Float64Array];
    [right[k], right[best]] = [right[best] as number, right[k] as number];
    const pivot = rows[k] as Float64Array;
    for (let i = k + 1; i < n; i++) {
      const row = rows[i] as Float64Array;
      const factor = (row[k] as number) / (pivot[k] as number);
      if (factor === 0) continue;
      for (let j = k; j < n; j++) add(row, j, -factor * (pivot[j] as number));
      add(right, i, -factor * (right[k] as number));
    }
  }
  const out = new Float64Array(n);
  for (let k = n - 1; k >= 0; k--) {
    const row = rows[k] as Float64Array;
    let sum = right[k] as number;
    for (let j = k + 1; j < n; j++) sum -= (row[j] as number) * (out[j] as number);
    out[k] = sum / (row[k] as number);
  }
  return out;
}

function add(array: Float64Array, at: number, value: number): void {
  array[at] = (array[at] as number) + value;
}
