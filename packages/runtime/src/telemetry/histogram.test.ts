import { expect, test } from "vitest";
import { createHistogram } from "./histogram.ts";

test("counts each value in every bucket at or above it", () => {
  const histogram = createHistogram([1, 10]);
  for (const value of [0.5, 1, 5, 100]) histogram.add(value);
  expect(histogram.buckets()).toEqual([
    { le: 1, count: 2 },
    { le: 10, count: 3 },
    { le: Number.POSITIVE_INFINITY, count: 4 },
  ]);
  expect([histogram.count, histogram.sum]).toEqual([4, 106.5]);
});
