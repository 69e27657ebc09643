import { expect, test } from "vitest";
import { roundedUsd } from "./rounded-usd.ts";

test.each([
  [59.809999999999995, 59.81],
  [0.1 + 0.2, 0.3],
  [0.0000014999999999999998, 0.000001],
  [1234.5678914, 1234.567891],
  [0, 0],
  [20, 20],
])("%d dollars are answered as %d", (sum, answered) => {
  expect(roundedUsd(sum)).toBe(answered);
});

test("a cost below a millionth of a dollar is not answered as free", () => {
  expect(roundedUsd(0.00000012345)).toBe(0.00000012);
});
