/** Stopping a run, and the outcome of a run whose client disconnects. */
import { CapstanAgent } from "@capstan/client";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventsIn, runInput } from "../../../../tools/ag-ui-wire.ts";
import { type AgentUnderTest, agentUnderTest, say } from "./fixtures/agent-under-test.ts";

let rig: AgentUnderTest;
beforeAll(async () => {
  rig = await agentUnderTest();
});
afterAll(() => rig?.close());
beforeEach(() => rig.reset());

const PATIENT = { timeout: 20_000 }; // on a busy machine the first request takes seconds
const user = (content: string, id: string = crypto.randomUUID()) => ({ id, role: "user" as const, content });

describe("stop stops", () => {
  const held = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    rig.llm.script = () => ({ ...say("late"), until: promise });
    return resolve;
  };
  const statusOf = async (threadId: string) =>
    (await rig.server.call("GET", `/v1/sessions/${threadId}/runs`)).body.items?.[0]?.status;
  const statusesOf = async (threadId: string) => {
    const { body } = await rig.server.call("GET", `/v1/sessions/${threadId}/runs`);
    return body.items.map(({ status }: { status: string }) => status).sort();
  };
  const askAndLeave = async (asked: { threadId: string; forwardedProps: object; messages?: object[] }) => {
    const gone = new AbortController();
    const body = JSON.stringify(runInput(asked));
    const headers = { "content-type": "application/json" };
    await fetch(rig.url, { method: "POST", headers, body, signal: gone.signal });
    await expect.poll(() => statusOf(asked.threadId), PATIENT).toBe("running");
    gone.abort();
  };

  test.each([
    ["an agent", (agent: CapstanAgent) => agent],
    ["its clone", (agent: CapstanAgent) => agent.clone()],
  ])("abortRun() of %s cancels the run on the server", async (_what, make) => {
    const release = held();
    const initialMessages = [user("hi")];
    const agent = make(new CapstanAgent({ url: rig.url, threadId: crypto.randomUUID(), initialMessages }));
    const ended = agent.runAgent().catch(() => {});
    await expect.poll(() => statusOf(agent.threadId), PATIENT).toBe("running");
    agent.abortRun();
    await ended;
    await expect.poll(() => statusOf(agent.threadId), PATIENT).toBe("cancelled");
    release();
  });

  test.each([
    ["by the request", {}, { onDisconnect: "cancel" }],
    ["by the agent", { on_disconnect: "cancel" }, {}],
  ])("a plain client that disconnects cancels, if set %s", async (_what, changes, props) => {
    const release = held();
    await rig.server.call("PATCH", `/v1/agents/${rig.agentId}`, changes);
    const threadId = crypto.randomUUID();
    await askAndLeave({ threadId, forwardedProps: { ...props, disconnectGraceSeconds: 0 } });
    await expect.poll(() => statusOf(threadId), PATIENT).toBe("cancelled");
    await rig.server.call("PATCH", `/v1/agents/${rig.agentId}`, { on_disconnect: "continue" });
    release();
  });

  test("a message after Stop does not wait for the stopped run", async () => {
    const release = held();
    const threadId = crypto.randomUUID();
    const first = user("talk");
    const forwardedProps = { onDisconnect: "cancel", disconnectGraceSeconds: 3600 };
    await askAndLeave({ threadId, forwardedProps, messages: [first] });
    await expect.poll(() => rig.server.services.runs.listenedTo(), PATIENT).toEqual([]);
    rig.llm.script = () => say("Still here.");
    const answer = await rig.post(runInput({ threadId, forwardedProps, messages: [first, user("and now")] }));
    expect(await answer.text()).toContain("Still here.");
    expect(await statusesOf(threadId)).toEqual(["cancelled", "done"]);
    release();
  });

  test("a plain client that disconnects leaves the run running by default", async () => {
    const release = held();
    const threadId = crypto.randomUUID();
    await askAndLeave({ threadId, forwardedProps: { disconnectGraceSeconds: 0 } });
    release();
    await expect.poll(() => statusOf(threadId), PATIENT).toBe("done");
  });
});

describe("a one-off call", () => {
  test("leaves no session behind on request", async () => {
    const threadId = crypto.randomUUID();
    const answer = await rig.post(runInput({ threadId, forwardedProps: { ephemeral: true } }));
    expect(eventsIn(await answer.text()).at(-1).type).toBe("RUN_FINISHED");
    await expect
      .poll(async () => (await rig.server.call("GET", `/v1/sessions/${threadId}`)).status, PATIENT)
      .toBe(404);
  });
});
