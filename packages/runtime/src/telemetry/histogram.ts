/** Counts of values below fixed bounds, for Prometheus: cheap enough for every call. */
export interface Histogram {
  add(value: number): void;
  /** Each bound with the number of values at or below it; the last bound is infinite. */
  buckets(): readonly { readonly le: number; readonly count: number }[];
  readonly count: number;
  readonly sum: number;
}

export function createHistogram(bounds: readonly number[]): Histogram {
  const counts = new Array<number>(bounds.length + 1).fill(0);
  let sum = 0;
  let count = 0;
  return {
    add(value) {
      const at = bounds.findIndex((bound) => value <= bound);
      const bucket = at < 0 ? bounds.length : at;
      counts[bucket] = (counts[bucket] ?? 0) + 1;
      sum += value;
      count++;
    },
    buckets() {
      let below = 0;
      return [...bounds, Number.POSITIVE_INFINITY].map((le, at) => {
        below += counts[at] ?? 0;
        return { le, count: below };
      });
    },
    get count() {
      return count;
    },
    get sum() {
      return sum;
    },
  };
}
