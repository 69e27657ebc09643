import { fail, ok } from "@capstan/core";
import { describe, expect, test } from "vitest";
import { createDatabaseRetry, unreachable } from "./database-retry.ts";

const AWAY = Object.assign(new Error("stopping"), { code: "57P01" });

describe("a step that needs the database", () => {
  test("runs once when the database is reachable", async () => {
    const { withRetry, pauses } = clocked(30_000);
    expect(await withRetry(async () => 42)).toBe(42);
    expect(pauses).toEqual([]);
  });

  test.each<[string, () => Promise<unknown>]>([
    ["throws", () => Promise.reject(AWAY)],
    ["is refused", async () => fail("database_unreachable", { location: "here", why: "cut" })],
  ])(
    "is retried, at growing intervals, while it %s because the database is unreachable",
    async (_how, away) => {
      const { withRetry, pauses, told } = clocked(30_000);
      let calls = 0;
      expect(await withRetry(async () => (++calls <= 6 ? away() : "there"))).toBe("there");
      expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 4000]);
      expect(told).toHaveLength(6);
    },
  );

  test("gives up with the last error when the time is over, and never sleeps longer than that", async () => {
    const { withRetry, pauses } = clocked(5000);
    await expect(withRetry(() => Promise.reject(AWAY))).rejects.toBe(AWAY);
    expect(pauses.reduce((sum, ms) => sum + ms, 0)).toBe(5000);
  });

  test("has the full time again in a later outage", async () => {
    const { withRetry, pauses } = clocked(600);
    await expect(withRetry(() => Promise.reject(AWAY))).rejects.toBe(AWAY);
    await expect(withRetry(() => Promise.reject(AWAY))).rejects.toBe(AWAY);
    expect(pauses).toEqual([250, 350, 250, 350]);
  });

  test.each<[string, unknown]>([
    ["a wrong password", Object.assign(new Error("password"), { code: "28P01" })],
    ["a bug of ours", new TypeError("x is undefined")],
  ])("is not retried for %s", async (_what, error) => {
    const { withRetry, pauses } = clocked(30_000);
    await expect(withRetry(() => Promise.reject(error))).rejects.toBe(error);
    expect(pauses).toEqual([]);
  });

  test("passes on any other refusal, and values that are not results", async () => {
    const { withRetry } = clocked(30_000);
    const refused = fail("data_folder_locked", { folder: "f", holder: 1 });
    expect(await withRetry(async () => refused)).toBe(refused);
    expect(await withRetry(async () => undefined)).toBe(undefined);
    expect(await withRetry(async () => ok(1))).toEqual(ok(1));
  });
});

test("an outage is reported with its next step, and a bug of ours is not called one", () => {
  expect(unreachable(AWAY).failure).toMatchObject({ code: "database_unreachable" });
  expect(() => unreachable(new TypeError("ours"))).toThrow("ours");
});

function clocked(waitMs: number) {
  let now = 0;
  const pauses: number[] = [];
  const told: string[] = [];
  const withRetry = createDatabaseRetry({
    waitMs,
    onWait: ({ why }) => told.push(why),
    now: () => now,
    pause: async (ms) => {
      pauses.push(ms);
      now += ms;
    },
  });
  return { withRetry, pauses, told };
}
