import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  alertReached,
  budgetFault,
  budgetSentence,
  forecastOf,
  type SpendingBudget,
  subjectOf,
} from "./budget.ts";

const budget = (fields: Partial<SpendingBudget> = {}): SpendingBudget => ({
  id: "b",
  name: "b",
  measure: "cost_usd",
  limit: 5,
  period: "day",
  timeZone: "UTC",
  atLimit: "ask",
  ...fields,
});
const ada = { agentId: "a1", user: "ada@example.com" };

describe("a budget counts what it names", () => {
  test.each<[Partial<SpendingBudget>, object, string | undefined]>([
    [{}, {}, ""],
    [{ user: "ada@example.com" }, {}, ""],
    [{ user: "bob@example.com" }, {}, undefined],
    [{ agentId: "a1" }, {}, ""],
    [{ agentId: "a2" }, {}, undefined],
    [{ forEach: "user" }, {}, "ada@example.com"],
    [{ forEach: "agent" }, {}, "a1"],
    [{ forEach: "user", agentId: "a2" }, {}, undefined],
    [{ measure: "calls", capabilityId: "web" }, { capabilityId: "web" }, ""],
    [{ measure: "calls", capabilityId: "web" }, { capabilityId: "files" }, undefined],
    [{ measure: "calls", capabilityId: "web" }, {}, undefined],
  ])("%j with %j: %j", (fields, spender, subject) => {
    expect(subjectOf(budget(fields), { ...ada, ...spender })).toBe(subject);
  });
});

test.each<[Partial<SpendingBudget>, RegExp | undefined]>([
  [{ capabilityId: "web" }, /counts calls/],
  [{ capabilityId: "web", measure: "calls" }, undefined],
  [{ forEach: "user", user: "ada@example.com" }, /one user/],
  [{ forEach: "agent", agentId: "a1" }, /one agent/],
  [{ forEach: "agent", user: "ada@example.com" }, undefined],
])("a budget that could never count is named: %j", (fields, fault) => {
  const found = budgetFault(budget(fields));
  if (fault) expect(found).toMatch(fault);
  else expect(found).toBeUndefined();
});

test.each([
  [0, 0],
  [2.49, 0],
  [2.5, 50],
  [4, 80],
  [4.99, 80],
  [5, 100],
  [9, 100],
])("%d of 5 raises the alert at %d percent", (spent, alert) => {
  expect(alertReached(spent, 5)).toBe(alert);
});

describe("the forecast", () => {
  const start = new Date("2026-01-01T00:00:00Z");
  const end = new Date("2026-01-02T00:00:00Z");
  test("is the pace so far, to the end of the period", () => {
    const noon = new Date("2026-01-01T12:00:00Z");
    expect(forecastOf({ spent: 2, limit: 5, start, end }, noon)).toEqual({ amount: 4 });
    expect(forecastOf({ spent: 4, limit: 5, start, end }, noon)).toEqual({
      amount: 8,
      reachedAt: new Date("2026-01-01T15:00:00Z"),
    });
  });
  test("says nothing in the first hundredth of the period", () => {
    expect(forecastOf({ spent: 2, limit: 5, start, end }, new Date("2026-01-01T00:10:00Z"))).toBeUndefined();
  });
  test("never promises a moment outside the period", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 10, noNaN: true }),
        fc.integer({ min: 900, max: 86_399 }),
        (spent, second) => {
          const now = new Date(start.getTime() + second * 1000);
          const reachedAt = forecastOf({ spent, limit: 5, start, end }, now)?.reachedAt;
          return reachedAt === undefined || (reachedAt >= now && reachedAt <= end);
        },
      ),
    );
  });
});

test("a budget says itself in words", () => {
  const { id: _, name: __, ...fields } = budget({ forEach: "user", atLimit: "deny" });
  expect(budgetSentence(fields)).toBe("$5.00 a day for each user, then refuse");
  expect(
    budgetSentence({
      ...fields,
      forEach: undefined,
      measure: "calls",
      limit: 20,
      period: "week",
      capabilityId: "web",
    }),
  ).toBe("20 calls a week of web, then refuse");
});
