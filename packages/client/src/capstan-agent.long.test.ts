import type { AgentSubscriber } from "@ag-ui/client";
import type { RunEvent } from "@capstan/core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { runInput } from "../../../tools/ag-ui-wire.ts";
import { complaintsAbout } from "../../../tools/legal-events.ts";
import { type LlmReply, llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../tools/scripted-llm.ts";
import { type ServerProcess, serverProcess } from "../../../tools/server-process.ts";
import { type FreshStore, freshPglite, freshPostgres } from "../../../tools/stores-under-test.ts";
import { CapstanAgent } from "./capstan-agent.ts";

const RESTARTS_MS = 240_000; // processes are killed and restarted, which takes a while on a busy machine
const WORDS = ["one ", "two ", "three ", "four"];

let llm: ScriptedLlm;
beforeAll(async () => {
  llm = await scriptedLlm(() => ({ text: WORDS }));
});
afterAll(() => llm.close());
afterEach(() => {
  llm.script = () => ({ text: WORDS });
});

describe("CapstanAgent with a crashing server", { timeout: RESTARTS_MS }, () => {
  let store: FreshStore;
  let server: ServerProcess;
  let agentId: string;
  beforeAll(async () => {
    store = await freshPglite();
    server = await serverProcess(store, llmEnvironment(llm));
    agentId = await newAgent(server);
  });
  afterAll(async () => {
    await server.end("SIGKILL");
    await store.drop();
  });

  test("a second client that joins during an answer sees all of it", async () => {
    let release: (value?: unknown) => void = () => {};
    const until = new Promise((resolve) => {
      release = resolve;
    });
    llm.script = () => ({ text: WORDS, until });
    const first = agentFor(server.url, agentId);
    const second = agentFor(server.url, agentId, first.agent.threadId);
    let joined: Promise<void> | undefined;
    await first.run(async (text) => {
      if (!text.includes("one") || joined) return;
      second.agent.messages = structuredClone(first.agent.messages);
      joined = second.run(async (seen) => {
        if (seen.includes("one")) release();
      });
    });
    await joined;
    await expectOneAnswer(first);
    await expectOneAnswer(second);
  });

  test("getCapabilities returns what the agent can do, and undefined where there is no such document", async () => {
    const capabilities = await agentFor(server.url, agentId).agent.getCapabilities();
    expect(capabilities.identity).toMatchObject({ name: "Counter", type: "capstan" });
    const elsewhere = new CapstanAgent({ url: `${server.url}/v1/nothing` });
    expect(await elsewhere.getCapabilities()).toBeUndefined();
    expect(await elsewhere.clone().getCapabilities?.()).toBeUndefined();
  });

  test("a run continues after kill -9 and a restart, and the client shows its answer once", async () => {
    const asked = agentFor(server.url, agentId);
    llm.script = neverEnding();
    const port = new URL(server.url).port;
    const run = asked.run(async (text) => {
      if (!text.includes("one")) return;
      llm.script = () => ({ text: WORDS });
      await server.end("SIGKILL");
      server = await serverProcess(store, { ...llmEnvironment(llm), PORT: port });
    });
    await run;
    await expectOneAnswer(asked);
    expect(asked.states).toContain("waiting");
  });

  test("a message sent while the server is down is retried, and runs once", async () => {
    const port = new URL(server.url).port;
    await server.end("SIGKILL");
    const asked = agentFor(server.url, agentId);
    const run = asked.run();
    server = await serverProcess(store, { ...llmEnvironment(llm), PORT: port });
    await run;
    await expectOneAnswer(asked);
    const { body } = await server.call("GET", `/v1/sessions/${asked.agent.threadId}/runs`);
    expect(body.items).toHaveLength(1);
  });

  test("a run whose client left is cancelled after kill -9 and a restart, once its grace period is over", async () => {
    llm.script = neverEnding();
    const statusOf = async (threadId: string) =>
      (await server.call("GET", `/v1/sessions/${threadId}/runs`)).body.items?.[0]?.status;
    const askAndLeave = async (disconnectGraceSeconds: number) => {
      const gone = new AbortController();
      const threadId = crypto.randomUUID();
      const forwardedProps = { onDisconnect: "cancel", disconnectGraceSeconds };
      await fetch(`${server.url}/v1/agents/${agentId}/ag-ui`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(runInput({ threadId, forwardedProps })),
        signal: gone.signal,
      });
      gone.abort();
      return threadId;
    };
    const [soon, later] = await Promise.all([askAndLeave(5), askAndLeave(3600)]);
    expect([await statusOf(soon), await statusOf(later)]).toEqual(["running", "running"]);
    await server.end("SIGKILL");
    server = await serverProcess(store, llmEnvironment(llm));
    await expect.poll(() => statusOf(soon), { timeout: 60_000 }).toBe("cancelled");
    expect(await statusOf(later)).toBe("running");
  });

  test("a graceful stop ends the stream with a hint, and the client continues at the next server", async () => {
    const asked = agentFor(server.url, agentId);
    llm.script = neverEnding();
    const port = new URL(server.url).port;
    await asked.run(async (text) => {
      if (!text.includes("one")) return;
      llm.script = () => ({ text: WORDS });
      await server.end("SIGTERM");
      server = await serverProcess(store, { ...llmEnvironment(llm), PORT: port });
    });
    await expectOneAnswer(asked);
  });
});

