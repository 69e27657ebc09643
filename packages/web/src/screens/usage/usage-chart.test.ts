import type { Usage } from "@capstan/client";
import { expect, test } from "vitest";
import { chartOf } from "./usage-chart.ts";

const SUMS = {
  calls: 1,
  input_tokens: 10,
  output_tokens: 5,
  cached_input_tokens: 0,
  reasoning_tokens: 0,
  cost_usd: 2,
  unpriced_calls: 0,
};
const usage: Usage = {
  from: "2026-03-01T05:00:00.000Z",
  to: "2026-03-04T04:00:00.000Z",
  bucket: "day",
  group_by: "agent",
  total: SUMS,
  groups: [{ key: "a", name: "Helper", ...SUMS }],
  points: [
    { at: "2026-03-03T00:00:00.000Z", key: "a", ...SUMS },
    { at: "2026-03-01T00:00:00.000Z", key: "other", ...SUMS },
  ],
};

test("every day of the period has its place, also one without a call", () => {
  const { labels, series } = chartOf(usage, "cost");
  expect(labels).toEqual(["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"]);
  expect(series).toEqual([
    { name: "Helper", values: [0, 0, 2, 0] },
    { name: "Other", values: [2, 0, 0, 0] },
  ]);
});

test("tokens are those in and out", () => {
  expect(chartOf(usage, "tokens").series[0]?.values).toEqual([0, 0, 15, 0]);
});
