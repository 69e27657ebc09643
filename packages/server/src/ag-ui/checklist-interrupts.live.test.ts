/** AG-UI 1.0, the server's duties for interrupts and resumed runs. The numbers are those of the checklist. */
import { buildResumeArray } from "@ag-ui/client";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventsIn, runInput, typesOf, type WireEvent } from "../../../../tools/ag-ui-wire.ts";
import { toolAnswered } from "../../../../tools/scripted-llm.ts";
import { type AgentUnderTest, agentUnderTest, needsApproval, say } from "./fixtures/agent-under-test.ts";

let rig: AgentUnderTest;
beforeAll(async () => {
  rig = await agentUnderTest();
});
afterAll(() => rig?.close());
beforeEach(() => rig.reset());

const deletion = (path: string) => ({ id: `call_${path}`, name: "delete_file", input: { path } });

describe("AG-UI checklist: interrupts", () => {
  test("24: a list of interrupts is not empty, and its ids differ", async () => {
    rig.llm.script = (request) =>
      toolAnswered(request) ? say("Done.") : { calls: [deletion("/a.txt"), deletion("/b.txt")] };
    const { seen, agent } = await rig.client("delete both");
    const { outcome } = seen.at(-1);
    expect(new Set(outcome.interrupts.map(({ id }: WireEvent) => id)).size).toBe(2);
    expect(agent.pendingInterrupts).toHaveLength(2);
  });

  test("25: snapshots of state and messages come before an interrupt", async () => {
    rig.llm.script = needsApproval;
    const seen = typesOf(await rig.run());
    expect(seen.slice(seen.indexOf("TOOL_CALL_END"))).toEqual(
      expect.arrayContaining(["STATE_SNAPSHOT", "MESSAGES_SNAPSHOT"]),
    );
    expect(seen.at(-1)).toBe("RUN_FINISHED");
  });

  test("26: an interrupt of a tool call names the real call", async () => {
    rig.llm.script = needsApproval;
    const { seen } = await rig.client("delete it");
    const { toolCallId } = seen.find(({ type }) => type === "TOOL_CALL_START");
    const interrupts = [{ reason: "tool_call", toolCallId }];
    expect(seen.at(-1).outcome).toMatchObject({ type: "interrupt", interrupts });
  });

  test("27: a resumed run has the result of the original call and does not start it again", async () => {
    const { seen } = await approved({});
    expect(typesOf(seen)).toContain("TOOL_CALL_RESULT");
    expect(typesOf(seen)).not.toContain("TOOL_CALL_START");
  });

  test("28: edited arguments replace the model's, and are validated again", async () => {
    const bad = await resumed({ status: "resolved", payload: { approved: true, editedArgs: { path: 5 } } });
    expect(bad.status).toBe(422);
    const { seen } = await approved({ editedArgs: { path: "/other.txt" } });
    const result = seen.find(({ type }) => type === "TOOL_CALL_RESULT");
    expect(JSON.stringify(result.content)).toContain("/other.txt");
  });

  test("29: an uncovered interrupt executes nothing and is not a success", async () => {
    rig.llm.script = needsApproval;
    const threadId = crypto.randomUUID();
    await (await rig.post(runInput({ threadId }))).text();
    const events = eventsIn(await (await rig.post(runInput({ threadId }))).text());
    expect(events.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "resume_required" });
    expect(typesOf(events)).not.toContain("TOOL_CALL_RESULT");
  });

  test("two concurrent requests for the same new thread are two turns of one conversation", async () => {
    const threadId = crypto.randomUUID();
    const both = await Promise.all([rig.run({ threadId }), rig.run({ threadId })]);
    for (const events of both) expect(typesOf(events).at(-1)).toBe("RUN_FINISHED");
    const { body } = await rig.server.call("GET", `/v1/sessions/${threadId}/messages`);
    expect(body.items.map(({ role }: WireEvent) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  });

  test("30: an unknown resume entry is a warning, and the thread continues", async () => {
    const threadId = crypto.randomUUID();
    await (await rig.post(runInput({ threadId }))).text();
    const events = eventsIn(
      await (
        await rig.post(
          runInput({ threadId, messages: [], resume: [{ interruptId: "nobody", status: "resolved" }] }),
        )
      ).text(),
    );
    expect(events.find(({ name }) => name === "capstan.warning")).toBeDefined();
    expect(typesOf(events).at(-1)).toBe("RUN_FINISHED");
  });

  test("30: an expired interrupt can no longer be approved", async () => {
    const made = await rig.server.call("POST", "/v1/agents", {
      name: "Hasty",
      capabilities: ["session_file_system"],
      tool_policies: { delete_file: "approve" },
      approval_expiry: { policy: "expire", after_seconds: 0.001 },
    });
    const at = `${rig.server.url}/v1/agents/${made.body.id}/ag-ui`;
    const yes = await resumed({ status: "resolved", payload: { approved: true } }, at);
    expect(await yes.text()).toContain("not answered in time");
  });

  test("31: the same resume twice executes once", async () => {
    rig.llm.script = needsApproval;
    const threadId = crypto.randomUUID();
    const first = eventsIn(await (await rig.post(runInput({ threadId }))).text());
    const [{ id }] = first.at(-1).outcome.interrupts;
    const body = runInput({
      threadId,
      messages: [],
      resume: [{ interruptId: id, status: "resolved", payload: { approved: true } }],
    });
    const answers = [
      eventsIn(await (await rig.post(body)).text()),
      eventsIn(await (await rig.post({ ...body, runId: "again" })).text()),
    ];
    const results = answers.flat().filter(({ type }) => type === "TOOL_CALL_RESULT");
    expect(results).toHaveLength(1);
    expect(answers.map((events) => typesOf(events).at(-1))).toEqual(["RUN_FINISHED", "RUN_FINISHED"]);
  });
});

/** Starts a run that asks, then answers it like the real client. */
async function approved(payload: object) {
  rig.llm.script = needsApproval;
  const { agent } = await rig.client("delete it");
  const seen: WireEvent[] = [];
  const [pending] = agent.pendingInterrupts;
  const resume = buildResumeArray(agent.pendingInterrupts, {
    [pending?.id ?? ""]: { status: "resolved", payload: { approved: true, ...payload } },
  });
  await agent.runAgent(
    { runId: crypto.randomUUID(), resume },
    { onEvent: ({ event }) => void seen.push(event) },
  );
  return { seen };
}

async function resumed(entry: object, at: string = rig.url): Promise<Response> {
  rig.llm.script = needsApproval;
  const threadId = crypto.randomUUID();
  const first = eventsIn(await (await rig.post(runInput({ threadId }), {}, at)).text());
  const [{ id }] = first.at(-1).outcome.interrupts;
  return rig.post(runInput({ threadId, messages: [], resume: [{ interruptId: id, ...entry }] }), {}, at);
}
