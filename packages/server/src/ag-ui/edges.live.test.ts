/** Nothing an AG-UI client sends is ignored. Edits of the history are in rewinds.live.test.ts, older clients in old-clients.live.test.ts. */
import { HttpAgent } from "@ag-ui/client";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventsIn, runInput, typesOf, type WireEvent } from "../../../../tools/ag-ui-wire.ts";
import { type LlmRequest, lastUserText, toolAnswered } from "../../../../tools/scripted-llm.ts";
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

const user = (content: string, id: string = crypto.randomUUID()) => ({ id, role: "user" as const, content });
const post = async (body: object) => eventsIn(await (await rig.post(runInput(body))).text());
const pickColor = { name: "pick_color", description: "Asks for a color.", parameters: { type: "object" } };
const rolesIn = async (threadId: string): Promise<string[]> => {
  const { body } = await rig.server.call("GET", `/v1/sessions/${threadId}/messages`);
  return body.items.map(({ role }: WireEvent) => role);
};
const spoken = (events: readonly WireEvent[]): string =>
  events
    .filter(({ type }) => type === "TEXT_MESSAGE_CONTENT")
    .map(({ delta }) => delta)
    .join("");

describe("only true approves", () => {
  test.each([
    ["cancelled: true", { status: "resolved", payload: { cancelled: true } }],
    ["accepted: false", { status: "resolved", payload: { accepted: false } }],
    ["an empty object", { status: "resolved", payload: {} }],
    ["nothing", { status: "resolved" }],
    ["the text true", { status: "resolved", payload: { approved: "true" } }],
    ["a misspelt edit", { status: "resolved", payload: { approved: true, edited_args: { path: "/b" } } }],
    ["a cancelled interrupt", { status: "cancelled", payload: { approved: true } }],
  ])("%s does not run the tool", async (_what, entry) => {
    rig.llm.script = needsApproval;
    const threadId = crypto.randomUUID();
    const asked = await post({ threadId });
    const [{ id }] = asked.at(-1).outcome.interrupts;
    const events = await post({ threadId, messages: [], resume: [{ interruptId: id, ...entry }] });
    const result = events.find(({ type }) => type === "TOOL_CALL_RESULT");
    expect(result.content).toMatch(/tool_denied/);
    expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" } });
  });

  test("null is not a valid payload and is refused; the approval stays pending", async () => {
    rig.llm.script = needsApproval;
    const threadId = crypto.randomUUID();
    const asked = await post({ threadId });
    const [{ id }] = asked.at(-1).outcome.interrupts;
    const resume = [{ interruptId: id, status: "resolved", payload: null }];
    expect((await rig.post(runInput({ threadId, messages: [], resume }))).status).toBe(422);
    expect((await rig.server.call("GET", `/v1/approvals/${id}`)).body.status).toBe("pending");
  });
});

