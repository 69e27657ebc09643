/** A request of several parts counts as a whole or not at all: a part that is refused leaves the others unstored. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventsIn, runInput, type WireEvent } from "../../../../tools/ag-ui-wire.ts";
import { type LlmRequest, toolAnswered } from "../../../../tools/scripted-llm.ts";
import { type AgentUnderTest, agentUnderTest, callThenSay, say } from "./fixtures/agent-under-test.ts";

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
