/**
 * AG-UI 1.0, the server's duties line by line, mostly with the real client. The numbers are those of the checklist; its
 * interrupts are in checklist-interrupts.live.test.ts.
 */
import { HttpAgent } from "@ag-ui/client";
import { AgentCapabilitiesSchema } from "@ag-ui/core/schemas";
import { AGUI_MEDIA_TYPE } from "@ag-ui/proto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventsIn, framedEvents, runInput, typesOf, type WireEvent } from "../../../../tools/ag-ui-wire.ts";
import { complaintsAbout } from "../../../../tools/legal-events.ts";
import { type LlmReply, type LlmRequest, lastUserText } from "../../../../tools/scripted-llm.ts";
import {
  type AgentUnderTest,
  agentUnderTest,
  callThenSay,
  needsApproval,
  say,
} from "./fixtures/agent-under-test.ts";

let rig: AgentUnderTest;
beforeAll(async () => {
  rig = await agentUnderTest();
});
afterAll(() => rig?.close());
beforeEach(() => rig.reset());

const isEnd = (type: string): boolean => type === "RUN_FINISHED" || type === "RUN_ERROR";
const ENDINGS: [string, () => LlmReply][] = [
  ["an answer", () => say("ok")],
  ["a provider's refusal", () => ({ status: 401 })],
];

