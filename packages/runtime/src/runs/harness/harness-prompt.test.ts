import type { ConversationMessage } from "@capstan/core/internal";
import { describe, expect, test } from "vitest";
import { promptAfter, promptAfterCrash } from "./harness-prompt.ts";

const user = (id: string, text: string): ConversationMessage => ({
  id,
  role: "user",
  content: [{ type: "text", text }],
});
const said = (id: string, text: string): ConversationMessage => ({
  id,
  role: "assistant",
  content: [{ type: "text", text }],
});
const called: ConversationMessage = {
  id: "c",
  role: "assistant",
  content: [{ type: "tool-call", toolCallId: "1", toolName: "send", input: { to: "a@b.c" } }],
};
const result: ConversationMessage = {
  id: "r",
  role: "tool",
  content: [
    { type: "tool-result", toolCallId: "1", toolName: "send", output: { type: "text", value: "sent" } },
  ],
};

describe("a program that knows the rest gets", () => {
  test("only the new message", () => {
    const { prompt } = promptAfter([user("1", "hi"), said("2", "hello"), user("3", "and now?")], "2");
    expect(prompt).toBe("and now?");
  });

  test("the result of its call, and a request to continue", () => {
    const { prompt } = promptAfter([user("1", "mail it"), called, result], "c");
    expect(prompt).toMatch(
      /You called send\(\{"to":"a@b.c"\}\). Its result: sent[\s\S]*Continue from there\.$/,
    );
    expect(prompt).not.toContain("mail it");
  });

  test("what another agent said in between", () => {
    const { prompt } = promptAfter(
      [user("1", "a"), said("2", "b"), user("3", "c"), said("4", "d"), user("5", "e")],
      "2",
    );
    expect(prompt).toMatch(/^\[What happened meanwhile:\]\nUser: c\nYou: d\n[\s\S]*\n\ne$/);
  });
});

test("a program that knows nothing gets the whole conversation", () => {
  const { prompt } = promptAfter([user("1", "a"), called, result, said("4", "b"), user("5", "c")], undefined);
  expect(prompt).toMatch(
    /^\[The conversation so far:\]\nUser: a\nYou called send[\s\S]*You: b\n[\s\S]*\n\nc$/,
  );
});

test("a first message is passed unchanged", () => {
  expect(promptAfter([user("1", "hi")], undefined).prompt).toBe("hi");
});

test("a stopped program is asked to continue, with the answers that came meanwhile", () => {
  const { prompt } = promptAfterCrash([user("1", "mail it"), called, result], [result]);
  expect(prompt).toMatch(/You were interrupted[\s\S]*Its result: sent[\s\S]*mail it$/);
});

test("files are passed with the new message", () => {
  const file = { type: "file", mediaType: "image/png", source: { type: "session", path: "/a.png" } } as const;
  const message: ConversationMessage = {
    id: "1",
    role: "user",
    content: [{ type: "text", text: "see" }, file],
  };
  expect(promptAfter([message], undefined).files).toEqual([file]);
});

test.each([
  ["write_todos", { todos: [{ content: "Sail", status: "pending" }] }],
  ["my_own_checklist", { todos: [{ content: "Sail", status: "pending" }] }],
  ["a_plan", { plan: [{ step: "Sail", status: "pending" }] }],
])(
  "a list of tasks that stands in the part that is cut off is told, whichever tool wrote it: %s",
  (toolName, input) => {
    const listed: ConversationMessage = {
      id: "l",
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: "1", toolName, input }],
    };
    const long = said("2", "x".repeat(250_000));
    const { prompt } = promptAfter([user("1", "a"), listed, long, user("3", "b")], undefined);
    expect(prompt).toContain(`[Your list of tasks, as you last wrote it: ${JSON.stringify(input)}]`);
  },
);
