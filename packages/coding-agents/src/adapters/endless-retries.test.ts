import type { AdapterEvent } from "@capstan/core/internal";
import { expect, test } from "vitest";
import { MAX_ENDLESS_RETRIES, withEndOfRetries } from "./endless-retries.ts";

const again: AdapterEvent = { type: "retry", message: "unable to connect", status: 503 };
const numbered: AdapterEvent = { ...again, attempt: 2 };
const said: AdapterEvent = { type: "text-delta", text: "hi" };
const times = (count: number, event: AdapterEvent) => Array<AdapterEvent>(count).fill(event);

test.each([
  ["one more try than is allowed ends the run", times(MAX_ENDLESS_RETRIES, again), 1],
  ["fewer do not", times(MAX_ENDLESS_RETRIES - 1, again), 0],
  ["tries that the program counts are left to it", times(MAX_ENDLESS_RETRIES, numbered), 0],
  [
    "a word of the model starts the count anew",
    [...times(MAX_ENDLESS_RETRIES - 1, again), said, ...times(MAX_ENDLESS_RETRIES - 1, again)],
    0,
  ],
])("%s", (_, events, ends) => {
  const reader = withEndOfRetries({ onLine: (line) => ({ events: [events[Number(line)] ?? said] }) });
  const told = events.flatMap((_, index) => reader.onLine(String(index)).events);
  expect(told.filter(({ type }) => type !== "run-ended")).toEqual(events); // nothing is left out
  expect(told.filter(({ type }) => type === "run-ended")).toEqual(
    times(ends, {
      type: "run-ended",
      outcome: "failed",
      status: 503,
      message: "The provider failed 5 times in a row. Last: unable to connect",
    }),
  );
});
