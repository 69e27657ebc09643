import type { RunEvent } from "@capstan/core";
import { describe, expect, test } from "vitest";
import { AGENT_ID, collect, last, results, spoken, USER } from "../../../../../tools/engine-under-test.ts";
import { complaintsAbout } from "../../../../../tools/legal-events.ts";
import type { Script } from "../../../../../tools/scripted-model.ts";
import { STORES } from "../../../../../tools/stores-under-test.ts";
import { useEngine } from "../../../../../tools/use-engine.ts";

const sendsMail: Script = (_call, step) =>
  step === 0
    ? [{ text: "I will send it. " }, { call: "send", input: { to: "bob@example.com" } }]
    : [{ text: "Done." }];

describe.each(STORES)("an approval on $name", ({ fresh }) => {
  const engine = useEngine(fresh, {
    agents: [
      { id: "00000000-0000-7000-8000-000000000002", approvalExpiry: { policy: "expire", afterSeconds: 0 } },
      {
        id: "00000000-0000-7000-8000-000000000003",
        approvalExpiry: { policy: "escalate", afterSeconds: 0, to: "boss@example.com" },
      },
    ],
  });

  async function asked(script: Script = sendsMail, agentId = AGENT_ID) {
    engine.answers = script;
    const session = await engine.newSession({ agentId });
    await engine.runs.send(session, { content: "mail bob" });
    const events = await collect(engine.runs, session);
    const { items } = await engine.runs.approvals.list({ sessionId: session, limit: 10 });
    return { session, events, items, id: items[0]?.id ?? "none", after: events.length };
  }

  test("ends the segment with an interrupt that says who wants what, and why", async () => {
    const { events, items } = await asked();
    expect(items).toMatchObject([
      {
        status: "pending",
        tool: "send",
        capabilityId: "test_tools",
        arguments: { to: "bob@example.com", body: "" },
        userEmail: USER,
        assignee: USER,
        reason: "Approval is required for every call.",
        expiry: { policy: "wait" },
        expiresAt: null,
      },
    ]);
    expect(last(events)).toMatchObject({
      type: "RUN_FINISHED",
      outcome: {
        type: "interrupt",
        interrupts: [
          {
            id: items[0]?.id,
            reason: "tool_call",
            message: "Allow send? Approval is required for every call.",
            toolCallId: items[0]?.callId,
          },
        ],
      },
    });
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["STATE_SNAPSHOT", "MESSAGES_SNAPSHOT"]),
    );
    expect(await complaintsAbout(events)).toEqual([]);
    expect(engine.notes).toEqual([]);
  });

  test("that is granted runs the call and continues", async () => {
    const { session, id, after } = await asked();
    expect(await engine.runs.approvals.answer(id, { approve: true, by: USER })).toMatchObject({
      ok: true,
      value: { status: "approved", decidedBy: USER },
    });
    const events = await collect(engine.runs, session, { after });
    expect(events[0]).toMatchObject({ type: "RUN_STARTED", runId: expect.stringMatching(/:1$/) });
    expect(results(events)).toEqual(["sent to bob@example.com"]);
    expect(events.some(({ type }) => type === "TOOL_CALL_START")).toBe(false);
    expect(spoken(events)).toBe("Done.");
    expect(await complaintsAbout(await collect(engine.runs, session, { runs: 2 }))).toEqual([]);
  });

  test("gives every segment a start time: first, resumed, queued, and resumed to be cancelled", async () => {
    const { session, id } = await asked((_call, step) =>
      step % 2 === 0 ? [{ call: "send", input: { to: "bob@example.com" } }] : [{ text: "Done." }],
    );
    await engine.runs.send(session, { content: "once more" });
    await engine.runs.approvals.answer(id, { approve: true, by: USER });
    await collect(engine.runs, session, { runs: 3 });
    await engine.runs.cancel(session);
    const events = await collect(engine.runs, session, { runs: 4 });
    const starts = events.filter((event) => event.type === "RUN_STARTED");
    const [first, second] = [...new Set(starts.map(({ runId }) => runId.split(":")[0]))];
    expect(starts).toEqual(
      [`${first}`, `${first}:1`, `${second}`, `${second}:1`].map((runId) => ({
        type: "RUN_STARTED",
        threadId: session,
        runId,
        protocolVersion: "1.0",
        timestamp: expect.any(Number),
      })),
    );
    expect(await complaintsAbout(events)).toEqual([]);
  });

  test("denied with a reason tells the model, and the tool never runs", async () => {
    const { session, id, after } = await asked();
    await engine.runs.approvals.answer(id, { approve: false, by: USER, words: "wrong Bob" });
    const events = await collect(engine.runs, session, { after });
    expect(results(events)[0]).toMatch(/tool_denied.*ann@example.com denied it: wrong Bob/);
    expect(engine.notes).toEqual([]);
  });

  test("with edited arguments runs with those, and the model sees them", async () => {
    let shown = "";
    const { session, id, after } = await asked((call, step) => {
      shown = JSON.stringify(call.prompt);
      return sendsMail(call, step);
    });
    await engine.runs.approvals.answer(id, {
      approve: true,
      by: USER,
      editedArguments: { to: "carol@example.com" },
    });
    const events = await collect(engine.runs, session, { after });
    expect(results(events)).toEqual(["sent to carol@example.com"]);
    expect(shown).toContain('"input":{"to":"carol@example.com"}');
    expect(shown).not.toContain("bob@example.com");
  });

  test("with invalid edited arguments is refused and stays pending", async () => {
    const { id } = await asked();
    const answer = await engine.runs.approvals.answer(id, {
      approve: true,
      by: USER,
      editedArguments: { to: 7 },
    });
    expect(answer).toMatchObject({ ok: false, failure: { code: "tool_input_invalid" } });
    expect(await engine.runs.approvals.get(id)).toMatchObject({ value: { status: "pending" } });
    await engine.runs.approvals.answer(id, { approve: false, by: USER });
  });

  test("with edited arguments and a no is refused and stays pending", async () => {
    const { id } = await asked();
    const edits = { approve: false, by: USER, editedArguments: { to: "carol@example.com" } };
    expect(await engine.runs.approvals.answer(id, edits)).toMatchObject({
      ok: false,
      failure: { code: "input_invalid" },
    });
    expect(await engine.runs.approvals.get(id)).toMatchObject({ value: { status: "pending" } });
    await engine.runs.approvals.answer(id, { approve: false, by: USER });
  });

  test("answered many times at once is executed once", async () => {
    const { session, id, after } = await asked();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        engine.runs.approvals.answer(id, { approve: at % 2 === 0, by: USER }),
      ),
    );
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    expect(answers.filter((answer) => !answer.ok && answer.failure.code === "approval_decided")).toHaveLength(
      7,
    );
    const events = await collect(engine.runs, session, { after });
    expect(results(events)).toHaveLength(1);
    expect(engine.notes.length).toBeLessThanOrEqual(1);
  });

  test("one of two leaves the run waiting until both are answered, even concurrently", async () => {
    const { session, items, after } = await asked((_call, step) =>
      step === 0
        ? [
            { call: "send", input: { to: "a@example.com" } },
            { call: "add", input: { a: 1, b: 2 } },
            { call: "send", input: { to: "b@example.com" } },
          ]
        : [{ text: "Both." }],
    );
    expect(items).toHaveLength(2);
    await Promise.all(items.map(({ id }) => engine.runs.approvals.answer(id, { approve: true, by: USER })));
    const events = await collect(engine.runs, session, { after });
    expect(results(events).sort()).toEqual(["sent to a@example.com", "sent to b@example.com"]);
    expect(engine.records.filter(({ tool }) => tool === "add")).toHaveLength(1);
  });

  test("queues a message that arrives meanwhile", async () => {
    const { session, id, after } = await asked();
    const sent = await engine.runs.send(session, { content: "and?" });
    expect(sent).toMatchObject({ value: { status: "queued" } });
    await engine.runs.approvals.answer(id, { approve: true, by: USER });
    const events = await collect(engine.runs, session, { after, runs: 2 });
    expect(events.filter(({ type }) => type === "RUN_STARTED")).toHaveLength(2);
  });

  test("that expires is a denial", async () => {
    const { session, after } = await asked(sendsMail, "00000000-0000-7000-8000-000000000002");
    await engine.runs.approvals.expire();
    const events = await collect(engine.runs, session, { after });
    expect(results(events)[0]).toMatch(/not answered in time/);
    expect(engine.notes).toEqual([]);
  });

  test("that escalates goes to another person and waits", async () => {
    const { id } = await asked(sendsMail, "00000000-0000-7000-8000-000000000003");
    await engine.runs.approvals.expire();
    expect(await engine.runs.approvals.get(id)).toMatchObject({
      value: { status: "pending", assignee: "boss@example.com", expiresAt: null },
    });
    const inbox = await engine.runs.approvals.list({
      assignee: "boss@example.com",
      status: "pending",
      limit: 10,
    });
    expect(inbox.items.map((item) => item.id)).toContain(id);
    await engine.runs.approvals.answer(id, { approve: false, by: "boss@example.com" });
  });

  test("is withdrawn when the run is cancelled", async () => {
    const { session, id, after } = await asked();
    expect(await engine.runs.cancel(session, { by: USER })).toMatchObject({ ok: true });
    const events = await collect(engine.runs, session, { after });
    expect(events.map(({ type }) => type)).toEqual(["RUN_STARTED", "RUN_FINISHED"]);
    expect(last(events)).toMatchObject({ outcome: { type: "cancelled" } });
    expect(await engine.runs.approvals.answer(id, { approve: true, by: USER })).toMatchObject({
      failure: { code: "approval_decided" },
    });
    expect(engine.notes).toEqual([]);
  });
});

