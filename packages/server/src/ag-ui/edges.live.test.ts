/** Nothing an AG-UI client sends is ignored. Tested with both generations of the official client. */
import { HttpAgent } from "@ag-ui/client";
import { HttpAgent as OldHttpAgent } from "ag-ui-client-0.0";
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

const PATIENT = { timeout: 20_000 }; // on a busy machine the first request takes seconds
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

  test("the task list does not touch the client's state", async () => {
    const todos = [{ content: "Run tests", activeForm: "Running tests", status: "in_progress" }];
    rig.llm.script = callThenSay("write_todos", { todos });
    const events = await post({ state: { todos: ["mine"] } });
    expect(typesOf(events)).toContain("ACTIVITY_SNAPSHOT");
    expect(typesOf(events).filter((type) => type.startsWith("STATE_"))).toEqual([]);
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
  ])("%s is refused, not ignored", async (_what, forwardedProps) => {
    expect((await rig.post(runInput({ forwardedProps }))).status).toBe(422);
  });
});

describe("edit and regenerate", () => {
  const echo = (request: LlmRequest) => say(`Answer ${rig.llm.requests.length} to ${lastUserText(request)}`);
  const agentWith = async (...texts: string[]) => {
    rig.llm.script = echo;
    const agent = new HttpAgent({ url: rig.url, threadId: crypto.randomUUID() });
    for (const text of texts) {
      agent.addMessage(user(text));
      await agent.runAgent();
    }
    return agent;
  };
  const texts = (agent: HttpAgent) => agent.messages.map(({ content }) => content);

  test("the last message sent again is answered again; the first answer is kept in a branch", async () => {
    const agent = await agentWith("one", "two");
    agent.setMessages(agent.messages.slice(0, 3));
    await agent.runAgent();
    expect(texts(agent)).toEqual(["one", "Answer 1 to one", "two", "Answer 3 to two"]);
    const { body } = await rig.server.call("GET", "/v1/sessions");
    const branch = body.items.find((session: WireEvent) => session.forked_from === agent.threadId);
    const kept = await rig.server.call("GET", `/v1/sessions/${branch.id}/messages`);
    expect(JSON.stringify(kept.body.items)).toContain("Answer 2 to two");
  });

  test("a new message after a shorter history replaces what followed", async () => {
    const agent = await agentWith("one", "two", "three");
    agent.setMessages([...agent.messages.slice(0, 2), user("other")]);
    await agent.runAgent();
    expect(await rolesIn(agent.threadId)).toEqual(["user", "assistant", "user", "assistant"]);
    const last = rig.llm.requests.at(-1) as LlmRequest;
    expect(JSON.stringify(last.messages)).not.toContain("two");
  });

  test("a known message with another text replaces the stored one", async () => {
    const agent = await agentWith("one", "two");
    const [first] = agent.messages;
    agent.setMessages([user("uno", first?.id)]);
    await agent.runAgent();
    expect(texts(agent)).toEqual(["uno", "Answer 3 to uno"]);
    expect(await rolesIn(agent.threadId)).toEqual(["user", "assistant"]);
  });

  test("repeating a request does not start another run", async () => {
    rig.llm.script = echo;
    const body = runInput({ messages: [user("one")] });
    await (await rig.post(body)).text();
    await (await rig.post(body)).text();
    expect(rig.llm.requests).toHaveLength(1);
  });

  test("a client that sends only its newest message continues the thread", async () => {
    const agent = await agentWith("one");
    agent.setMessages([user("two")]);
    await agent.runAgent();
    expect(await rolesIn(agent.threadId)).toEqual(["user", "assistant", "user", "assistant"]);
  });
});

describe("a client of the 0.0.x protocol", () => {
  const old = (text: string) =>
    new OldHttpAgent({ url: rig.url, threadId: crypto.randomUUID(), initialMessages: [user(text)] });

  test("gets an answer it can read", async () => {
    const agent = old("hi");
    await agent.runAgent();
    expect(agent.messages.at(-1)).toMatchObject({ role: "assistant", content: "Hello there." });
  });

  test("runs its own tool and continues", async () => {
    rig.llm.script = (request) =>
      toolAnswered(request) ? say("Nice.") : { calls: [{ id: "call_c", name: "pick_color", input: {} }] };
    const agent = old("pick");
    await agent.runAgent({ tools: [pickColor] });
    agent.addMessage({ id: "r1", role: "tool", toolCallId: "call_c", content: "blue" });
    await agent.runAgent({ tools: [pickColor] });
    expect(agent.messages.at(-1)).toMatchObject({ content: "Nice." });
  });

  test("reads the end of a run that was cancelled elsewhere", async () => {
    const held = Promise.withResolvers<void>();
    rig.llm.script = () => ({ ...say("late"), until: held.promise });
    const agent = old("hi");
    const ended = agent.runAgent();
    await expect
      .poll(async () => (await rig.server.call("GET", `/v1/sessions/${agent.threadId}`)).body.status, PATIENT)
      .toBe("running");
    await rig.server.call("POST", `/v1/sessions/${agent.threadId}/cancel`);
    await ended;
    held.resolve();
  });
});
