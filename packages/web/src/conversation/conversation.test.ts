import type { Message, SessionEvent } from "@capstan/client";
import type { RunEvent } from "@capstan/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Conversation } from "./conversation.ts";

describe("a conversation made of events", () => {
  test("is the same however the log is split and whatever is sent twice", () => {
    fc.assert(
      fc.property(someLog, somePlan, (log, plan) => {
        const whole = viewOf(log, STORED);
        const pieces = new Conversation();
        let at = 0;
        for (const { size, back, learns } of plan) {
          if (learns) pieces.learn(STORED);
          pieces.apply(log.slice(Math.max(0, at - back), at + size));
          at = Math.min(log.length, at + size);
          void pieces.view; // a page renders between batches; that must change nothing
        }
        pieces.apply(log.slice(Math.max(0, at - 3)));
        pieces.learn(STORED);
        expect(pieces.view).toEqual(whole);
      }),
    );
  });

  test("shows the streamed text, once and in order", () => {
    const deltas = fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(deltas, (words) => {
        const log = numbered([started("r1"), ...text("m1", words), finished("r1")]);
        expect(saidIn(log)).toMatchObject([{ kind: "text", text: words.join(""), done: true }]);
      }),
    );
  });

  test("does not mutate what was rendered before", () => {
    const conversation = new Conversation();
    const log = numbered([started("r1"), ...text("m1", ["a", "b", "c"])]);
    conversation.apply(log.slice(0, 3));
    const before = structuredClone(conversation.view);
    const rendered = conversation.view;
    conversation.apply(log);
    expect(rendered).toEqual(before);
    expect(conversation.view).not.toBe(rendered);
  });

  test("shows the question at the waiting tool call, and the result there", () => {
    const interrupt = { id: "approval-1", reason: "tool_call", toolCallId: "t1" };
    const asked = [
      started("r1"),
      ...call("t1", "delete_file", '{"path":"/a"}'),
      {
        type: "RUN_FINISHED",
        threadId: "s",
        runId: "r1",
        outcome: { type: "interrupt", interrupts: [interrupt] },
      },
    ] satisfies RunEvent[];
    const view = viewOf(numbered(asked));
    expect(saidIn(numbered(asked))).toMatchObject([
      { kind: "tool", id: "t1", interrupt: { id: "approval-1" } },
    ]);
    expect(view.runs).toMatchObject([{ status: "waiting" }]);
    const log = numbered([...asked, started("r1:1"), result("t1", '{"deleted":1}'), finished("r1:1")]);
    expect(saidIn(log)).toMatchObject([{ id: "t1", result: { text: '{"deleted":1}', failed: false } }]);
    expect(viewOf(log).runs).toMatchObject([{ status: "done" }]);
  });

  test("says that an answer was empty, and nothing of one that has words", () => {
    expect(saidIn(numbered([started("a"), finished("a")]))).toMatchObject([
      { kind: "notice", tone: "bad", text: "The model returned an empty answer." },
    ]);
    const spoken = numbered([started("a"), ...text("m", ["Yes."]), finished("a")]);
    expect(saidIn(spoken)).toMatchObject([{ kind: "text" }]);
  });

  test("recognises a refused call by its code, message and next step", () => {
    const refusal = JSON.stringify({ code: "scope_missing", message: "No.", nextStep: "Ask." });
    const log = numbered([started("r1"), ...call("t1", "send", "{}"), result("t1", refusal)]);
    expect(saidIn(log)).toMatchObject([{ result: { failed: true } }]);
  });

  test("keeps the todo list of the last call that wrote one", () => {
    const todos = (status: string) => JSON.stringify({ todos: [{ content: "Sail", status }] });
    const log = [
      started("r1"),
      ...call("t1", "write_todos", todos("pending")),
      ...call("t2", "work_write_todos", todos("completed")),
    ];
    expect(viewOf(numbered(log)).todos).toEqual([{ content: "Sail", status: "completed" }]);
  });

  test("recognises a todo list by its shape, whichever tool wrote it, and nothing else by its name", () => {
    const list = JSON.stringify({ todos: [{ content: "Sail", status: "pending" }] });
    const log = [
      started("r1"),
      ...call("t1", "TodoWrite", list),
      ...call("t2", "write_todos", JSON.stringify({ todos: ["Sail"] })),
    ];
    expect(viewOf(numbered(log)).todos).toEqual([{ content: "Sail", status: "pending" }]);
  });

  test("drops uncommitted text when a snapshot replaces it", () => {
    const log = numbered([
      started("r1"),
      ...text("m1", ["kept"]),
      { type: "CUSTOM", name: "capstan.warning", value: { message: "An image was left out." } },
      { type: "TEXT_MESSAGE_START", messageId: "m2", role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "m2", delta: "lost in the cra" },
      {
        type: "MESSAGES_SNAPSHOT",
        messages: [
          { id: "u1", role: "user", content: "hello" },
          { id: "m1", role: "assistant", content: "kept" },
        ],
      },
    ]);
    expect(saidIn(log)).toMatchObject([
      { kind: "text", text: "kept", done: true },
      { kind: "notice", text: "An image was left out." },
    ]);
  });

  test("shows the server's message when a run fails", () => {
    const log: RunEvent[] = [
      started("r1"),
      { type: "RUN_ERROR", message: "The key was refused.", metadata: { nextStep: "Replace it." } },
    ];
    expect(saidIn(numbered(log))).toMatchObject([
      { kind: "notice", tone: "bad", text: "The key was refused.", nextStep: "Replace it." },
    ]);
  });

  test("shows retries in one line, which is settled once the model answers", () => {
    const retrying = (attempt: number): RunEvent => ({
      type: "CUSTOM",
      name: "capstan.retrying",
      value: { attempt, wait_ms: 2_000, reason: "Too many requests." },
    });
    const log: RunEvent[] = [started("r1"), retrying(1), retrying(2)];
    expect(saidIn(numbered(log))).toMatchObject([
      { kind: "notice", tone: "warn", text: "Too many requests. Retrying in 2 s (attempt 3)…" },
    ]);
    expect(saidIn(numbered([...log, ...text("m1", ["hello"])]))).toMatchObject([
      { kind: "notice", tone: "plain", text: "Too many requests. Retried." },
      { kind: "text", text: "hello" },
    ]);
  });

  test("shows a person's message at the start of its run, whichever is known first", () => {
    const log = numbered([started("a"), ...text("m1", ["hello"]), finished("a")]);
    expect(viewOf(log, STORED).entries).toMatchObject([
      { kind: "user", id: "a", message: { id: "u-a", text: "word a" } },
      { kind: "text", text: "hello" },
      { kind: "user", id: "b", message: { text: "word b" } },
    ]);
  });

  test("shows the history of a forked session, which has no events, before its first run", () => {
    const past: Message[] = [
      stored("u0", 0, null, "user", [{ type: "text", text: "before" }]),
      stored("m0", 1, null, "assistant", [
        { type: "tool-call", tool_call_id: "t0", tool_name: "add", input: { a: 1 } },
      ]),
    ];
    const log = numbered([started("b")]);
    expect(viewOf(log, [...past, ...STORED.slice(1)]).entries).toMatchObject([
      { kind: "user", message: { text: "before" } },
      { kind: "tool", name: "add", argumentsText: '{"a":1}' },
      { kind: "user", message: { text: "word b" } },
    ]);
  });

  test("applies snapshots and patches to the shared state", () => {
    const log: RunEvent[] = [
      { type: "STATE_SNAPSHOT", snapshot: { a: 1, list: ["x"] } },
      { type: "STATE_DELTA", delta: [{ op: "add", path: "/list/-", value: "y" }] },
    ];
    expect(viewOf(numbered(log)).state).toEqual({ a: 1, list: ["x", "y"] });
  });
});

