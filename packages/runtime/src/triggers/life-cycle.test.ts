import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  advance,
  DEFAULT_RETRY,
  NEW_TRIGGER,
  pauseMs,
  type TriggerEvent,
  type TriggerState,
} from "./life-cycle.ts";

const at = (nowMs: number) => ({ policy: DEFAULT_RETRY, nowMs });

describe("the life cycle of a trigger", () => {
  test("goes pending, processing, done", () => {
    expect(after([{ type: "claimed", owner: "a" }, { type: "succeeded" }])).toEqual({
      status: "done",
      attempts: 1,
    });
  });

  test("goes back with a pause when an attempt fails", () => {
    const state = after(
      [
        { type: "claimed", owner: "a" },
        { type: "attempt-failed", reason: "no" },
      ],
      1000,
    );
    expect(state).toEqual({ status: "pending", attempts: 1, notBeforeMs: 3000 });
    expect(advance(state, { type: "claimed", owner: "b" }, at(2999)).ok).toBe(false);
    expect(advance(state, { type: "claimed", owner: "b" }, at(3000)).ok).toBe(true);
  });

  test("is due immediately when its process died", () => {
    expect(
      after([
        { type: "claimed", owner: "a" },
        { type: "owner-died", owner: "a" },
      ]),
    ).toMatchObject({ status: "pending", notBeforeMs: 0 });
  });

  test("is not taken from a live process", () => {
    const state = after([{ type: "claimed", owner: "a" }]);
    expect(advance(state, { type: "owner-died", owner: "b" }, at(0)).ok).toBe(false);
  });

  test.each(["attempt-failed", "owner-died"] as const)("fails for good after five times %s", (type) => {
    let state: TriggerState = NEW_TRIGGER;
    for (let attempt = 1; attempt <= 5; attempt++) {
      state = step(state, { type: "claimed", owner: "a" }, 1e12);
      state = step(state, { type, owner: "a", reason: "no" }, 0);
    }
    expect(state).toMatchObject({ status: "failed", attempts: 5 });
  });

  test("starts over when a person retries it", () => {
    expect(step({ status: "failed", attempts: 5, reason: "no" }, { type: "retry-asked" }, 0)).toEqual(
      NEW_TRIGGER,
    );
  });

  test.each(["done", "deduped", "dropped"] as const)("never leaves %s", (status) => {
    const state = { status, attempts: 1, reason: "" } as TriggerState;
    for (const event of EVENTS) expect(advance(state, event, at(0)).ok).toBe(false);
  });

  test("never has more attempts than allowed, whatever happens", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...EVENTS.filter(({ type }) => type !== "retry-asked"))),
        (events) => {
          let state: TriggerState = NEW_TRIGGER;
          for (const event of events) {
            const next = advance(state, event, at(1e15));
            if (next.ok) state = next.value;
          }
          expect(state.attempts).toBeLessThanOrEqual(DEFAULT_RETRY.maxAttempts);
        },
      ),
    );
  });
});

test("pauses double up to the longest", () => {
  expect([1, 2, 3, 4, 20].map((attempts) => pauseMs(attempts, DEFAULT_RETRY))).toEqual([
    2000, 4000, 8000, 16_000, 300_000,
  ]);
});

const EVENTS: TriggerEvent[] = [
  { type: "claimed", owner: "a" },
  { type: "succeeded" },
  { type: "attempt-failed", reason: "no" },
  { type: "owner-died", owner: "a" },
  { type: "found-duplicate", reason: "seen" },
  { type: "retry-asked" },
  { type: "drop-asked" },
];

function step(state: TriggerState, event: TriggerEvent, nowMs: number): TriggerState {
  const next = advance(state, event, at(nowMs));
  if (!next.ok) throw new Error(next.failure.message);
  return next.value;
}

function after(events: TriggerEvent[], nowMs = 0): TriggerState {
  return events.reduce<TriggerState>((state, event) => step(state, event, nowMs), NEW_TRIGGER);
}