test("on Postgres, another process takes over and serves the disconnected client", {
  timeout: RESTARTS_MS,
}, async () => {
  const store = await freshPostgres();
  const [one, two] = await Promise.all([
    serverProcess(store, llmEnvironment(llm)),
    serverProcess(store, llmEnvironment(llm)),
  ]);
  try {
    const agentId = await newAgent(one);
    let killed = false;
    const asked = agentFor(one.url, agentId, crypto.randomUUID(), (url, init) =>
      fetch(killed ? url.replace(one.url, two.url) : url, init),
    );
    llm.script = neverEnding();
    await asked.run(async (text) => {
      if (!text.includes("one")) return;
      llm.script = () => ({ text: WORDS });
      await one.end("SIGKILL");
      killed = true;
    });
    await expectOneAnswer(asked);
  } finally {
    await Promise.all([one.end("SIGKILL"), two.end("SIGKILL")]);
    await store.drop();
  }
});

/** Streams the first words, then hangs as long as the server lives. */
const neverEnding = () => (): LlmReply => ({ text: WORDS, until: new Promise(() => {}) });

async function newAgent(server: ServerProcess): Promise<string> {
  const { body } = await server.call("POST", "/v1/agents", { name: "Counter" });
  return body.id;
}

interface Asked {
  readonly agent: CapstanAgent;
  readonly events: RunEvent[];
  readonly states: string[];
  /** Runs to the end; `onText` is called each time the visible answer grew. */
  run(onText?: (text: string) => Promise<void>): Promise<void>;
}

function agentFor(
  serverUrl: string,
  agentId: string,
  threadId: string = crypto.randomUUID(),
  fetch?: (url: string, init: RequestInit) => Promise<Response>,
): Asked {
  const states: string[] = [];
  const events: RunEvent[] = [];
  const agent = new CapstanAgent({
    url: `${serverUrl}/v1/agents/${agentId}/ag-ui`,
    threadId,
    initialMessages: [{ id: crypto.randomUUID(), role: "user", content: "count" }],
    reconnect: { firstPauseMs: 50, onState: ({ phase }) => states.push(phase) },
    ...(fetch && { fetch }),
  });
  return {
    agent,
    events,
    states,
    async run(onText = async () => {}) {
      const told: Promise<void>[] = [];
      const subscriber: AgentSubscriber = {
        onEvent: ({ event }) => void events.push(event as unknown as RunEvent),
        onTextMessageContentEvent: ({ textMessageBuffer, event }) =>
          void told.push(onText(textMessageBuffer + event.delta)),
      };
      await agent.runAgent({ runId: crypto.randomUUID() }, subscriber);
      await Promise.all(told);
    },
  };
}

async function expectOneAnswer({ agent, events }: Asked): Promise<void> {
  expect(await complaintsAbout(events)).toEqual([]);
  expect(events.filter(({ type }) => type === "RUN_STARTED")).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" } });
  expect(agent.messages.map(({ role, content }) => [role, content])).toEqual([
    ["user", "count"],
    ["assistant", WORDS.join("")],
  ]);
}
