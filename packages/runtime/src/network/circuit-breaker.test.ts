import { describe, expect, test } from "vitest";
import { admit, type Breaker, CLOSED_BREAKER, settle } from "./circuit-breaker.ts";

const RULES = { failuresToOpen: 3, restMs: 1000 };

describe("a circuit breaker", () => {
  test("opens after repeated failures and refuses while it is open", () => {
    const open = failTimes(3);
    expect(open).toMatchObject({ state: "open", failures: 3 });
    expect(admit(open, 500, RULES).pass).toBe(false);
  });

  test("stays closed below the limit, and resets at the first success", () => {
    const two = failTimes(2);
    expect(two.state).toBe("closed");
    expect(settle(two, true, 0, RULES)).toEqual(CLOSED_BREAKER);
  });

  test("lets exactly one call through after its pause", () => {
    const { pass, next } = admit(failTimes(3), 1000, RULES);
    expect([pass, next.state]).toEqual([true, "half_open"]);
    expect(admit(next, 1001, RULES).pass).toBe(false);
  });

  test("closes when the trial succeeds, opens again when it fails", () => {
    const { next } = admit(failTimes(3), 1000, RULES);
    expect(settle(next, true, 1001, RULES)).toEqual(CLOSED_BREAKER);
    expect(settle(next, false, 1001, RULES)).toMatchObject({ state: "open", openedAt: 1001 });
  });

  test("a trial that never returned does not keep it open forever", () => {
    const { next } = admit(failTimes(3), 1000, RULES);
    expect(admit(next, 2000, RULES).pass).toBe(true);
  });
});

function failTimes(times: number): Breaker {
  let breaker = CLOSED_BREAKER;
  for (let i = 0; i < times; i++) breaker = settle(breaker, false, 0, RULES);
  return breaker;
}
