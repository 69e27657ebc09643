import fc from "fast-check";
import { expect, test } from "vitest";
import { bucketOf, percentile } from "./latency-buckets.ts";

const counted = (times: readonly number[]) =>
  [...Map.groupBy(times, bucketOf)].map(([bucket, all]) => ({ bucket, calls: all.length }));

test("a percentile from counts lies within one bucket of the true one", () => {
  const times = fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(times, fc.constantFrom(0.5, 0.95), (all, share) => {
      const sorted = all.toSorted((a, b) => a - b);
      const exact = sorted[Math.max(0, Math.ceil(share * all.length) - 1)] ?? 0;
      const guessed = percentile(counted(all), share, Math.max(...all));
      expect(Math.abs(bucketOf(guessed) - bucketOf(exact))).toBeLessThanOrEqual(1);
    }),
  );
});

test("is never above the longest call, and that one for no calls", () => {
  expect(percentile(counted([700]), 0.95, 700)).toBe(700);
  expect(percentile([], 0.5, 0)).toBe(0);
});
