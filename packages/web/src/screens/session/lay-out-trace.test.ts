import type { TraceSpan } from "@capstan/client";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { layOut } from "./lay-out-trace.ts";

const span = (startMs: number, duration_ms: number, more: object = {}): TraceSpan => ({
  id: String(startMs),
  kind: "tool",
  name: "add",
  state: "done",
  started_at: new Date(startMs).toISOString(),
  duration_ms,
  ...more,
});

describe("a trace laid out", () => {
  test("places spans by when they began and how long they took", () => {
    const { placed, totalMs } = layOut([span(1_000, 50), span(1_050, 50)]);
    expect(totalMs).toBe(100);
    expect(placed).toMatchObject([
      { leftPercent: 0, widthPercent: 50 },
      { leftPercent: 50, widthPercent: 50 },
    ]);
  });

  test("cuts an hour in which only a person was waited for, and marks where", () => {
    const hour = 3_600_000;
    const { placed, breaks, totalMs } = layOut([
      span(0, 50),
      span(50, hour, { kind: "gate" }),
      span(hour + 50, 50),
    ]);
    expect(totalMs).toBe(hour + 100);
    expect(
      placed.map(({ leftPercent, widthPercent }) => [leftPercent, widthPercent].map(Math.round)),
    ).toEqual([
      [0, 40],
      [40, 20],
      [60, 40],
    ]);
    expect(breaks).toEqual([{ atPercent: expect.closeTo(50), cutMs: hour - 25 }]);
  });

  test("draws a short wait to scale, without a mark", () => {
    const { placed, breaks } = layOut([span(0, 40), span(40, 10, { kind: "gate" }), span(50, 50)]);
    expect(placed[1]).toMatchObject({ leftPercent: 40, widthPercent: 10 });
    expect(breaks).toEqual([]);
  });

  test("draws a wait in full while something else works", () => {
    const { placed } = layOut([span(0, 100), span(0, 50, { kind: "gate" })]);
    expect(placed).toMatchObject([{ widthPercent: 100 }, { leftPercent: 0, widthPercent: 50 }]);
  });

  test("keeps every span visible and inside", () => {
    const one = fc.tuple(fc.nat(10_000), fc.nat(10_000), fc.constantFrom("tool", "gate"));
    const spans = fc.array(one, { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(spans, (times) => {
        const { placed } = layOut(times.map(([at, ms, kind]) => span(at, ms, { kind })));
        for (const { leftPercent, widthPercent } of placed) {
          expect(leftPercent).toBeGreaterThanOrEqual(0);
          expect(widthPercent).toBeGreaterThanOrEqual(0.59);
          expect(leftPercent + widthPercent).toBeLessThanOrEqual(100.001);
        }
      }),
    );
  });
});
