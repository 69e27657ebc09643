import { describe, expect, test } from "vitest";
import { agUiMessages } from "./ag-ui-messages.ts";
import { type ConversationMessage, pendingCalls, textOf } from "./messages.ts";

const call = (toolCallId: string) =>
  ({ type: "tool-call", toolCallId, toolName: "add", input: { a: 1 } }) as const;
const assistant = (
  ...content: Extract<ConversationMessage, { role: "assistant" }>["content"]
): ConversationMessage => ({
  id: "m",
  role: "assistant",
  content,
});

describe("the conversation as AG-UI messages", () => {
  test.each<[string, ConversationMessage, object[]]>([
    [
      "a text",
      { id: "u", role: "user", content: [{ type: "text", text: "hi" }] },
      [{ id: "u", role: "user", content: "hi" }],
    ],
    [
      "what the engine added for the model stays hidden",
      {
        id: "u",
        role: "user",
        content: [
          { type: "text", text: "hi" },
          { type: "text", text: "[feedback]", origin: "feedback" },
        ],
      },
      [{ id: "u", role: "user", content: "hi" }],
    ],
    [
      "an attachment",
      {
        id: "u",
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "file", mediaType: "image/png", source: { type: "data", base64: "AA==" } },
          { type: "file", mediaType: "application/pdf", source: { type: "session", path: "/a.pdf" } },
        ],
      },
      [
        {
          id: "u",
          role: "user",
          content: [
            { type: "text", text: "look" },
            { type: "image", source: { type: "data", value: "AA==", mimeType: "image/png" } },
            {
              type: "document",
              source: { type: "file", value: "/a.pdf", provider: "capstan", mimeType: "application/pdf" },
            },
          ],
        },
      ],
    ],
    [
      "reasoning, an answer and calls",
      assistant(
        { type: "reasoning", text: "hm", providerOptions: { p: { signature: "s" } } },
        { type: "text", text: "Adding." },
        call("c1"),
        call("c2"),
      ),
      [
        { id: "m.r", role: "reasoning", content: "hm", encryptedValue: '{"p":{"signature":"s"}}' },
        { id: "m", role: "assistant", content: "Adding.", toolCalls: [{ id: "c1" }, { id: "c2" }] },
      ],
    ],
    [
      "calls alone",
      assistant(call("c1")),
      [
        {
          id: "m",
          role: "assistant",
          toolCalls: [{ id: "c1", type: "function", function: { name: "add", arguments: '{"a":1}' } }],
        },
      ],
    ],
    [
      "text after calls becomes a separate message",
      assistant(call("c1"), { type: "text", text: "Later." }),
      [
        { id: "m", role: "assistant", toolCalls: [{ id: "c1" }] },
        { id: "m.1", role: "assistant", content: "Later." },
      ],
    ],
    [
      "a refusal",
      {
        id: "t",
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "c1",
            toolName: "add",
            output: { type: "error-json", value: { code: "tool_denied" } },
          },
        ],
      },
      [
        {
          id: "t",
          role: "tool",
          toolCallId: "c1",
          content: '{"code":"tool_denied"}',
          error: '{"code":"tool_denied"}',
        },
      ],
    ],
  ])("show %s", (_what, message, shown) => {
    expect(agUiMessages([message])).toMatchObject(shown);
    expect(agUiMessages([message])).toHaveLength(shown.length);
  });
});

describe("open calls", () => {
  const result = (toolCallId: string): ConversationMessage => ({
    id: `r-${toolCallId}`,
    role: "tool",
    content: [{ type: "tool-result", toolCallId, toolName: "add", output: { type: "text", value: "2" } }],
  });
  const user: ConversationMessage = { id: "u", role: "user", content: [{ type: "text", text: "hi" }] };

  test.each<[string, ConversationMessage[], string[]]>([
    ["none in an empty conversation", [], []],
    ["those without a result", [user, assistant(call("c1"), call("c2")), result("c2")], ["c1"]],
    ["none when all are answered", [user, assistant(call("c1")), result("c1")], []],
    ["none after the next user message", [user, assistant(call("c1")), user], []],
  ])("are %s", (_what, messages, ids) => {
    expect(pendingCalls(messages).map(({ toolCallId }) => toolCallId)).toEqual(ids);
  });

  test("leave a text that people can read", () => {
    expect(textOf(assistant({ type: "text", text: "a" }, call("c"), { type: "text", text: "b" }))).toBe("ab");
    expect(textOf(result("c"))).toBe("2");
  });
});
