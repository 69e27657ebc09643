import { expect, test } from "vitest";
import { driftOf, levelAt, lowerBy } from "./drift.ts";

const passes = (passed: number, of: number) => Array.from({ length: of }, (_, at) => (at < passed ? 1 : 0));

test.each([
  // [before, after, p]: scipy 1.17.1, fisher_exact(alternative="less")
  [passes(20, 20), passes(12, 20), 0.0016380016380016379],
  [passes(18, 20), passes(10, 20), 0.006907073925983827],
  [passes(95, 100), passes(80, 100), 0.001098616275992453],
  [passes(5, 5), passes(0, 5), 0.003968253968253969],
  [passes(10, 20), passes(10, 20), 0.6238144327180455],
  [passes(300, 400), passes(250, 400), 8.982562073819537e-5],
  // ttest_ind(equal_var=False, alternative="less")
  [[0.9, 0.8, 1, 0.7, 0.95], [0.5, 0.6, 0.4, 0.7, 0.55, 0.3], 0.0006892327404739357],
  [[0.2, 0.4, 0.3], [0.35, 0.3, 0.5, 0.1], 0.5468901375088056],
])("%j and %j have the p of a known program", (before, after, p) => {
  expect(lowerBy(before, after)).toBeCloseTo(p, 10);
});

test("all looks together spend five percent, whatever the number of scorers", () => {
  const sum = (scorers: number) =>
    Array.from({ length: 10_000 }, (_, at) => levelAt(at + 1, scorers)).reduce((all, each) => all + each, 0);
  expect(sum(1)).toBeLessThan(0.05);
  expect(sum(1)).toBeGreaterThan(0.0499);
  expect(sum(4) * 4).toBeLessThan(0.05);
});

/** The same numbers each time. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

/** Whether an alert is raised while 200 runs arrive, looked at after each twenty. */
function alerts(random: () => number, shareBefore: number, shareAfter: number, isGraded: boolean): boolean {
  const score = (share: number) => {
    const passed = random() < share ? 1 : 0;
    return isGraded ? (passed + random()) / 2 : passed;
  };
  const before = Array.from({ length: 60 }, () => score(shareBefore));
  const after: number[] = [];
  for (let look = 1; look <= 10; look++) {
    for (let at = 0; at < 20; at++) after.push(score(shareAfter));
    if (driftOf({ before, after, look, scorers: 1, drop: 0 }).isDrift) return true;
  }
  return false;
}

test.each([
  [0.95, false],
  [0.6, false],
  [0.7, true],
])(
  "nothing changed at %s: at most five of a hundred revisions raise an alert (graded: %s)",
  (share, isGraded) => {
    const random = randomFrom(7);
    const raised = Array.from({ length: 600 }, () => alerts(random, share, share, isGraded)).filter(
      Boolean,
    ).length;
    expect(raised / 600).toBeLessThanOrEqual(0.05);
  },
);

test.each([false, true])("a drop from 95 to 70 percent is found (graded: %s)", (isGraded) => {
  const random = randomFrom(11);
  const found = Array.from({ length: 100 }, () => alerts(random, 0.95, 0.7, isGraded)).filter(Boolean).length;
  expect(found).toBeGreaterThan(80);
});

test("a drop that is smaller than asked for, and a rise, are none", () => {
  const asked = { before: passes(380, 400), after: passes(340, 400), look: 1, scorers: 1 };
  expect(driftOf({ ...asked, drop: 0.05 }).isDrift).toBe(true);
  expect(driftOf({ ...asked, drop: 0.2 }).isDrift).toBe(false);
  expect(driftOf({ ...asked, before: asked.after, after: asked.before, drop: 0 }).isDrift).toBe(false);
});
