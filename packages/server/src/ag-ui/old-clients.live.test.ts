/** Clients of AG-UI 0.0.x, which send no `protocolVersion` and refuse fields they do not know: the last one that was published. */
import { buildResumeArray, HttpAgent } from "ag-ui-client-0.0";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventsIn, runInput, typesOf, type WireEvent } from "../../../../tools/ag-ui-wire.ts";
import { toolAnswered } from "../../../../tools/scripted-llm.ts";
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
const pickColor = { name: "pick_color", description: "Asks for a color.", parameters: { type: "object" } };
const old = (text: string, initialState = {}) =>
  new HttpAgent({
    url: rig.url,
    threadId: crypto.randomUUID(),
    initialState,
    initialMessages: [{ id: crypto.randomUUID(), role: "user", content: text }],
  });
const turn = async (agent: HttpAgent, more: object = {}): Promise<WireEvent[]> => {
  const seen: WireEvent[] = [];
  await agent.runAgent(
    { runId: crypto.randomUUID(), ...more },
    { onEvent: ({ event }) => void seen.push(event) },
  );
  return seen;
};
const status = async (id: string): Promise<string> =>
  (await rig.server.call("GET", `/v1/approvals/${id}`)).body.status;

describe("a client of the 0.0.x protocol", () => {
  test("gets an answer it can read", async () => {
    const agent = old("hi");
    await turn(agent);
    expect(agent.messages.at(-1)).toMatchObject({ role: "assistant", content: "Hello there." });
  });

  test("runs its own tool and continues", async () => {
    rig.llm.script = (request) =>
      toolAnswered(request) ? say("Nice.") : { calls: [{ id: "call_c", name: "pick_color", input: {} }] };
    const agent = old("pick");
    const seen = await turn(agent, { tools: [pickColor] });
    expect(seen.at(-1).outcome).toEqual({ type: "success" });
    agent.addMessage({ id: "r1", role: "tool", toolCallId: "call_c", content: "blue" });
    await turn(agent, { tools: [pickColor] });
    expect(agent.messages.at(-1)).toMatchObject({ content: "Nice." });
  });

  test("reads state, activities and reasoning", async () => {
    rig.llm.script = callThenSay("update_state", { patch: [{ op: "add", path: "/color", value: "red" }] });
    const painted = old("paint", { size: 3 });
    await turn(painted);
    expect(painted.state).toEqual({ size: 3, color: "red" });
    rig.llm.script = callThenSay("write_todos", {
      todos: [{ content: "Do it", activeForm: "Doing it", status: "in_progress" }],
    });
    const planned = old("plan");
    await turn(planned);
    expect(planned.messages.find(({ role }) => role === "activity")).toMatchObject({
      activityType: "TODO_LIST",
    });
    rig.llm.script = () => ({ reasoning: ["think", "ing"], text: ["Answer."] });
    const thought = old("think");
    await turn(thought);
    expect(thought.messages.find(({ role }) => role === "reasoning")).toMatchObject({ content: "thinking" });
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

  test("reads a provider's refusal as an error of the run", async () => {
    rig.llm.script = () => ({ status: 401 });
    const seen: WireEvent[] = [];
    await old("hi")
      .runAgent({}, { onRunErrorEvent: ({ event }) => void seen.push(event) })
      .catch(() => undefined);
    expect(seen).toHaveLength(1);
    expect(seen[0].message).not.toBe("");
  });
});

describe("an approval with a client of the 0.0.x protocol", () => {
  const asked = async () => {
    rig.llm.script = needsApproval;
    const agent = old("delete it");
    const seen = await turn(agent);
    const [pending] = agent.pendingInterrupts;
    if (!pending) throw new Error(`no interrupt in ${JSON.stringify(seen.at(-1))}`);
    return { agent, seen, pending };
  };
  const answered = async (entry: { status: "resolved" | "cancelled"; payload?: unknown }) => {
    const { agent, pending } = await asked();
    const resume = buildResumeArray(agent.pendingInterrupts, { [pending.id]: entry });
    const seen = await turn(agent, { resume });
    const result = seen.find(({ type }) => type === "TOOL_CALL_RESULT");
    return { agent, seen, result: String(result?.content), status: await status(pending.id) };
  };

  test("is read as an interrupt that names its call", async () => {
    const { agent, seen, pending } = await asked();
    const { toolCallId } = seen.find(({ type }) => type === "TOOL_CALL_START");
    expect(pending).toMatchObject({ reason: "tool_call", toolCallId });
    expect(agent.messages.some(({ role }) => role === "tool")).toBe(false);
    expect(await status(pending.id)).toBe("pending");
  });

  test("runs the call after approved: true, once, and the client has its result", async () => {
    const { agent, seen, result, status } = await answered({
      status: "resolved",
      payload: { approved: true },
    });
    expect(status).toBe("approved");
    expect(result).not.toMatch(/tool_denied/);
    expect(typesOf(seen).filter((type) => type === "TOOL_CALL_RESULT")).toHaveLength(1);
    expect(agent.messages.at(-1)).toMatchObject({ role: "assistant", content: "Done." });
    expect(agent.pendingInterrupts).toEqual([]);
  });

  test("runs the edited call", async () => {
    const payload = { approved: true, editedArgs: { path: "/other.txt" } };
    expect((await answered({ status: "resolved", payload })).result).toContain("/other.txt");
  });

  test.each([
    ["cancelled", { status: "cancelled" as const }],
    ["approved: false", { status: "resolved" as const, payload: { approved: false } }],
    ["no payload", { status: "resolved" as const }],
    ["an empty payload", { status: "resolved" as const, payload: {} }],
    ["the text true", { status: "resolved" as const, payload: { approved: "true" } }],
    ["accepted: true", { status: "resolved" as const, payload: { accepted: true } }],
  ])("does not run the call after %s", async (_what, entry) => {
    const { agent, result, status } = await answered(entry);
    expect(status).toBe("denied");
    expect(result).toMatch(/tool_denied/);
    expect(agent.messages.at(-1)).toMatchObject({ role: "assistant", content: "Done." });
  });

  test("stays pending when a new message comes instead of an answer, by whatever client", async () => {
    const { agent, pending } = await asked();
    agent.addMessage({ id: crypto.randomUUID(), role: "user", content: "something else" });
    await agent.runAgent().catch(() => undefined);
    const { protocolVersion: _, ...body } = runInput({ threadId: agent.threadId });
    const events = eventsIn(await (await rig.post(body)).text());
    expect(events.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "resume_required" });
    expect(await status(pending.id)).toBe("pending");
  });
});