describe("everything in one request counts", () => {
  test("a tool result and a new message: the model sees both, once", async () => {
    rig.llm.script = (request) =>
      lastUserText(request).includes("color") && !toolAnswered(request)
        ? { calls: [{ id: "call_color", name: "pick_color", input: {} }] }
        : say(`Heard: ${lastUserText(request)}`);
    const threadId = crypto.randomUUID();
    const first = user("pick a color");
    const asked = await post({ threadId, tools: [pickColor], messages: [first] });
    expect(asked.at(-1).outcome).toMatchObject({ pendingToolCallIds: ["call_color"] });
    const call = { id: "call_color", type: "function", function: { name: "pick_color", arguments: "{}" } };
    const messages = [
      first,
      { id: "a1", role: "assistant", content: "", toolCalls: [call] },
      { id: "r1", role: "tool", toolCallId: "call_color", content: "blue" },
      user("and tell me more"),
    ];
    const events = await post({ threadId, tools: [pickColor], messages });
    expect(spoken(events)).toContain("and tell me more");
    const last = rig.llm.requests.at(-1) as LlmRequest;
    expect(JSON.stringify(last.messages)).toContain("blue");
    expect(await rolesIn(threadId)).toEqual(["user", "assistant", "tool", "user", "assistant"]);
  });

  test("an answer to an interrupt and a client tool's result: the run continues", async () => {
    rig.llm.script = (request) =>
      toolAnswered(request)
        ? say("Both done.")
        : {
            calls: [
              { id: "call_del", name: "delete_file", input: { path: "/a.txt" } },
              { id: "call_color", name: "pick_color", input: {} },
            ],
          };
    const threadId = crypto.randomUUID();
    const asked = await post({ threadId, tools: [pickColor] });
    const [{ id }] = asked.at(-1).outcome.interrupts;
    const events = await post({
      threadId,
      tools: [pickColor],
      messages: [{ id: "r1", role: "tool", toolCallId: "call_color", content: "blue" }],
      resume: [{ interruptId: id, status: "resolved", payload: { approved: true } }],
    });
    expect(spoken(events)).toBe("Both done.");
    expect(events.at(-1).type).toBe("RUN_FINISHED");
  });

  test("a client's note on the call whose interrupt it answers is no result: the decision counts", async () => {
    rig.llm.script = needsApproval;
    const threadId = crypto.randomUUID();
    const [{ id, toolCallId }] = (await post({ threadId })).at(-1).outcome.interrupts;
    const note = { id: "n1", role: "tool", toolCallId, content: '{"status":"cancelled"}' };
    const resume = [{ interruptId: id, status: "cancelled" }];
    const events = await post({ threadId, messages: [note], resume });
    expect(events.find(({ type }) => type === "TOOL_CALL_RESULT").content).toMatch(/tool_denied/);
    expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" } });
  });

  test("an answer without the client's result names the missing result", async () => {
    rig.llm.script = (request) =>
      toolAnswered(request)
        ? say("Both done.")
        : {
            calls: [
              { id: "call_del", name: "delete_file", input: { path: "/a.txt" } },
              { id: "call_color", name: "pick_color", input: {} },
            ],
          };
    const threadId = crypto.randomUUID();
    const asked = await post({ threadId, tools: [pickColor] });
    const [{ id }] = asked.at(-1).outcome.interrupts;
    const resume = [{ interruptId: id, status: "resolved", payload: { approved: true } }];
    const events = await post({ threadId, messages: [], resume });
    expect(events.at(-1).outcome).toEqual({ type: "success", pendingToolCallIds: ["call_color"] });
  });

  test("an answer to an interrupt and a new message: processed in order, in one stream", async () => {
    rig.llm.script = (request) =>
      lastUserText(request).includes("more") ? say("More.") : needsApproval(request);
    const threadId = crypto.randomUUID();
    const asked = await post({ threadId });
    const [{ id }] = asked.at(-1).outcome.interrupts;
    const resume = [{ interruptId: id, status: "resolved", payload: { approved: true } }];
    const events = await post({ threadId, messages: [user("and more")], resume });
    expect(spoken(events)).toBe("Done.More.");
    expect(typesOf(events).filter((type) => type === "RUN_FINISHED")).toHaveLength(1);
  });
});

describe("what has no effect is reported", () => {
  const warnings = (events: readonly WireEvent[]): string[] =>
    events.filter(({ name }) => name === "capstan.warning").map(({ value }) => value.message);
  const toolMessage = { id: "r1", role: "tool", toolCallId: "nope", content: "5" };

  test("a result that no call waits for, beside a message", async () => {
    const events = await post({ messages: [user("hi"), toolMessage] });
    expect(warnings(events)).toEqual(['no call waits for the result of "nope"']);
    expect(spoken(events)).not.toBe("");
  });

  test("a result that no call waits for, alone", async () => {
    expect(warnings(await post({ messages: [toolMessage] }))).toEqual([
      'no call waits for the result of "nope"',
    ]);
  });

  test("a part of a message that cannot be used", async () => {
    const content = [
      { type: "text", text: "look" },
      { type: "image", source: { type: "url", value: "not a url" } },
    ];
    const events = await post({ messages: [{ id: "u1", role: "user", content }] });
    expect(warnings(events)).toEqual(['part 2 (image) of the message "u1" cannot be used and was left out']);
  });

  test("a message that a history leaves out", async () => {
    const threadId = crypto.randomUUID();
    const sent = ["one", "two", "three"].map((text) => user(text));
    for (const [index] of sent.entries()) await post({ threadId, messages: sent.slice(0, index + 1) });
    const messages = [sent[0], sent[2], user("four")];
    const left = `the message "${sent[1]?.id}" is not in this history, but the stored conversation still has it`;
    expect(warnings(await post({ threadId, messages }))).toEqual([left]);
    expect(warnings(await post({ threadId, messages: [user("five")] }))).toEqual([]);
  });

  test("two messages of one id are refused, unless they are the same", async () => {
    const first = { id: "u1", role: "user", content: "one" };
    const refused = await rig.post(runInput({ messages: [first, { ...first, content: "two" }] }));
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain("messages[1].id is the id of an earlier message");
    expect(spoken(await post({ messages: [first, first] }))).not.toBe("");
  });

  test("a model that another library means", async () => {
    expect(warnings(await post({ forwardedProps: { model: "gpt-4" } }))).toEqual([
      'forwardedProps.model "gpt-4" is not provider/model, and was passed over',
    ]);
  });
});

