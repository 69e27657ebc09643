import { describe, expect, test } from "vitest";
import type { Reserving, UsedUp } from "./budget-ledger.ts";
import { BudgetWaits } from "./budget-waits.ts";

const never = new AbortController().signal;
const BUDGET = { id: "b", name: "rate", atLimit: "wait" } as UsedUp["budget"];
const usedUpUntil = (endsAt: Date, budget = BUDGET): UsedUp => ({ budget, subject: "", endsAt }) as UsedUp;

/** A budget with room for a few in each period; periods follow each other as fast as they are waited for. */
function rationed(perPeriod: number, weights: Readonly<Record<string, number>> = {}) {
  let left = 0;
  let periods = 0;
  const served: string[] = [];
  const waits = new BudgetWaits(() => new Date(0));
  const soon = () => usedUpUntil(new Date(1));
  const join = (user: string, more: { signal?: AbortSignal; until?: number } = {}) =>
    waits.wait(soon(), {
      user,
      weight: () => weights[user] ?? 1,
      signal: more.signal ?? never,
      nextTry: ({ endsAt }) => (periods < (more.until ?? Number.POSITIVE_INFINITY) ? endsAt : undefined),
      reserve: async (): Promise<Reserving> => {
        if (left === 0 && !isNew) {
          isNew = true;
          periods += 1;
          left = perPeriod;
          return { kind: "used_up", usedUp: soon() };
        }
        isNew = false;
        left -= 1;
        served.push(user);
        return { kind: "reserved", counted: true } as unknown as Reserving;
      },
    });
  let isNew = true;
  left = perPeriod;
  return { join, served };
}

describe("runs that wait for a budget", () => {
  test("take turns by user: one is not behind another's hundreds", async () => {
    const { join, served } = rationed(1);
    const anns = Array.from({ length: 300 }, () => join("ann"));
    await Promise.all([...anns, join("bob")]);
    expect(served).toHaveLength(301);
    expect(served.indexOf("bob")).toBeLessThanOrEqual(1);
  });

  test("of weight 3 are served three times as often as those of weight 1", async () => {
    const { join, served } = rationed(2, { ann: 3 });
    const all = ["bob", "ann"].flatMap((user) => Array.from({ length: 100 }, () => join(user)));
    await Promise.all(all);
    const first = served.slice(0, 80);
    expect(first.filter((user) => user === "ann").length).toBeGreaterThanOrEqual(58);
    expect(first.filter((user) => user === "ann").length).toBeLessThanOrEqual(62);
  });

  test("end when they are stopped, or have no time until the next period", async () => {
    const { join } = rationed(1);
    const stop = new AbortController();
    const stopped = join("ann", { signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(stopped).rejects.toThrow("enough");
    const late = await Promise.all([join("bob"), join("bob", { until: 1 })]);
    expect(late.map(({ kind }) => kind).sort()).toEqual(["reserved", "used_up"]);
  });
});
