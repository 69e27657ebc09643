import type { ConversationMessage } from "@capstan/core/internal";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fitWindow } from "./window.ts";

const countTokens = (text: string) => text.length;
const fit = (messages: readonly ConversationMessage[], limitTokens: number) =>
  fitWindow(messages, { limitTokens, countTokens, replacing: new Set(["write_todos"]) });

describe("the window", () => {
  test("leaves a conversation that fits unchanged", () => {
    const messages = [user("hello"), answer("hi")];
    expect(fit(messages, 1000)).toMatchObject({ messages, leftOutMessages: 0 });
  });

  test("first removes calls that a later one replaces, and keeps the latest", () => {
    const messages = [
      user("go"),
      ...call("1", "write_todos", "a".repeat(300)),
      ...call("2", "web_fetch", "page ".repeat(20)),
      ...call("3", "write_todos", "b".repeat(300)),
    ];
    const fitted = fit(messages, 720);
    expect(fitted).toMatchObject({ replacedCalls: 1, shortenedResults: 0, leftOutMessages: 0 });
    expect(callIds(fitted.messages)).toEqual(["2", "3"]);
  });

  test("then shortens old tool results, except in the last step", () => {
    const messages = [
      user("go"),
      ...call("1", "read", "x".repeat(3000)),
      ...call("2", "read", "y".repeat(1000)),
    ];
    const fitted = fit(messages, 2500);
    expect(fitted).toMatchObject({ shortenedResults: 1, leftOutMessages: 0 });
    expect(JSON.stringify(fitted.messages)).toContain("[shortened: 2600 more characters]");
    expect(JSON.stringify(fitted.messages)).toContain("y".repeat(1000));
  });

  test("then drops the oldest turns", () => {
    const messages = [
      user("one".repeat(100)),
      answer("1"),
      user("two".repeat(100)),
      answer("2"),
      user("three"),
    ];
    const fitted = fit(messages, 500);
    expect(fitted.leftOutMessages).toBe(2);
    expect(fitted.messages[0]).toMatchObject({ role: "user", content: [{ text: "two".repeat(100) }] });
  });

  test("keeps the message to answer, whatever it costs", () => {
    const messages = [user("old"), answer("x".repeat(500)), user("y".repeat(5000))];
    expect(fit(messages, 100).messages).toEqual([messages[2]]);
  });

  test("drops the oldest steps of a turn that is too long by itself", () => {
    const steps = Array.from({ length: 40 }, (_, at) => call(`${at}`, "read", "z".repeat(300))).flat();
    const fitted = fit([user("go"), ...steps], 3000);
    expect(fitted.messages[0]).toMatchObject({ role: "user" });
    expect(callIds(fitted.messages).at(-1)).toBe("39");
    expect(fitted.tokens).toBeLessThanOrEqual(3000);
  });

  test("does not move the start at every step: the provider's cache would never hit", () => {
    const messages: ConversationMessage[] = [];
    const firsts: string[] = [];
    for (let turn = 0; turn < 60; turn++) {
      messages.push(user(`turn ${turn} ${"w".repeat(100)}`), answer("ok".repeat(50)));
      firsts.push(JSON.stringify(fit(messages, 4000).messages[0]));
    }
    expect(new Set(firsts).size).toBeLessThan(12);
  });

  test("repairs a call without a result, and drops a result without a call", () => {
    const [asked] = call("1", "read", "x");
    const orphan = call("9", "read", "x")[1] as ConversationMessage;
    const fitted = fit([orphan, user("go"), asked as ConversationMessage, user("again")], 10_000);
    expect(callIds(fitted.messages)).toEqual(["1"]);
    expect(resultIds(fitted.messages)).toEqual(["1"]);
    expect(fitted.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  });

  test("orders results like their calls", () => {
    const [first, one] = call("1", "read", "1") as [ConversationMessage, ConversationMessage];
    const [second, two] = call("2", "read", "2") as [ConversationMessage, ConversationMessage];
    const both = { ...first, content: [...first.content, ...second.content] } as ConversationMessage;
    expect(resultIds(fit([user("go"), both, two, one], 10_000).messages)).toEqual(["1", "2"]);
  });

  test("shows the model the edited arguments", () => {
    const [asked, done] = call("1", "send", "sent") as [ConversationMessage, ConversationMessage];
    const edited = {
      ...done,
      content: done.content.map((part) => ({ ...part, editedInput: { to: "b@example.com" } })),
    } as ConversationMessage;
    const [, shown] = fit([user("go"), asked, edited], 10_000).messages;
    expect(shown).toMatchObject({ content: [{ input: { to: "b@example.com" } }] });
  });

  test("never splits a pair, never starts with an answer, and fits whenever possible", () => {
    const step = fc.tuple(
      fc.constantFrom("read", "write_todos", "web_fetch"),
      fc.nat(2000).map((size) => "r".repeat(size)),
    );
    const turns = fc.array(fc.tuple(fc.nat(500), fc.array(step, { maxLength: 6 })), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(turns, fc.integer({ min: 2500, max: 9000 }), (shape, limit) => {
        let next = 0;
        const messages = shape.flatMap(([size, steps]) => [
          user("u".repeat(size)),
          ...steps.flatMap(([tool, result]) => call(`${next++}`, tool, result)),
        ]);
        const fitted = fit(messages, limit);
        expect(resultIds(fitted.messages)).toEqual(callIds(fitted.messages));
        expect(fitted.messages[0]?.role).toBe("user");
        expect(fitted.tokens).toBeLessThanOrEqual(limit);
        const lastUser = messages.findLast(({ role }) => role === "user");
        expect(fitted.messages).toContain(lastUser);
      }),
      { numRuns: 200 },
    );
  });
});

let made = 0;
const user = (text: string): ConversationMessage => ({
  id: `m${made++}`,
  role: "user",
  content: [{ type: "text", text }],
});
const answer = (text: string): ConversationMessage => ({
  id: `m${made++}`,
  role: "assistant",
  content: [{ type: "text", text }],
});
const call = (toolCallId: string, toolName: string, value: string): ConversationMessage[] => [
  {
    id: `m${made++}`,
    role: "assistant",
    content: [{ type: "tool-call", toolCallId, toolName, input: {} }],
  },
  {
    id: `m${made++}`,
    role: "tool",
    content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value } }],
  },
];
const callIds = (messages: readonly ConversationMessage[]) =>
  messages.flatMap(({ content }) =>
    content.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : [])),
  );
const resultIds = (messages: readonly ConversationMessage[]) =>
  messages.flatMap(({ content }) =>
    content.flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : [])),
  );
