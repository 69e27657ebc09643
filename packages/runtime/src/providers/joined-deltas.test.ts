import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deltaJoiner } from "./joined-deltas.ts";

const event = (delta: object, more: object = {}, top: object = {}) =>
  `data: ${JSON.stringify({ id: "c1", choices: [{ index: 0, delta, finish_reason: null, ...more }], ...top })}\n\n`;
const text = (content: string) => event({ content });
const said = (content: string, note: string) =>
  text(content).replace('"id"', `"note":{"content":"${note}"},"id"`);

describe("events that arrive together", () => {
  test("are joined when they are deltas of one text", () => {
    expect(pass([text("Hel") + text("lo ") + text("there")])).toBe(text("Hello there"));
  });

  test.each([
    ["quotes", ["a", '"', "b"]],
    ["escapes", ["a", "\\", "n", "\n", "b"]],
    ["what looks like the end of an event", ["a", '"},"finish_reason":null}]}', "b"]],
    ["the name of the field", ["a", '"content":"', "b"]],
    ["nothing", ["a", "", "b"]],
  ])("are joined when their text contains %s", (_what, parts) => {
    expect(pass([parts.map(text).join("")])).toBe(text(parts.join("")));
  });

  test("are joined whatever other fields are called content", () => {
    expect(pass([said("a", "a") + said("a", "b")])).toBe(said("aa", "a"));
  });

  test.each([
    ["a single event", text("a")],
    ["a tool call", text("a") + event({ tool_calls: [{ index: 0, function: { arguments: "{" } }] })],
    ["thoughts", event({ reasoning_content: "a" }) + event({ reasoning_content: "b" })],
    ["the end", text("a") + event({ content: "b" }, { finish_reason: "stop" })],
    ["the price", text("a") + event({ content: "b" }, {}, { usage: { total_tokens: 3 } })],
    ["another choice", text("a") + event({ content: "b" }, { index: 1 })],
    ["another answer", text("a") + text("b").replace("c1", "c2")],
    ["probabilities", event({ content: "a" }, { logprobs: {} }) + event({ content: "b" }, { logprobs: {} })],
    ["an error", `${text("a")}data: {"error":{"message":"overloaded"}}\n\n`],
    ["text that is not JSON", 'data: {"broken\n\ndata: [DONE]\n\n: comment\n\n'],
    ["other line ends", 'data: {"choices":[]}\r\n\r\ndata: [DONE]\r\n\r\n'],
    ["an event in several lines", `event: x\n${text("a")}event: x\n${text("b")}`],
  ])("pass unchanged: %s", (_what, stream) => {
    expect(pass([stream])).toBe(stream);
  });

  test("give the same text, wherever the network splits them", () => {
    const piece = fc.oneof(fc.string({ minLength: 1 }), fc.string({ unit: "binary", minLength: 1 }));
    const pieces = fc.array(piece, { maxLength: 20 });
    fc.assert(
      fc.property(pieces, fc.array(fc.nat(2000), { maxLength: 8 }), (parts, cuts) => {
        const bytes = Buffer.from(`${parts.map(text).join("")}data: [DONE]\n\n`);
        const said = pass(cut(bytes, cuts))
          .split("\n\n")
          .flatMap((line) => (line.startsWith("data: {") ? [JSON.parse(line.slice(6))] : []))
          .map(({ choices }) => choices[0].delta.content);
        expect(said.join("")).toBe(parts.join("").toWellFormed());
      }),
    );
  });
});

function pass(chunks: readonly (string | Buffer)[]): string {
  const joiner = deltaJoiner();
  const out = chunks.map((chunk) => joiner.take(Buffer.from(chunk as string)));
  return Buffer.concat([...out, joiner.rest()]).toString("utf8");
}

function cut(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [...new Set([0, ...cuts.map((each) => Math.min(each, bytes.length)), bytes.length])];
  at.sort((a, b) => a - b);
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
}
