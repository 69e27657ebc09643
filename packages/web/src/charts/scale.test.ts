import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { linePath, ticks } from "./scale.ts";

describe("a chart's scale", () => {
  test.each([
    [0, [0, 1]],
    [1, [0, 0.5, 1]],
    [87, [0, 50, 100]],
    [100, [0, 50, 100]],
    [130, [0, 50, 100, 150]],
  ])("has round ticks up to %d", (most, expected) => {
    expect(ticks(most)).toEqual(expected);
  });

  test("always reaches the largest value, in few ticks", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e12, noNaN: true }), (most) => {
        const all = ticks(most);
        expect(all.at(-1)).toBeGreaterThanOrEqual(most * 0.999999);
        expect(all.length).toBeLessThanOrEqual(6);
      }),
    );
  });
});

describe("a line", () => {
  test("breaks where a value is missing", () => {
    const points = [
      { x: 0, y: 10 },
      { x: 5, y: null },
      { x: 10, y: 20 },
      { x: 15, y: 25 },
    ];
    expect(linePath(points)).toBe("M0 10h0M10 20h0L15 25");
  });
});
