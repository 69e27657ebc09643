import { describe, expect, test } from "vitest";
import { CONFIDENCE_FLOORS, whatToConfirm } from "./confirmation.ts";

const step = { capabilityId: "company.create" };

describe("guesses cause no side effects", () => {
  test.each([
    ["read", 0.2, true],
    ["read", 0.05, false],
    ["write", 0.17, false],
    ["write", 0.49, false],
    ["write", 0.5, true],
    ["irreversible", 0.79, false],
    ["irreversible", 0.8, true],
  ] as const)("what is %s at confidence %d is executed: %s", (risk, confidence, executed) => {
    expect(whatToConfirm({ ...step, risk, confidence }).length === 0).toBe(executed);
  });

  test("the riskier a call, the more certain it must be", () => {
    expect(CONFIDENCE_FLOORS.read).toBeLessThan(CONFIDENCE_FLOORS.write);
    expect(CONFIDENCE_FLOORS.write).toBeLessThan(CONFIDENCE_FLOORS.irreversible);
  });

  test("a guessed input requires confirmation however certain the capability is, unless the tool only reads", () => {
    expect(whatToConfirm({ ...step, risk: "write", confidence: 1, guessed: ["body"] })[0]).toMatch(/body/);
    expect(whatToConfirm({ ...step, risk: "read", confidence: 1, guessed: ["body"] })).toEqual([]);
  });

  test("a file that no parameter takes suggests another tool was meant", () => {
    const certain = { ...step, confidence: 1, unplaced: ["logo.png"] };
    expect(whatToConfirm({ ...certain, risk: "write" })[0]).toMatch(/logo\.png/);
    expect(whatToConfirm({ ...certain, risk: "read" })).toEqual([]);
  });

  test("an irreversible step does not take input from another step without confirmation", () => {
    const takes = [{ input: "body", fromStep: 1 }];
    expect(whatToConfirm({ ...step, risk: "irreversible", confidence: 1, takes })[0]).toMatch(/body/);
    expect(whatToConfirm({ ...step, risk: "write", confidence: 1, takes })).toEqual([]);
  });
});
