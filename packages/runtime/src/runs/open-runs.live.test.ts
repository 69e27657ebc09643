import type { RunEvent } from "@capstan/core";
import { afterEach, describe, expect, test } from "vitest";
import {
  collect,
  type EngineOptions,
  type EngineUnderTest,
  openEngine,
} from "../../../../tools/engine-under-test.ts";
import { type FreshStore, STORES } from "../../../../tools/stores-under-test.ts";

let store: FreshStore | undefined;
let engine: EngineUnderTest | undefined;
afterEach(async () => {
  await engine?.close();
  await store?.drop();
  engine = store = undefined;
});

describe.each(STORES)("runs on $name", ({ fresh }) => {
  async function opened(options: EngineOptions): Promise<EngineUnderTest> {
    store = await fresh();
    engine = await openEngine(store, options);
    return engine;
  }

  test("answer a message, streamed and stored", async () => {
    const { runs, newSession, errors } = await opened({ script: () => [{ text: "Hello, how are you?" }] });
    const session = await newSession();
    const sent = await runs.send(session, { content: "hello" });
    expect(sent).toMatchObject({ ok: true, value: { status: "running", afterSeq: 0 } });
    const events = await collect(runs, session);
    expect(types(events)).toEqual([
      "RUN_STARTED",
      "STEP_STARTED",
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_END",
      "STEP_FINISHED",
      "RUN_FINISHED",
    ]);
    expect(spoken(events)).toBe("Hello, how are you?");
    const { items } = await runs.messages(session, { limit: 10 });
    expect(items.map(({ role, content }) => [role, content])).toEqual([
      ["user", [{ type: "text", text: "hello" }]],
      ["assistant", [{ type: "text", text: "Hello, how are you?" }]],
    ]);
    expect(errors).toEqual([]);
  });

  test("call a tool through the gate and go on with its result", async () => {
    const { runs, newSession, records } = await opened({
      script: ({ prompt }, step) =>
        step === 0
          ? [{ text: "Adding. " }, { call: "add", input: { a: 2, b: 40 }, id: "c1" }]
          : [{ text: `The result is ${JSON.stringify(prompt.at(-1)?.content)}` }],
    });
    const session = await newSession();
    await runs.send(session, { content: "add 2 and 40" });
    const events = await collect(runs, session);
    expect(types(events).filter((type) => type.startsWith("TOOL"))).toEqual([
      "TOOL_CALL_START",
      "TOOL_CALL_ARGS",
      "TOOL_CALL_END",
      "TOOL_CALL_RESULT",
    ]);
    expect(spoken(events)).toContain('"sum":42');
    expect(records).toMatchObject([{ tool: "add", path: "loop", outcome: "success" }]);
    expect(events.at(-1)).toMatchObject({
      type: "RUN_FINISHED",
      outcome: { type: "success" },
      usage: [{ provider: "test", model: "scripted", inputTokens: 20, outputTokens: 10, totalTokens: 30 }],
    });
  });
});

const types = (events: readonly RunEvent[]) => events.map(({ type }) => type);
const spoken = (events: readonly RunEvent[]) =>
  events.map((event) => (event.type === "TEXT_MESSAGE_CONTENT" ? event.delta : "")).join("");
