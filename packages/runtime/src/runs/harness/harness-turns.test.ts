import type { RunEvent } from "@capstan/core";
import { describe, expect, test } from "vitest";
import { HarnessTurns } from "./harness-turns.ts";

function newTurns() {
  const events: RunEvent[] = [];
  return { events, turns: new HarnessTurns([], (event) => events.push(event)) };
}

describe("a turn", () => {
  test("collects text and calls until the first result", () => {
    const { turns } = newTurns();
    turns.say("text-delta", "Both. ");
    const first = turns.call("1", "add", {}, false);
    const second = turns.call("2", "add", {}, false);
    expect(second.turn).toBe(first.turn);
    expect(turns.message(first.turn).content.map(({ type }) => type)).toEqual([
      "text",
      "tool-call",
      "tool-call",
    ]);
    expect(turns.call("3", "add", {}, false).turn).not.toBe(first.turn);
  });

  test("holds the next turn's results until all of its own are there", async () => {
    const { turns } = newTurns();
    const one = turns.call("1", "add", {}, false);
    turns.call("2", "add", {}, false);
    turns.message(one.turn);
    const next = turns.call("3", "add", {}, false);
    let isReady = false;
    const ready = next.turn.ready.then(() => {
      isReady = true;
    });
    turns.markAnswered(one.turn, "1");
    await Promise.resolve();
    expect(isReady).toBe(false);
    turns.markAnswered(one.turn, "2");
    await ready;
    expect(isReady).toBe(true);
  });

  test("gives a call with a reused number a unique id", () => {
    const { turns } = newTurns();
    const one = turns.call("1", "add", {}, false);
    turns.message(one.turn);
    expect(turns.call("1", "add", {}, false).part.toolCallId).not.toBe(one.part.toolCallId);
  });

  test("marks calls of the program's own tools", () => {
    const { turns, events } = newTurns();
    turns.call("1", "add", {}, false);
    turns.call("2", "Bash", {}, true);
    const marks = events.flatMap((event) => (event.type === "TOOL_CALL_START" ? [event.metadata] : []));
    expect(marks).toEqual([undefined, { native: true }]);
  });
});
