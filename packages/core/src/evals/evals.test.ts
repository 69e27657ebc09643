/** Cases of a dataset: made of recorded runs and files, without secrets, and complete enough to be replayed. */
import { describe, expect, test } from "vitest";
import type { ConversationMessage } from "../messages.ts";
import type { RecordedCall } from "../replay/recording.ts";
import type { FindSpans } from "../text-checks/text-check.ts";
import { readCsv } from "./csv.ts";
import { itemOfRun, recordingOfItem } from "./dataset-item.ts";
import { scrub } from "./scrub.ts";

const call = (fields: Partial<RecordedCall>): RecordedCall => ({
  id: "c",
  turn: 0,
  tool: "find",
  input: { id: "17" },
  gate: "allowed",
  ...fields,
});
const said = (role: "user" | "assistant", text: string): ConversationMessage => ({
  id: text,
  role,
  content: [{ type: "text", text }],
});
const figures = { answer: "Done.", outcome: "done", tokens: 5, costUsd: 0.1, modelMs: 20 };

describe("a recorded run as an item", () => {
  const calls = [
    call({ id: "a", output: { type: "json", value: { order: 17 } } }),
    call({
      id: "b",
      turn: 1,
      tool: "refund",
      gate: "denied",
      output: { type: "error-json", value: { code: "rule_denied", message: "no", nextStep: "ask" } },
    }),
  ];
  const before = [said("user", "Hi"), said("assistant", "Hello"), said("user", "Refund 17")];
  const item = itemOfRun("one", { before, calls, ...figures });

  test("has the message, what was said before, each call with its result, and the answer", () => {
    expect(item).toEqual({
      id: "one",
      input: "Refund 17",
      history: [
        { role: "user", text: "Hi" },
        { role: "assistant", text: "Hello" },
      ],
      stubs: [
        { tool: "find", input: { id: "17" }, output: { order: 17 }, turn: 0 },
        {
          tool: "refund",
          input: { id: "17" },
          error: { code: "rule_denied", message: "no", nextStep: "ask" },
          turn: 1,
          gate: "denied",
        },
      ],
      recorded: { answer: "Done.", outcome: "done", tokens: 5, cost_usd: 0.1, model_ms: 20 },
    });
  });

  test("gives a replay the same calls and results again", () => {
    const recording = recordingOfItem(item);
    const results = recording.calls.map(({ turn, tool, input, gate, output }) => ({
      turn,
      tool,
      input,
      gate,
      output,
    }));
    expect(results).toEqual(
      calls.map(({ turn, tool, input, gate, output }) => ({ turn, tool, input, gate, output })),
    );
    expect(recording.before.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(recording.messages.map(({ role }) => role)).toEqual([
      "assistant",
      "tool",
      "assistant",
      "tool",
      "assistant",
    ]);
  });

  test("takes a stub without arguments for a stand-in", () => {
    const { calls: made, standIns } = recordingOfItem({
      id: "x",
      input: "hi",
      stubs: [{ tool: "find", output: "nothing" }],
    });
    expect([made, standIns]).toEqual([[], [{ tool: "find", output: "nothing" }]]);
  });
});

describe("scrubbing", () => {
  const secret: FindSpans = (line) =>
    [...line.matchAll(/sk-\w{8,}/g)].map((found) => [found.index, found.index + found[0].length] as const);
  const KEY = "sk-abcdefgh12";

  test("gives the same secret the same placeholder, and says where it was", () => {
    const item = {
      input: `Use ${KEY} and sk-otherother`,
      stubs: [{ input: { key: KEY }, output: `ok ${KEY}` }],
    };
    const { value, scrubbed } = scrub(item, { secret });
    expect(value).toEqual({
      input: "Use [secret 2] and [secret 1]",
      stubs: [{ input: { key: "[secret 2]" }, output: "ok [secret 2]" }],
    });
    expect(scrubbed.map(({ path }) => path)).toEqual([
      "/input",
      "/input",
      "/stubs/0/input/key",
      "/stubs/0/output",
    ]);
    expect(JSON.stringify(scrubbed)).not.toContain("sk-");
  });

  test("takes out what a field's name says is secret, also where it is repeated in a sentence", () => {
    const { value, scrubbed } = scrub({ password: "correct horse", text: "It is correct horse." }, {});
    expect(value).toEqual({ password: "[secret 1]", text: "It is [secret 1]." });
    expect(scrubbed.map(({ path }) => path)).toEqual(["/password", "/text"]);
  });

  test("leaves everything else as it is", () => {
    const item = { total_tokens: 5, tokens: "five", secretary: "Ada", list: [1, null, "x"] };
    expect(scrub(item, { secret })).toEqual({ value: item, scrubbed: [] });
  });
});

describe("CSV", () => {
  test.each<[string, unknown]>([
    ["id,input\n1,hello\n", [{ id: "1", input: "hello" }]],
    ['\uFEFFid,input\r\n1,"a, ""b""\nc"\r\n\r\n', [{ id: "1", input: 'a, "b"\nc' }]],
    ["id,input\n1,", [{ id: "1", input: "" }]],
    ["id,input\n'-5,=x", [{ id: "-5", input: "=x" }]],
  ])("%j is read", (text, rows) => {
    expect(readCsv(text)).toEqual({ ok: true, value: rows });
  });

  test("with an open quote is refused by its row", () => {
    expect(readCsv('id,input\n1,"never closed\n')).toEqual({
      ok: false,
      where: "row 2: a quote that is not closed",
    });
  });
});
