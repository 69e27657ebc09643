/** Times as counts by size: bucket b holds those up to 2^(b/2) ms, so that a percentile is right to a fifth at any scale. */

export interface BucketCount {
  readonly bucket: number;
  readonly calls: number;
}

const LARGEST = 60; // 2^30 ms, twelve days

export const bucketOf = (ms: number): number =>
  Math.min(LARGEST, Math.max(0, Math.ceil(2 * Math.log2(Math.max(1, ms)))));

const upperMs = (bucket: number): number => 2 ** (bucket / 2);
const lowerMs = (bucket: number): number => (bucket === 0 ? 0 : upperMs(bucket - 1));

/** The time that `share` of the calls stayed within: interpolated in its bucket, and never above the longest call. */
export function percentile(counts: readonly BucketCount[], share: number, maxMs: number): number {
  const sorted = counts.toSorted((a, b) => a.bucket - b.bucket);
  const wanted = share * sorted.reduce((sum, { calls }) => sum + calls, 0);
  let before = 0;
  for (const { bucket, calls } of sorted) {
    if (before + calls >= wanted && calls > 0) {
      const lower = lowerMs(bucket);
      const within = ((wanted - before) / calls) * (upperMs(bucket) - lower);
      return Math.min(maxMs, Math.round(lower + within));
    }
    before += calls;
  }
  return maxMs;
}
