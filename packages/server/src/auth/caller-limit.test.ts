import { expect, test } from "vitest";
import { callerLimit } from "./caller-limit.ts";

test("a request refused for one caller does not count in the global limit", () => {
  const check = callerLimit({ ofOne: 2, ofAll: 5 }, () => 0);
  const passed = (caller: string, times: number) =>
    Array.from({ length: times }, () => check(caller)).filter((reached) => reached === undefined).length;
  expect([passed("eve", 100), passed("mia", 100), passed("tom", 100), passed("ann", 100)]).toEqual([
    2, 2, 1, 0,
  ]);
});

test("says which limit was reached and how long to wait", () => {
  const check = callerLimit({ ofOne: 1, ofAll: 2 }, () => 0);
  expect(check("eve")).toBeUndefined();
  expect(check("eve")).toEqual({ perMinute: 1, retryAfterSeconds: 60 });
  expect(check("mia")).toBeUndefined();
  expect(check("tom")).toEqual({ perMinute: 2, retryAfterSeconds: 30 });
});
