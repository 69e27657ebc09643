import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ok } from "../result.ts";
import type { JsonValue } from "../schema.ts";
import { defineTool } from "../tool.ts";
import { compareReplay, type ReplaySide } from "./compare-replay.ts";
import { mayRunInReplay } from "./may-run-in-replay.ts";
import { createRecording, type RecordedCall } from "./recording.ts";
import type { ReplayCall } from "./replay-call.ts";

describe("a call is answered by the recording", () => {
  const mail = { to: "ann@example.com", subject: "The report for May", urgent: false };
  const recorded = [
    call("find", { id: "order-17" }),
    call("send", mail),
    call("find", { id: "order-17" }, 1, { output: { type: "text", value: "second" } }),
  ];

  test.each<[string, string, JsonValue, string | undefined]>([
    [
      "the same arguments, keys in another order",
      "send",
      { urgent: false, subject: mail.subject, to: mail.to },
      "exact",
    ],
    ["other spaces and letter case", "send", { ...mail, subject: " the REPORT  for may" }, "normalised"],
    ["an empty field more", "send", { ...mail, cc: [] }, "normalised"],
    ["most arguments the same", "send", { ...mail, subject: "The reports of May" }, "nearest"],
    ["another number in a name", "find", { id: "order-18" }, undefined],
    ["another tool", "pay", mail, undefined],
    ["hardly anything the same", "send", { to: "bob@test.org", body: "x" }, undefined],
  ])("%s: %s %j is %s", (_what, tool, input, kind) => {
    expect(createRecording(recorded).take(tool, input)?.kind).toBe(kind);
  });

  test("what was only near to a call still answers the call that it belongs to, and nothing twice", () => {
    const recording = createRecording([call("read", { url: "https://example.com/a-page" })]);
    const take = (url: string) => recording.take("read", { url: `https://example.com/${url}` })?.kind;
    expect([take("b-page"), take("a-page"), take("a-page"), take("b-page")]).toEqual([
      "nearest",
      "exact",
      undefined,
      undefined,
    ]);
  });

  test.each<[string, boolean, JsonValue, string | undefined]>([
    ["the model's own, while a person would change them again", true, { id: "a", amount: 100 }, "exact"],
    ["the person's, which the model has learned", true, { id: "a", amount: 40 }, "exact"],
    ["the person's, where nobody is asked any more", false, { id: "a", amount: 40 }, "exact"],
    ["the model's own, which never ran", false, { id: "a", amount: 100 }, "nearest"],
  ])("changed arguments: %s", (_what, isAsked, input, kind) => {
    const edited = call("pay", { id: "a", amount: 100 }, 0, { edited: { id: "a", amount: 40 } });
    expect(createRecording([edited]).take("pay", input, { isAsked })?.kind).toBe(kind);
  });

  test("each result once, in the recorded order", () => {
    const recording = createRecording(recorded);
    const take = () => recording.take("find", { id: "order-17" })?.call.output?.value;
    expect([take(), take(), take()]).toEqual(["done", "second", undefined]);
  });
});

