import { expect, test } from "vitest";
import { argumentLines, readParts } from "./read-parts.ts";

test.each([
  [[{ type: "text", text: "Done." }], [{ kind: "text", text: "Done." }]],
  ["a summary", [{ kind: "text", text: "a summary" }]],
  [[{ type: "reasoning", text: "Hm." }], [{ kind: "thought", text: "Hm." }]],
  [
    [{ type: "tool-call", toolCallId: "t", toolName: "refund", input: { order: 17 } }],
    [{ kind: "call", tool: "refund", input: { order: 17 } }],
  ],
  [
    [{ type: "tool-call", tool_call_id: "t", tool_name: "refund", input: {} }],
    [{ kind: "call", tool: "refund", input: {} }],
  ],
  [
    [
      {
        type: "tool-result",
        toolCallId: "t",
        toolName: "refund",
        output: { type: "json", value: { ok: 1 } },
      },
    ],
    [{ kind: "result", tool: "refund", value: { ok: 1 }, failed: false }],
  ],
  [
    [{ type: "tool-result", toolName: "refund", output: { type: "error-json", value: { code: "x" } } }],
    [{ kind: "result", tool: "refund", value: { code: "x" }, failed: true }],
  ],
  [
    [{ type: "tool-result", tool_name: "refund", output: { type: "a", value: 2 }, is_error: true }],
    [{ kind: "result", tool: "refund", value: { type: "a", value: 2 }, failed: true }],
  ],
  [
    [{ type: "file", mediaType: "image/png", filename: "map.png", source: {} }],
    [{ kind: "file", name: "map.png, image/png" }],
  ],
  [[{ type: "image", mime_type: "image/png", data: "eA==" }], [{ kind: "file", name: "image/png" }]],
  [[{ type: "newer", what: 1 }], [{ kind: "other", value: { type: "newer", what: 1 } }]],
  [[], []],
])("%j is read as parts for people", (value, parts) => {
  expect(readParts(value)).toEqual(parts);
});

test.each([[{ type: "text" }], [[1, 2]], [null], [undefined]])("%j is no list of parts", (value) => {
  expect(readParts(value)).toBeUndefined();
});

test("arguments are told one by one, texts without quotes", () => {
  expect(argumentLines({ to: "ann@example.com", amount: 20, tags: ["a"] })).toEqual([
    { name: "to", text: "ann@example.com" },
    { name: "amount", text: "20" },
    { name: "tags", text: '["a"]' },
  ]);
  expect(argumentLines([1])).toBeUndefined();
});
