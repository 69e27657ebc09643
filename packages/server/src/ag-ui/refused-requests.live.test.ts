/** A request of several parts counts as a whole or not at all: a part that is refused leaves the others unstored. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventsIn, runInput, type WireEvent } from "../../../../tools/ag-ui-wire.ts";
import { type LlmRequest, toolAnswered } from "../../../../tools/scripted-llm.ts";
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
beforeEach(() => rig.reset());
afterAll(async () => rig?.close());

const pickColor = { name: "pick_color", description: "", parameters: { type: "object", properties: {} } };
const post = async (body: object) => eventsIn(await (await rig.post(runInput(body))).text());
const rolesIn = async (threadId: string): Promise<string[]> => {
  const { body } = await rig.server.call("GET", `/v1/sessions/${threadId}/messages`);
  return body.items.map(({ role }: WireEvent) => role);
};
const spoken = (events: readonly WireEvent[]): string =>
  events
    .filter(({ type }) => type === "TEXT_MESSAGE_CONTENT")
    .map(({ delta }) => delta)
    .join("");

describe("a request that is refused stores nothing, and can be sent again, corrected", () => {
  const asksBoth = (request: LlmRequest) =>
    toolAnswered(request)
      ? say("Both done.")
      : {
          calls: [
            { id: "call_del", name: "delete_file", input: { path: "/a.txt" } },
            { id: "call_color", name: "pick_color", input: {} },
          ],
        };
  const result = (content: string, toolCallId = "call_color") => ({
    id: crypto.randomUUID(),
    role: "tool",
    toolCallId,
    content,
  });

  test("a result beside edited arguments that the tool refuses", async () => {
    rig.llm.script = asksBoth;
    const threadId = crypto.randomUUID();
    const asked = await post({ threadId, tools: [pickColor] });
    const [{ id }] = asked.at(-1).outcome.interrupts;
    const before = await rolesIn(threadId);
    const answer = (editedArgs: object) => ({
      threadId,
      messages: [result("red")],
      resume: [{ interruptId: id, status: "resolved", payload: { approved: true, editedArgs } }],
    });
    expect((await rig.post(runInput(answer({ path: 5 })))).status).toBe(422);
    expect(await rolesIn(threadId)).toEqual(before);
    expect(spoken(await post(answer({ path: "/b.txt" })))).toBe("Both done.");
  });

  test.each([
    ["two results for one call", () => [result("red"), result("blue")]],
    ["a result beside one of a call that nobody made", () => [result("red"), result("x", "nope")]],
  ])("%s", async (_what, messages) => {
    rig.llm.script = callThenSay("pick_color", {});
    const threadId = crypto.randomUUID();
    const asked = await post({ threadId, tools: [pickColor] });
    const { toolCallId } = asked.find(({ type }) => type === "TOOL_CALL_START");
    const before = await rolesIn(threadId);
    const sent = messages().map((each) => (each.toolCallId === "nope" ? each : { ...each, toolCallId }));
    expect((await rig.post(runInput({ threadId, messages: sent }))).status).toBe(409);
    expect(await rolesIn(threadId)).toEqual(before);
    expect(spoken(await post({ threadId, messages: [result("red", toolCallId)] }))).toBe("Done.");
  });
});

describe("an answer to an interrupt that says more than would run is refused, and the approval stays pending", () => {
  const yes = { status: "resolved", payload: { approved: true } };
  const edit = { path: "/b.txt" };
  test.each<[string, object[], number, string]>([
    ["an edit beside the payload", [{ ...yes, editedArgs: edit }], 422, 'unknown field \\"editedArgs\\"'],
    ["an edit in the metadata", [{ ...yes, metadata: { edited_args: edit } }], 422, "payload.editedArgs"],
    ["two answers", [yes, { ...yes, payload: { approved: false } }], 422, "resume[1] answers the same"],
  ])("%s", async (_what, entries, status, said) => {
    rig.llm.script = needsApproval;
    const threadId = crypto.randomUUID();
    const [{ id }] = (await post({ threadId })).at(-1).outcome.interrupts;
    const resume = entries.map((entry) => ({ interruptId: id, ...entry }));
    const refused = await rig.post(runInput({ threadId, messages: [], resume }));
    expect([refused.status, await refused.text()]).toEqual([status, expect.stringContaining(said)]);
    expect((await rig.server.call("GET", `/v1/approvals/${id}`)).body.status).toBe("pending");
  });

  test("a history that shows the call with other arguments", async () => {
    rig.llm.script = needsApproval;
    const { agent } = await rig.client("delete it");
    const [pending] = agent.pendingInterrupts;
    const messages = JSON.parse(JSON.stringify(agent.messages).replaceAll("/a.txt", "/b.txt"));
    const resume = [{ interruptId: pending?.id, ...yes }];
    const refused = await rig.post(runInput({ threadId: agent.threadId, messages, resume }));
    expect([refused.status, (await refused.json()).code]).toEqual([409, "call_changed"]);
    const events = await post({ threadId: agent.threadId, messages: agent.messages, resume });
    expect(spoken(events)).toBe("Done.");
  });

  test("LangGraph's form of an answer is reported", async () => {
    rig.llm.script = needsApproval;
    const threadId = crypto.randomUUID();
    await post({ threadId });
    const events = await post({
      threadId,
      messages: [],
      forwardedProps: { command: { resume: { approved: true } } },
    });
    expect(events.find(({ name }) => name === "capstan.warning").value.message).toContain(
      "answers no interrupt",
    );
    expect(events.at(-1).outcome.type).toBe("interrupt");
  });
});

test.each([
  ["Resume", { Resume: [] }],
  ["forwarded_props", { forwarded_props: { toolChoice: "none" } }],
  ["parameter", { tools: [{ name: "pick", description: "", parameter: { type: "object" } }] }],
])("the misspelt field %s is refused by name", async (name, more) => {
  const refused = await rig.post(runInput(more));
  expect([refused.status, await refused.text()]).toEqual([
    422,
    expect.stringContaining(`unknown field \\"${name}\\"`),
  ]);
});

test("the run that spawned this one is named again", async () => {
  expect((await post({ parentRunId: "run-0" }))[0]).toMatchObject({
    type: "RUN_STARTED",
    parentRunId: "run-0",
  });
});