describe("two conversations are compared", () => {
  const [a, b, c] = [{ n: "one" }, { n: "two" }, { n: "three" }];
  test.each<[string, [string, JsonValue][], [string, JsonValue][], string[]]>([
    [
      "nothing changed",
      [
        ["x", a],
        ["y", b],
      ],
      [
        ["x", a],
        ["y", b],
      ],
      ["same x", "same y"],
    ],
    [
      "a new call",
      [["x", a]],
      [
        ["x", a],
        ["y", b],
      ],
      ["same x", "new y"],
    ],
    [
      "a missing call",
      [
        ["x", a],
        ["y", b],
      ],
      [["y", b]],
      ["missing x", "same y"],
    ],
    [
      "other arguments",
      [
        ["x", a],
        ["y", b],
      ],
      [
        ["x", c],
        ["y", b],
      ],
      ["other_arguments x", "same y"],
    ],
    [
      "another order",
      [
        ["x", a],
        ["y", b],
      ],
      [
        ["y", b],
        ["x", a],
      ],
      ["same y", "other_order x"],
    ],
    ["another tool", [["x", a]], [["z", a]], ["missing x", "new z"]],
    ["nothing at all", [], [], []],
  ])("%s", (_what, before, after, expected) => {
    const { calls, verdict } = compareReplay(side(before), side(after));
    expect(calls.map(({ change, tool }) => `${change} ${tool}`)).toEqual(expected);
    expect(verdict).toBe(expected.every((each) => each.startsWith("same")) ? "same" : "changed");
  });

  test("calls of one answer have no order among themselves", () => {
    const first = [call("x", a, 0), call("y", b, 0)];
    const second = [call("y", b, 0), call("x", a, 0)];
    expect(compareReplay(side([], { calls: first }), side([], { calls: second })).verdict).toBe("same");
  });

  test("calls that were made at once and now one after the other are the same; what else was between them is not", () => {
    const atOnce = [call("x", a, 0), call("y", b, 0), call("x", c, 0)];
    const changes = (calls: ReplayCall[], before = atOnce) =>
      compareReplay(side([], { calls: before }), side([], { calls })).calls.map(({ change }) => change);
    const apart = [call("y", b, 0), call("x", c, 1), call("x", a, 2)];
    expect(changes(apart)).toEqual(["same", "same", "same"]);
    expect(changes(atOnce, apart)).toEqual(["same", "same", "same"]);
    expect(changes([call("y", b, 0), call("x", a, 1)], [call("x", a, 0), call("y", b, 1)])).toContain(
      "other_order",
    );
  });

  test.each<[string, ReplayCall["gate"], ReplayCall["gate"]]>([
    ["newly denied", "allowed", "denied"],
    ["newly asked", "allowed", "asked"],
    ["newly allowed", "asked", "allowed"],
    ["no longer denied", "denied", "allowed"],
  ])("a call that is %s is a difference of the gate", (_what, before, after) => {
    const compared = compareReplay(
      side([], { calls: [call("pay", a, 0, { gate: before })] }),
      side([], { calls: [call("pay", a, 0, { gate: after, why: "a rule" })] }),
    );
    expect(compared.verdict).toBe("changed");
    expect(compared.gate).toEqual([{ tool: "pay", input: a, before, after, why: "a rule" }]);
  });

  test("another answer is shown line by line; another spacing is not another answer", () => {
    const before = side([], { answer: "It is sunny.\nBring a hat." });
    const compared = compareReplay(before, side([], { answer: "It is sunny.\nBring a coat." }));
    expect(compared.verdict).toBe("changed");
    expect(compared.answer.lines.map(({ op }) => op)).toEqual(["same", "removed", "added"]);
    expect(compareReplay(before, side([], { answer: "It is sunny.\nBring a hat.\n" })).verdict).toBe("same");
  });

  test("a run that fails where it did not has changed", () => {
    expect(compareReplay(side([]), side([], { outcome: "run_step_limit" })).verdict).toBe("changed");
  });

  test("what comes after the place where a replay ended is not missing", () => {
    const before = side([], { calls: [call("x", a, 0), call("y", b, 1), call("z", c, 2)] });
    const after = side([], { calls: [call("x", a, 0), call("new", b, 1)] });
    const at = { turn: 1, tool: "new", input: b, why: "not recorded" };
    const { verdict, calls } = compareReplay(before, after, at);
    expect(verdict).toBe("diverged");
    expect(calls.map(({ change }) => change).sort()).toEqual(["new", "not_reached", "not_reached", "same"]);
  });
});

describe("in a replay", () => {
  test.each<[string, object, boolean]>([
    ["a tool that only reads", { risk: "read" }, true],
    ["a tool that is computed", { pure: true }, true],
    ["a tool that declares nothing", {}, false],
    ["a tool that writes", { risk: "write" }, false],
    ["a tool that reads and sends something out", { risk: "read", writes: "external" }, false],
    ["a tool that runs code", { risk: "read", runsCode: { sandboxed: true } }, false],
    ["a tool that changes rights", { risk: "read", changesRights: true }, false],
    ["a tool whose call a program of others makes", { risk: "read", runsElsewhere: true }, false],
    ["another agent", { risk: "read", subagent: { id: "a", name: "A" } }, false],
  ])("%s may run: %j %s", (_what, fields, may) => {
    const tool = defineTool({
      name: "t",
      description: "",
      input: z.object({}),
      run: () => ok(""),
      ...fields,
    });
    expect(mayRunInReplay(tool)).toBe(may);
  });
});

function call(tool: string, input: JsonValue, turn = 0, more: Partial<RecordedCall> = {}): RecordedCall {
  return {
    id: `${tool}-${turn}`,
    turn,
    tool,
    input,
    gate: "allowed",
    output: { type: "text", value: "done" },
    ...more,
  };
}

/** One call per answer. */
function side(calls: [string, JsonValue][], more: Partial<ReplaySide> = {}): ReplaySide {
  return {
    calls: calls.map(([tool, input], turn) => call(tool, input, turn)),
    answer: "Done.",
    outcome: "done",
    tokens: 0,
    costUsd: 0,
    modelMs: 0,
    ...more,
  };
}