describe.each(STORES)("a client's tool on $name", ({ fresh }) => {
  const engine = useEngine(fresh);
  const clientTools = [
    { name: "show_map", description: "Shows a map.", parameters: { type: "object", required: ["place"] } },
  ];
  const asks: Script = ({ prompt }, step) =>
    step === 0
      ? [
          { call: "show_map", input: { place: "Oslo" }, id: "map" },
          { call: "pick", input: { from: ["a"] }, id: "pick" },
        ]
      : [{ text: `They said ${JSON.stringify(prompt.at(-1)?.content)}` }];

  test("suspends the run with the pending calls, and their results resume it", async () => {
    engine.answers = asks;
    const session = await engine.newSession();
    await engine.runs.send(session, { content: "map" }, { clientTools });
    const events = await collect(engine.runs, session);
    expect(last(events)).toMatchObject({
      type: "RUN_FINISHED",
      outcome: { type: "success", pendingToolCallIds: ["map", "pick"] },
    });
    expect(results(events)).toEqual([]);
    const one = await engine.runs.clientResults(session, [{ toolCallId: "map", content: "shown" }]);
    expect(one).toMatchObject({ ok: true, value: { resumed: false } });
    const two = await engine.runs.clientResults(session, [
      { toolCallId: "pick", content: "a", error: "gone" },
    ]);
    expect(two).toMatchObject({ ok: true, value: { resumed: true } });
    const rest = await collect(engine.runs, session, { after: events.length });
    expect(spoken(rest)).toMatch(/shown.*gone/);
    expect(await complaintsAbout([...events, ...rest])).toEqual([]);
  });

  test("counts a result once, all of a request or none, and none that was not requested", async () => {
    engine.answers = asks;
    const session = await engine.newSession();
    await engine.runs.send(session, { content: "map" }, { clientTools });
    await collect(engine.runs, session);
    const shown = { toolCallId: "map", content: "shown" };
    const both = [shown, { toolCallId: "other", content: "x" }];
    expect(await engine.runs.clientResults(session, both)).toMatchObject({ ok: false });
    for (const _again of [1, 2]) // the second time it is known
      expect(await engine.runs.clientResults(session, [shown])).toMatchObject({ ok: true });
    const { items } = await engine.runs.messages(session, { limit: 10 });
    expect(items.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    for (const toolCallId of ["map", "other"]) {
      expect(await engine.runs.clientResults(session, [{ toolCallId, content: "x" }])).toMatchObject({
        failure: { code: "call_not_pending" },
      });
    }
  });

  test("is abandoned when the user sends another message instead", async () => {
    engine.answers = (call, step) =>
      JSON.stringify(call.prompt.at(-1)).includes("never mind") ? [{ text: "Fine." }] : asks(call, step);
    const session = await engine.newSession();
    await engine.runs.send(session, { content: "map" }, { clientTools });
    await collect(engine.runs, session);
    await engine.runs.send(session, { content: "never mind" });
    const events = await collect(engine.runs, session, { runs: 3 });
    expect(spoken(events)).toBe("Fine.");
  });

  test("is validated by its own schema before the client gets it", async () => {
    engine.answers = (_call, step) => (step === 0 ? [{ call: "show_map", input: {} }] : [{ text: "Oh." }]);
    const session = await engine.newSession();
    await engine.runs.send(session, { content: "map" }, { clientTools });
    const events: RunEvent[] = await collect(engine.runs, session);
    expect(results(events)[0]).toMatch(/tool_input_invalid/);
  });
});

describe.each(STORES)("a call without a run on $name", ({ fresh }) => {
  const engine = useEngine(fresh);

  test("waits in the same inbox, runs once when approved, and stores its result", async () => {
    const composed = await engine.composeFor(AGENT_ID);
    if (!composed.ok) throw new Error(composed.failure.message);
    const tool = composed.value.tools.find(({ name }) => name === "send");
    if (!tool) throw new Error("send is missing");
    const { id } = await engine.runs.approvals.ask({
      callId: "c1",
      agent: composed.value,
      tool,
      input: { to: "bob@example.com", body: "" },
      why: "it asks",
      userEmail: USER,
    });
    const answers = await Promise.all(
      [1, 2, 3].map(() => engine.runs.approvals.answer(id, { approve: true, by: USER })),
    );
    expect(answers.filter(({ ok }) => ok)).toMatchObject([
      { value: { result: { output: "sent to bob@example.com" } } },
    ]);
    expect(engine.notes).toEqual([{ text: "sent to bob@example.com", key: id }]);
    expect(await engine.runs.approvals.get(id)).toMatchObject({
      value: { result: { output: "sent to bob@example.com" } },
    });
  });
});
