import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { laneOf, startable, type WaitingTrigger } from "./lanes.ts";

describe("lanes", () => {
  test("start the oldest of each user and capability", () => {
    const waiting = [
      trigger("b", 2),
      trigger("a", 1),
      trigger("c", 3, { user: "other@x.org" }),
      trigger("d", 0, { capability: "helpdesk" }),
    ];
    expect(ids(startable(waiting, new Set(), 0))).toEqual(["d", "a", "c"]);
  });

  test("are separated by address, case-insensitively", () => {
    expect(
      ids(
        startable([trigger("a", 1, { user: "A@x.org" }), trigger("b", 2, { user: "a@x.org" })], new Set(), 0),
      ),
    ).toEqual(["a"]);
  });

  test("wait while one of theirs runs", () => {
    const waiting = [trigger("a", 1)];
    expect(startable(waiting, new Set(waiting.map(laneOf)), 0)).toEqual([]);
  });

  test("are held by a trigger that waits for its retry", () => {
    const waiting = [
      trigger("a", 1, { notBeforeMs: 500 }),
      trigger("b", 2),
      trigger("c", 3, { user: "other@x.org" }),
    ];
    expect(ids(startable(waiting, new Set(), 499))).toEqual(["c"]);
    expect(ids(startable(waiting, new Set(), 500))).toEqual(["a", "c"]);
  });

  test("are emptied in order, whatever order the files are found in", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([5, 1, 4, 2, 3], { minLength: 5 }), (times) => {
        const waiting = times.map((time) => trigger(`t${time}`, time));
        const order: string[] = [];
        while (waiting.length > 0) {
          const [next] = startable(waiting, new Set(), 0);
          if (!next) break;
          order.push(next.id);
          waiting.splice(waiting.indexOf(next), 1);
        }
        expect(order).toEqual(["t1", "t2", "t3", "t4", "t5"]);
      }),
    );
  });
});

function trigger(id: string, createdAtMs: number, change: Partial<WaitingTrigger> = {}): WaitingTrigger {
  return { id, createdAtMs, user: "user@x.org", capability: "inbox", notBeforeMs: 0, ...change };
}

const ids = (triggers: WaitingTrigger[]) => triggers.map(({ id }) => id);
