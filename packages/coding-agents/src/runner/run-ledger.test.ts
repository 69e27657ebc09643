import { type AdapterEvent, type CodingAgentEvent, type RunExit, runFaults } from "@capstan/core/internal";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRunLedger, type ForcedEnding } from "./run-ledger.ts";

const started: AdapterEvent = { type: "run-started", sessionId: "s1" };
const done: AdapterEvent = { type: "run-ended", outcome: "done" };
const opens = (id: string): AdapterEvent => ({ type: "tool-started", id, tool: "bash", input: {} });
const closes = (id: string): AdapterEvent => ({ type: "tool-ended", id });
const says = (text: string): AdapterEvent => ({ type: "text-delta", text });
const failed: AdapterEvent = { type: "error-seen", message: "no key" };
const retried: AdapterEvent = { type: "retry", message: "again" };

describe("the ledger of a run", () => {
  test("starts a run whose agent never reported a start, and emits early warnings after it", () => {
    const events = ledgerOf([{ type: "warning", message: "old config" }, says("hi"), done]);
    expect(events.map(({ type }) => type)).toEqual(["run-started", "warning", "text-delta", "run-ended"]);
  });

  test("starts a tool that only ended, and ends one that only started", () => {
    const events = ledgerOf([started, closes("a"), opens("b"), done]);
    expect(events.filter(({ type }) => type.startsWith("tool"))).toEqual([
      { type: "tool-started", id: "a", tool: "unknown", input: {} },
      { type: "tool-ended", id: "a", tool: "unknown" },
      opens("b"),
      { type: "tool-ended", id: "b", tool: "bash", isError: true, interrupted: true },
    ]);
  });

  test("holds the end back until the output is complete", () => {
    const ledger = createRunLedger("acme");
    expect(ledger.take([started, done, says("late")]).map(({ type }) => type)).toEqual([
      "run-started",
      "text-delta",
    ]);
    expect(ledger.settled).toBe(true);
    ledger.take([{ type: "turn-opened" }]);
    expect(ledger.settled).toBe(false);
  });

  test.each<[string, AdapterEvent[], AdapterEvent, string]>([
    ["that say nothing of the cause are about what was retried", [], failed, "coding_agent_rate_limited"],
    ["with a status of their own are not", [], { ...failed, status: 503 }, "coding_agent_provider_down"],
    ["after an answer are not", [says("an answer")], failed, "coding_agent_failed"],
  ])("a failure's words %s", (_, between, last, code) => {
    const ledger = createRunLedger("acme");
    ledger.take([started, { ...retried, status: 429 }, ...between, last]);
    expect(ledger.close({ code: 1, signal: null }, "", undefined).at(-1)).toMatchObject({ code });
  });

  test.each<[string, AdapterEvent[], RunExit, string]>([
    ["success comes from the terminal event", [done], { code: 1, signal: null }, "done"],
    ["an exit code of 0 is not a success", [], { code: 0, signal: null }, "failed"],
    ["another code without a signal is a failure", [], { code: 2, signal: null }, "failed"],
    ["a killed program has failed, it was not aborted", [], { code: null, signal: "SIGTERM" }, "failed"],
    ["a recording that breaks off is neither", [], { code: null, signal: null }, "aborted"],
    ["an error that was seen is one", [failed], { code: 0, signal: null }, "failed"],
    ["an error that is retried is not", [failed, retried], { code: null, signal: null }, "aborted"],
    [
      "a new turn resets the last one's error",
      [failed, { type: "turn-opened" }],
      { code: null, signal: null },
      "aborted",
    ],
    [
      "a new turn resets the last one's success",
      [done, { type: "turn-opened" }],
      { code: null, signal: null },
      "aborted",
    ],
  ])("%s", (_, events, exit, outcome) => {
    expect(ledgerOf([started, ...events], exit).at(-1)).toMatchObject({ type: "run-ended", outcome });
  });

  test.each<[string, AdapterEvent[], RunExit, string]>([
    ["killed", [], { code: null, signal: "SIGKILL" }, "coding_agent_killed"],
    ["silent at the end", [], { code: 0, signal: null }, "coding_agent_protocol_broken"],
    [
      "refused with 401",
      [{ type: "error-seen", message: "no", status: 401 }],
      { code: 1, signal: null },
      "coding_agent_not_logged_in",
    ],
    [
      "refused with 429",
      [{ type: "error-seen", message: "no", status: 429 }],
      { code: 1, signal: null },
      "coding_agent_rate_limited",
    ],
    [
      "failed by its provider",
      [{ type: "run-ended", outcome: "failed", message: "500 oops" }],
      { code: 1, signal: null },
      "coding_agent_provider_down",
    ],
  ])("a run that was %s has a code and a next step", (_, events, exit, code) => {
    expect(ledgerOf([started, ...events], exit).at(-1)).toMatchObject({
      outcome: "failed",
      code,
      nextStep: expect.any(String),
    });
  });

  test("shows the last output when nothing else explains the end", () => {
    const [end] = ledgerOf([started], { code: 3, signal: null }, "panic: out of cheese").slice(-1);
    expect(end).toMatchObject({ message: expect.stringContaining("panic: out of cheese") });
  });

  test("lets the runner override the outcome", () => {
    const forced: ForcedEnding = { outcome: "limit", limit: "turns", message: "3 turns" };
    const ledger = createRunLedger("acme");
    ledger.take([started, { type: "run-ended", outcome: "aborted" }]);
    expect(ledger.close({ code: 0, signal: null }, "", forced)).toEqual([
      { type: "run-ended", ...forced, sessionId: "s1" },
    ]);
  });

  test("counts turns by marks, else by rounds of tools", () => {
    const rounds = createRunLedger("acme");
    rounds.take([
      says("a"),
      opens("1"),
      opens("2"),
      closes("1"),
      closes("2"),
      says("b"),
      opens("3"),
      closes("3"),
      says("c"),
    ]);
    expect(rounds.turns).toBe(3);
    rounds.take([{ type: "model-turn" }]);
    expect(rounds.turns).toBe(1);
  });

  test("truncates a tool's output that would fill a client", () => {
    const output = "x".repeat(100_001);
    const end = ledgerOf([opens("a"), { type: "tool-ended", id: "a", output }]).find(
      ({ type }) => type === "tool-ended",
    );
    expect(end).toMatchObject({ output: expect.stringMatching(/x\n\[1 more characters\]$/) });
  });

  test("turns any events in any order into a legal run", () => {
    const id = fc.constantFrom("a", "b", "c");
    const event: fc.Arbitrary<AdapterEvent> = fc.oneof(
      id.map(opens),
      id.map(closes),
      fc.constantFrom<AdapterEvent>(
        started,
        done,
        failed,
        retried,
        says("x"),
        { type: "turn-opened" },
        { type: "model-turn" },
      ),
    );
    fc.assert(fc.property(fc.array(event), (events) => runFaults(ledgerOf(events)).length === 0));
  });

  test("emits nothing after the end", () => {
    const ledger = createRunLedger("acme");
    ledger.close({ code: 0, signal: null });
    expect([...ledger.take([says("more")]), ...ledger.close({ code: 0, signal: null })]).toEqual([]);
  });
});

function ledgerOf(
  events: AdapterEvent[],
  exit: RunExit = { code: 0, signal: null },
  last = "",
): CodingAgentEvent[] {
  const ledger = createRunLedger("acme");
  return [...events.flatMap((event) => ledger.take([event])), ...ledger.close(exit, last)];
}
