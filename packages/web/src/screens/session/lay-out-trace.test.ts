import type { TraceSpan } from "@capstan/client";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { layOut } from "./lay-out-trace.ts";

const span = (startMs: number, duration_ms: number, more: object = {}): TraceSpan => ({
  kind: "tool",
  name: "add",
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

  test("draws an hour in which only a person was waited for short, and says who answered", () => {
    const hour = 3_600_000;
    const { placed, totalMs } = layOut([
      span(0, 50),
      span(50, hour, { kind: "gate", decision: "approved", decided_by: "ann@example.com" }),
      span(hour + 50, 50),
    ]);
    expect(totalMs).toBe(hour + 100);
    expect(
      placed.map(({ leftPercent, widthPercent }) => [leftPercent, widthPercent].map(Math.round)),
    ).toEqual([
      [0, 46],
      [46, 7],
      [54, 46],
    ]);
    expect(placed[1]).toMatchObject({ facts: "approved by ann@example.com", durationMs: hour });
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

  test("says what a span cost, and how it failed", () => {
    const { placed } = layOut([
      span(0, 1, { usage: { inputTokens: 30, outputTokens: 12 }, failure_class: "runtime_error" }),
      span(0, 1, { failure_class: "success" }),
    ]);
    expect(placed).toMatchObject([
      { facts: "42 tok", failed: "runtime error" },
      { facts: "", failed: undefined },
    ]);
  });
});