describe("shared state", () => {
  const changes = callThenSay("update_state", { patch: [{ op: "add", path: "/color", value: "red" }] });

  test("an empty state can be filled, and the whole state is sent before the first change", async () => {
    rig.llm.script = changes;
    const events = await post({ state: {} });
    const types = typesOf(events).filter((type) => type.startsWith("STATE_"));
    expect(types).toEqual(["STATE_SNAPSHOT", "STATE_DELTA"]);
  });

  test("a second client of the thread gets the state set by the first one", async () => {
    rig.llm.script = changes;
    const threadId = crypto.randomUUID();
    await post({ threadId, state: { size: 3 } });
    rig.llm.script = callThenSay("update_state", {
      patch: [{ op: "replace", path: "/color", value: "blue" }],
    });
    const second = new HttpAgent({ url: rig.url, threadId, initialMessages: [user("make it blue")] });
    await second.runAgent();
    expect(second.state).toEqual({ size: 3, color: "blue" });
  });

  test("a client without a state gets the thread's, also when the run changes nothing", async () => {
    const threadId = crypto.randomUUID();
    await post({ threadId, state: { size: 3 } });
    const second = new HttpAgent({ url: rig.url, threadId, initialMessages: [user("hello")] });
    await second.runAgent();
    expect(second.state).toEqual({ size: 3 });
    const known = await post({ threadId, state: { size: 3 } });
    expect(typesOf(known)).not.toContain("STATE_SNAPSHOT");
  });

  describe("the task list", () => {
    const listOf = (content: string) => [{ content, activeForm: "Doing it", status: "in_progress" }];
    const stored = async (threadId: string) =>
      (await rig.server.call("GET", `/v1/sessions/${threadId}`)).body;

    test.each([
      ["a state with a list of the same name", { todos: ["mine"], size: 3 }],
      ["an empty state", {}],
    ])("does not touch the client's state, sent or stored: %s", async (_what, state) => {
      rig.llm.script = callThenSay("write_todos", { todos: listOf("Run tests") });
      const { agent, seen } = await rig.client("plan", state);
      expect(typesOf(seen)).toContain("ACTIVITY_SNAPSHOT");
      expect(seen.filter(({ type }) => type === "STATE_DELTA")).toEqual([]);
      expect(agent.state).toEqual(state);
      expect(await stored(agent.threadId)).toMatchObject({ state, metadata: {} });
      const { body: files } = await rig.server.call("GET", `/v1/sessions/${agent.threadId}/files`);
      expect(files.entries).toEqual([]);
      const second = new HttpAgent({ url: rig.url, threadId: agent.threadId });
      rig.llm.script = () => say("Hello.");
      second.addMessage(user("and now?"));
      await second.runAgent();
      expect(JSON.stringify(second.state)).not.toContain("Run tests");
      expect(await stored(agent.threadId)).toMatchObject({ state });
    });

    test("lives in the conversation: the model reads its earlier call, another conversation has none", async () => {
      rig.llm.script = callThenSay("write_todos", { todos: listOf("Paint the pier") });
      const { agent } = await rig.client("plan");
      rig.llm.script = () => say("Hello.");
      agent.addMessage(user("go on"));
      await agent.runAgent();
      const { messages } = rig.llm.requests.at(-1) as LlmRequest;
      const call = messages.find((message) => (message as WireEvent).tool_calls) as WireEvent;
      expect(JSON.parse(call.tool_calls[0].function.arguments)).toEqual({ todos: listOf("Paint the pier") });
      await rig.client("what is there to do?");
      expect(JSON.stringify(rig.llm.requests.at(-1))).not.toContain("Paint the pier");
    });
  });

  test("predicted arguments are announced, and become the state", async () => {
    rig.llm.script = callThenSay("add", { a: 1, b: 2 });
    const predictState = [{ state_key: "first", tool: "add", tool_argument: "a" }];
    const events = await post({ forwardedProps: { predictState } });
    expect(events.find(({ name }) => name === "PredictState").value).toEqual(predictState);
    expect(events.find(({ type }) => type === "STATE_DELTA").delta).toEqual([
      { op: "add", path: "/first", value: 1 },
    ]);
  });

  test("the tools are the same with and without a state", async () => {
    const threadId = crypto.randomUUID();
    await post({ threadId, state: {} });
    await post({ threadId, state: { a: 1 }, messages: [user("again")] });
    const [one, two] = rig.llm.requests.map((request) => JSON.stringify(request.tools));
    expect(one).toBe(two);
  });
});