const numbered = (events: readonly RunEvent[]): SessionEvent[] =>
  events.map((event, index) => ({ seq: index + 1, event }));

function viewOf(log: readonly SessionEvent[], messages: readonly Message[] = []) {
  const conversation = new Conversation();
  conversation.apply(log);
  conversation.learn(messages);
  return conversation.view;
}

/** Without the people's turns, of which each run has one. */
const saidIn = (log: readonly SessionEvent[]) => viewOf(log).entries.filter(({ kind }) => kind !== "user");

const stored = (
  id: string,
  position: number,
  run_id: string | null,
  role: Message["role"],
  content: Message["content"],
): Message => ({ id, position, run_id, role, content, created_at: "2026-01-01T00:00:00Z" });

const STORED: Message[] = [
  stored("u-a", 10, "a", "user", [{ type: "text", text: "word a" }]),
  stored("u-b", 20, "b", "user", [{ type: "text", text: "word b" }]),
];

const started = (runId: string): RunEvent => ({ type: "RUN_STARTED", threadId: "s", runId });
const finished = (runId: string): RunEvent => ({
  type: "RUN_FINISHED",
  threadId: "s",
  runId,
  outcome: { type: "success" },
});
const text = (messageId: string, deltas: readonly string[]): RunEvent[] => [
  { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
  ...deltas.map((delta): RunEvent => ({ type: "TEXT_MESSAGE_CONTENT", messageId, delta })),
  { type: "TEXT_MESSAGE_END", messageId },
];
const call = (toolCallId: string, toolCallName: string, input: string): RunEvent[] => [
  { type: "TOOL_CALL_START", toolCallId, toolCallName },
  ...[...input].map((delta): RunEvent => ({ type: "TOOL_CALL_ARGS", toolCallId, delta })),
  { type: "TOOL_CALL_END", toolCallId },
];
const result = (toolCallId: string, content: string): RunEvent => ({
  type: "TOOL_CALL_RESULT",
  messageId: `${toolCallId}-result`,
  toolCallId,
  content,
});

/** Runs of text, thoughts, calls with or without an answer, notices, state and snapshots, in any order. */
const id = fc.constantFrom("a", "b", "c");
const block: fc.Arbitrary<RunEvent[]> = fc.oneof(
  fc.tuple(id, fc.array(fc.string(), { maxLength: 4 })).map(([messageId, deltas]) => text(messageId, deltas)),
  fc.tuple(id, fc.json({ maxDepth: 1 })).map(([callId, input]) => call(callId, "add", input.slice(0, 20))),
  fc.tuple(id, fc.string()).map(([callId, content]) => [result(callId, content)]),
  id.map((messageId): RunEvent[] => [
    { type: "REASONING_MESSAGE_START", messageId, role: "reasoning" },
    { type: "REASONING_MESSAGE_CONTENT", messageId, delta: "hm" },
    { type: "REASONING_MESSAGE_END", messageId },
  ]),
  fc.constant<RunEvent[]>([{ type: "CUSTOM", name: "capstan.resumed", value: null }]),
  id.map((key): RunEvent[] => [
    { type: "STATE_DELTA", delta: [{ op: "add", path: `/${key}`, value: 1 }] },
    { type: "ACTIVITY_SNAPSHOT", messageId: key, activityType: "plan", content: {} },
    {
      type: "ACTIVITY_DELTA",
      messageId: key,
      activityType: "plan",
      patch: [{ op: "add", path: "/x", value: 1 }],
    },
  ]),
  fc.array(id, { maxLength: 3 }).map((ids): RunEvent[] => [
    {
      type: "MESSAGES_SNAPSHOT",
      messages: ids.map((each) => ({ id: each, role: "assistant", content: each })),
    },
  ]),
  id.map((runId): RunEvent[] => [started(runId), finished(runId)]),
);
const somePlan = fc.array(fc.record({ size: fc.nat(12), back: fc.nat(6), learns: fc.boolean() }));
const someLog = fc.array(block, { maxLength: 15 }).map((blocks) => numbered(blocks.flat()));
