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

  test("keeps every span visible and inside", () => {
    const spans = fc.array(fc.tuple(fc.nat(10_000), fc.nat(10_000)), { minLength: 1 });
    fc.assert(
      fc.property(spans, (times) => {
        for (const { leftPercent, widthPercent } of layOut(times.map(([at, ms]) => span(at, ms))).placed) {
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