describe("what the model is given", () => {
  test("is the prompt and the tools of all capabilities, in their order, then the agent's own", async () => {
    const made = await rig.server.call("POST", "/v1/agents", {
      name: "Merged",
      capabilities: ["test_weather", "test_math"],
      system_prompt: "Mine.",
    });
    const at = `${rig.server.url}/v1/agents/${made.body.id}/ag-ui`;
    await (await rig.post(runInput({ state: {} }), {}, at)).text();
    const [asked] = rig.llm.requests;
    expect(asked?.messages[0]).toMatchObject({ role: "system" });
    expect(asked?.messages[0]?.content).toMatch(
      /^You have access to weather tools\..*\n\nYou have access to math tools\..*\n\nMine\./,
    );
    expect(asked?.tools?.map(({ function: { name } }) => name)).toEqual([
      ...["get_weather", "get_forecast"],
      ...["add", "subtract", "multiply", "divide"],
      "update_state",
    ]);
  });
});

describe("client instructions for the model", () => {
  test("system and developer messages reach it once, new ones included", async () => {
    const threadId = crypto.randomUUID();
    const system = { id: "s1", role: "system", content: "Speak like a pirate." };
    const first = user("hi");
    await post({ threadId, messages: [system, first] });
    const answer = { id: "a1", role: "assistant", content: "Hello there." };
    const developer = { id: "d1", role: "developer", content: "Be brief." };
    await post({ threadId, messages: [system, first, answer, developer, user("go on")] });
    const text = JSON.stringify((rig.llm.requests.at(-1) as LlmRequest).messages);
    expect(text.split("Speak like a pirate.")).toHaveLength(2);
    expect(text).toContain("Be brief.");
  });

  test("a tool choice is passed on, and an unknown tool is refused", async () => {
    const choice = (name: string) => ({ toolChoice: { type: "function", function: { name } } });
    rig.llm.script = callThenSay("add", { a: 1, b: 2 });
    await post({ forwardedProps: choice("add") });
    expect(rig.llm.requests.map((request) => (request as WireEvent).tool_choice)).toEqual([
      { type: "function", function: { name: "add" } },
      undefined,
    ]);
    const refused = await rig.post(runInput({ forwardedProps: choice("nope") }));
    expect(refused.status).toBe(422);
  });

  test("none forbids calls at every step; required demands one at the first, so that the run can end", async () => {
    const choices = () => rig.llm.requests.map((request) => (request as WireEvent).tool_choice);
    rig.llm.script = () => say("No tools.");
    await post({ forwardedProps: { toolChoice: "none" } });
    expect(choices()).toEqual(["none"]);
    rig.llm.requests.length = 0;
    rig.llm.script = callThenSay("add", { a: 1, b: 2 });
    await post({ forwardedProps: { toolChoice: "required" } });
    expect(choices()).toEqual(["required", undefined]);
    for (const toolChoice of ["never", "any", { type: "function" }])
      expect((await rig.post(runInput({ forwardedProps: { toolChoice } }))).status).toBe(422);
  });

  test.each([
    ["an unknown reasoning effort", { reasoning: "a lot" }],
    ["a webhook that is not a URL", { webhook: { url: "example" } }],
    ["a model that is no text", { model: 5 }],
    ["a misspelt ephemeral", { ephemerl: true }],
    ["a misspelt onDisconnect", { onDisconect: "cancel" }],
    ["a misspelt toolChoice", { toolChoices: "none" }],
  ])("%s is refused, not ignored", async (_what, forwardedProps) => {
    expect((await rig.post(runInput({ forwardedProps }))).status).toBe(422);
  });

  test("members of other libraries are ignored", async () => {
    const forwardedProps = { mode: "fast", command: {}, threadMetadata: {}, copilotkit: {}, temperature: 1 };
    expect((await rig.post(runInput({ forwardedProps }))).status).toBe(200);
  });

  test("a request without messages is refused, because the list may be misspelt", async () => {
    const { messages, ...rest } = runInput();
    expect((await rig.post({ ...rest, message: messages })).status).toBe(422);
  });
});
