import { expect, test } from "vitest";
import { failureClass, type StepRecord, summarise } from "./telemetry-summary.ts";

const record = (over: Partial<StepRecord>): StepRecord => ({
  ts: "2026-02-15T07:30:59.901Z",
  capabilityId: "company.plan",
  step: 1,
  latencyMs: 188,
  failureClass: "success",
  fallbackUsed: false,
  status: 200,
  ...over,
});

test("summarises the specification's example", () => {
  const records = [
    record({ latencyMs: 188 }),
    record({ latencyMs: 214, failureClass: "http_error", status: 502 }),
    record({ capabilityId: "research.search", latencyMs: 84, fallbackUsed: true, step: 2 }),
    record({ capabilityId: "research.search", latencyMs: 84, ts: "2026-02-15T07:31:02.120Z" }),
  ];
  expect(summarise(records)).toEqual({
    total: 4,
    successful: 3,
    successRate: 0.75,
    fallbackUsed: 1,
    fallbackRate: 0.25,
    avgLatencyMs: 143,
    byCapability: {
      "company.plan": { count: 2, errors: 1, avgLatencyMs: 201 },
      "research.search": { count: 2, errors: 0, avgLatencyMs: 84 },
    },
    latestTimestamp: "2026-02-15T07:31:02.120Z",
  });
});

test("a dry run is counted, but not in the success rate or the latency", () => {
  expect(summarise([record({}), record({ failureClass: "dry_run", latencyMs: 0 })])).toMatchObject({
    total: 2,
    successful: 1,
    successRate: 1,
    avgLatencyMs: 188,
    byCapability: { "company.plan": { count: 2, errors: 0, avgLatencyMs: 188 } },
  });
});

test("an empty record gives zeros", () => {
  expect(summarise([])).toEqual({
    total: 0,
    successful: 0,
    successRate: 0,
    fallbackUsed: 0,
    fallbackRate: 0,
    avgLatencyMs: 0,
    byCapability: {},
    latestTimestamp: null,
  });
});

test.each([
  [{ ok: true, status: 200, dryRun: false }, "success"],
  [{ ok: false, status: 502, dryRun: false }, "http_error"],
  [{ ok: false, dryRun: false }, "runtime_error"],
  [{ ok: true, dryRun: true }, "dry_run"],
] as const)("%j is of class %s", (step, expected) => {
  expect(failureClass(step)).toBe(expected);
});
