import { describe, expect, test } from "vitest";
import { probability } from "./confidence.ts";
import { type OwnAnswer, ownShift, rawShift } from "./own-accuracy.ts";

const answers = (right: number, of: number, odds = 0): OwnAnswer[] =>
  Array.from({ length: of }, (_, at) => ({ odds, right: at < right }));

describe("what a catalog's own triggers show about confidence", () => {
  test("a catalog whose capabilities are told apart more often than said makes confidence grow, and the other way round", () => {
    expect(ownShift(answers(78, 80), 0)).toBeGreaterThan(0);
    expect(ownShift(answers(20, 80), 0)).toBeLessThan(0);
  });

  test("is nothing when it shows what other catalogs' triggers show, or has no triggers", () => {
    const some = answers(70, 80, 1);
    expect(ownShift(some, rawShift(some))).toBe(0);
    expect(ownShift([], 0.63)).toBe(0);
  });

  test("makes the model say on average what is shown", () => {
    const mixed = [...answers(30, 40, 2), ...answers(10, 40, -1)];
    const shift = rawShift(mixed);
    const said = mixed.reduce((sum, { odds }) => sum + probability(odds + shift), 0) / mixed.length;
    expect(said).toBeCloseTo(41 / 82, 6);
  });

  test("is bounded when every trigger is right, or none", () => {
    expect(rawShift(answers(80, 80))).toBeLessThan(6);
    expect(rawShift(answers(0, 80))).toBeGreaterThan(-6);
  });
});