describe("AG-UI checklist", () => {
  test("1: POST JSON is answered 200 text/event-stream", async () => {
    const response = await rig.post(runInput());
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      expect.stringContaining("text/event-stream"),
    ]);
    await response.text();
  });

  test.each([
    ["bad JSON", "{", 400],
    ["a body outside the schema", JSON.stringify({ threadId: 1 }), 422],
    ["an empty thread id", JSON.stringify({ threadId: " ", runId: "r", messages: [] }), 422],
    ["no message list", JSON.stringify({ threadId: "t", runId: "r", messages: "x" }), 422],
  ])("2: %s is 4xx without a stream", async (_what, body, status) => {
    const response = await rig.post(body);
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toContain("problem+json");
  });

  test("3: missing tools and context are empty, a missing state is {}", async () => {
    const { threadId, runId, messages } = runInput();
    const events = eventsIn(await (await rig.post({ threadId, runId, messages })).text());
    expect(typesOf(events).at(-1)).toBe("RUN_FINISHED");
  });

  test("4: unknown members of the input are ignored", async () => {
    expect(typesOf(await rig.run({ somethingNew: { deep: [1] } })).at(-1)).toBe("RUN_FINISHED");
  });

  test("5: LF framing, one JSON event per data line", async () => {
    const text = await (await rig.post(runInput())).text();
    expect(text).not.toContain("\r");
    for (const line of text.split("\n").filter((l) => l.startsWith("data: ")))
      expect(() => JSON.parse(line.slice(6))).not.toThrow();
  });

  test("6: id lines and keep-alive comments do not break the real client", async () => {
    const text = await (await rig.post(runInput())).text();
    expect(text).toMatch(/^id: \d+$/m);
    const kept = text.replaceAll("\n\n", "\n\n: keep-alive\n\n");
    const agent = new HttpAgent({ url: rig.url, fetch: async () => sse(kept) });
    await agent.runAgent();
    expect(agent.messages.at(-1)).toMatchObject({ role: "assistant", content: "Hello there." });
  });

  test("7: events are flushed as they occur", async () => {
    let release: (value?: unknown) => void = () => {};
    rig.llm.script = () => ({
      text: ["first", "last"],
      until: new Promise((resolve) => {
        release = resolve;
      }),
    });
    const response = await rig.post(runInput());
    const reader = response.body?.getReader();
    let text = "";
    while (!text.includes("first")) text += new TextDecoder().decode((await reader?.read())?.value);
    expect(text).not.toContain("RUN_FINISHED");
    release();
    await reader?.cancel();
  });

  test("8: RUN_STARTED comes first, with the protocol's version", async () => {
    expect((await rig.run())[0]).toMatchObject({ type: "RUN_STARTED", protocolVersion: "1.0" });
  });

  test("9: threadId and runId are those of the input", async () => {
    const asked = runInput();
    const events = eventsIn(await (await rig.post(asked)).text());
    const { threadId, runId } = asked;
    expect([events[0], events.at(-1)]).toMatchObject([
      { threadId, runId },
      { threadId, runId },
    ]);
  });

  test.each(ENDINGS)("10: exactly one event ends a run, after %s", async (_what, script) => {
    rig.llm.script = script;
    expect(typesOf(await rig.run()).filter(isEnd)).toHaveLength(1);
  });

  test.each(ENDINGS)("11: nothing follows it, after %s", async (_what, script) => {
    rig.llm.script = script;
    expect(typesOf(await rig.run()).findIndex(isEnd)).toBe((await rig.run()).length - 1);
  });

  test.each(ENDINGS)("12: the body closes, after %s", async (_what, script) => {
    rig.llm.script = script;
    const reader = (await rig.post(runInput())).body?.getReader();
    let part = await reader?.read();
    while (part && !part.done) part = await reader?.read();
    expect(part?.done).toBe(true);
  });

  test("13: every message, call and step is closed before the end", async () => {
    rig.llm.script = callThenSay("add", { a: 2, b: 40 });
    const events = await rig.run();
    for (const [open, close] of [
      ["TEXT_MESSAGE_START", "TEXT_MESSAGE_END"],
      ["TOOL_CALL_START", "TOOL_CALL_END"],
      ["STEP_STARTED", "STEP_FINISHED"],
    ]) {
      expect(typesOf(events).filter((type) => type === open).length).toBe(
        typesOf(events).filter((type) => type === close).length,
      );
    }
  });

  test("14: no null optionals, and timestamps are integers", async () => {
    rig.llm.script = callThenSay("add", { a: 2, b: 40 });
    for (const event of await rig.run()) {
      expect(Object.values(event)).not.toContain(null);
      if (event.timestamp !== undefined) expect(Number.isInteger(event.timestamp)).toBe(true);
    }
  });

  test("15: only known types and fields, by the checks of the client itself", async () => {
    rig.llm.script = callThenSay("add", { a: 2, b: 40 });
    expect(await complaintsAbout(await rig.run())).toEqual([]);
  });

  test("16: start, content and end are one form; chunks are never mixed in", async () => {
    expect(typesOf(await rig.run()).some((type) => type.endsWith("_CHUNK"))).toBe(false);
  });

  test("17: a result names its call and has its own id", async () => {
    rig.llm.script = callThenSay("add", { a: 2, b: 40 });
    const events = await rig.run();
    const start = events.find(({ type }) => type === "TOOL_CALL_START");
    const result = events.find(({ type }) => type === "TOOL_CALL_RESULT");
    expect(result.toolCallId).toBe(start.toolCallId);
    expect(events.filter(({ messageId }) => messageId === result.messageId)).toEqual([result]);
  });

  test("18: the arguments of a call join to JSON", async () => {
    rig.llm.script = callThenSay("add", { a: 2, b: 40 });
    const args = (await rig.run()).filter(({ type }) => type === "TOOL_CALL_ARGS").map(({ delta }) => delta);
    expect(JSON.parse(args.join(""))).toEqual({ a: 2, b: 40 });
  });

  test("19: a client's tool ends the run with success and its pending call, and continues with the result", async () => {
    rig.llm.script = callThenSay("pick_colour", {});
    const tools = [
      {
        name: "pick_colour",
        description: "Lets the user pick.",
        parameters: { type: "object", properties: {} },
      },
    ];
    const agent = new HttpAgent({
      url: rig.url,
      threadId: crypto.randomUUID(),
      initialMessages: [{ id: "u-19", role: "user", content: "pick" }],
    });
    const seen: WireEvent[] = [];
    await agent.runAgent(
      { runId: crypto.randomUUID(), tools },
      { onEvent: ({ event }) => void seen.push(event) },
    );
    const end = seen.at(-1);
    const call = seen.find(({ type }) => type === "TOOL_CALL_START");
    expect(end.outcome).toEqual({ type: "success", pendingToolCallIds: [call.toolCallId] });
    expect(typesOf(seen)).not.toContain("TOOL_CALL_RESULT");
    agent.addMessage({ id: crypto.randomUUID(), role: "tool", toolCallId: call.toolCallId, content: "blue" });
    await agent.runAgent({ runId: crypto.randomUUID(), tools });
    expect(agent.messages.at(-1)).toMatchObject({ role: "assistant", content: "Done." });
    expect(JSON.stringify(rig.llm.requests.at(-1)?.messages)).toContain("blue");
  });

  test("20: a state delta applies to the client's state", async () => {
    rig.llm.script = callThenSay("update_state", { patch: [{ op: "replace", path: "/count", value: 2 }] });
    const { agent, seen } = await rig.client("count", { count: 1 });
    expect(typesOf(seen)).toContain("STATE_DELTA");
    expect(agent.state).toEqual({ count: 2 });
  });

  test("21: a snapshot of the messages is complete", async () => {
    rig.llm.script = needsApproval;
    const snapshot = (await rig.run()).findLast(({ type }) => type === "MESSAGES_SNAPSHOT");
    expect(snapshot.messages.map(({ role }: WireEvent) => role)).toEqual(["user", "assistant"]);
    expect(snapshot.messages[1].toolCalls[0].function.name).toBe("delete_file");
  });

  test("22: reasoning is opened with its role and closed", async () => {
    rig.llm.script = () => ({ reasoning: ["think", "ing"], text: ["Answer."] });
    const events = await rig.run();
    expect(events.find(({ type }) => type === "REASONING_MESSAGE_START")).toMatchObject({
      role: "reasoning",
    });
    expect(
      events
        .filter(({ type }) => type === "REASONING_MESSAGE_CONTENT")
        .map(({ delta }) => delta)
        .join(""),
    ).toBe("thinking");
    expect(typesOf(events)).toContain("REASONING_END");
  });

  test("23: an activity is sent completely before it is changed", async () => {
    rig.llm.script = callThenSay("write_todos", {
      todos: [{ content: "Do it", activeForm: "Doing it", status: "in_progress" }],
    });
    const events = await rig.run();
    const first = events.findIndex(({ type }) => type === "ACTIVITY_SNAPSHOT");
    expect(first).toBeGreaterThan(0);
    for (const [index, { type }] of events.entries())
      if (type === "ACTIVITY_DELTA") expect(index).toBeGreaterThan(first);
  });

  test("32: a user's stop ends with outcome cancelled and everything closed", async () => {
    let release: (value?: unknown) => void = () => {};
    rig.llm.script = () => ({
      text: ["first", "never"],
      until: new Promise((resolve) => {
        release = resolve;
      }),
    });
    const asked = runInput();
    const response = await rig.post(asked);
    const reader = response.body?.getReader();
    let text = "";
    while (!text.includes("first")) text += new TextDecoder().decode((await reader?.read())?.value);
    await rig.server.call("POST", `/v1/sessions/${asked.threadId}/cancel`);
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
      text += new TextDecoder().decode(part.value);
    release();
    const events = eventsIn(text);
    expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "cancelled" } });
    expect(typesOf(events)).toContain("TEXT_MESSAGE_END");
  });

  test("33: usage is per run, without invented zeros", async () => {
    const end = (await rig.run()).at(-1);
    expect(end.usage).toEqual([expect.objectContaining({ inputTokens: 10, outputTokens: 5 })]);
    expect(Object.values(end.usage[0])).not.toContain(0);
  });

  test("34: an unusable media part is dropped, the rest counts", async () => {
    const content = [
      { type: "text", text: "look" },
      { type: "image", source: { type: "url", value: "not a url" } },
    ];
    const events = await rig.run({ messages: [{ id: "u-34", role: "user", content }] });
    expect(typesOf(events).at(-1)).toBe("RUN_FINISHED");
    expect(lastUserText(rig.llm.requests[0] as LlmRequest)).toContain("look");
  });

  test("35: the capabilities document is valid", async () => {
    const { body } = await rig.server.call("GET", `/v1/agents/${rig.agentId}/ag-ui/capabilities`);
    expect(AgentCapabilitiesSchema.safeParse(body)).toMatchObject({ success: true });
    expect(body.identity).toMatchObject({ name: "Tester", type: "capstan", description: "Is under test." });
  });

  test("36: protobuf is sent only on explicit request, with the same events", async () => {
    expect((await rig.post(runInput(), { accept: "*/*" })).headers.get("content-type")).toContain(
      "text/event-stream",
    );
    const binary = await rig.post(runInput(), { accept: AGUI_MEDIA_TYPE });
    expect(binary.headers.get("content-type")).toBe(AGUI_MEDIA_TYPE);
    expect(typesOf(framedEvents(new Uint8Array(await binary.arrayBuffer())))).toEqual(
      typesOf(await rig.run()),
    );
  });
});

const sse = (text: string): Response =>
  new Response(text, { headers: { "content-type": "text/event-stream" } });
