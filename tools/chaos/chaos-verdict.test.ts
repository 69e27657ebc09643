import { expect, test } from "vitest";
import type { ChaosCounts } from "./chaos.ts";
import { judgeCalls } from "./chaos-verdict.ts";

const NOTHING = { toolRuns: 0, committedCalls: 0, ranAgainBeforeCommit: 0, committedCallsRepeated: 0 };

test.each<[string, number[], number[], Partial<ChaosCounts>, RegExp | undefined]>([
  ["that ran once is fine", [10], [20], { toolRuns: 1, committedCalls: 1 }, undefined],
  [
    "that ran again before its result was stored is fine",
    [10, 15],
    [20],
    { ranAgainBeforeCommit: 1 },
    undefined,
  ],
  ["that ran again after that is not", [10, 25], [20], { committedCallsRepeated: 1 }, /ran again after/],
  ["with two results is not", [10], [20, 21], {}, /has 2 results/],
  ["with a result that never ran is not", [], [20], {}, /never ran/],
])("a call %s", (_what, ran, stored, expected, fault) => {
  const world = { counts: { ...NOTHING } as unknown as ChaosCounts, faults: [] as string[] };
  const calls = (times: number[]) => new Map(times.length > 0 ? [["call:0", times] as const] : []);
  judgeCalls(calls(ran), calls(stored), world);
  expect(world.counts).toMatchObject(expected);
  expect(world.faults).toEqual(fault ? [expect.stringMatching(fault)] : []);
});
