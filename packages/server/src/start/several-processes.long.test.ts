/** Three server processes on one Postgres, as behind a proxy: whichever is asked, and whichever dies, they act as one server. */
import { readServerSentEvents } from "@capstan/client";
import type { RunEvent } from "@capstan/core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { onScreen } from "../../../../tools/engine-under-test.ts";
import { complaintsAbout } from "../../../../tools/legal-events.ts";
import {
  type LlmReply,
  type LlmRequest,
  llmEnvironment,
  type ScriptedLlm,
  scriptedLlm,
  toolAnswered,
} from "../../../../tools/scripted-llm.ts";
import { type ServerProcess, serverProcess } from "../../../../tools/server-process.ts";
import { emptyPostgres, type FreshStore } from "../../../../tools/stores-under-test.ts";

const WORDS = ["one ", "two ", "three ", "four"];
const ANSWER = WORDS.join("");

let store: FreshStore;
let llm: ScriptedLlm;
let a: ServerProcess;
let b: ServerProcess;
let c: ServerProcess;
let agentId: string;

beforeAll(async () => {
  llm = await scriptedLlm(() => ({ text: WORDS }));
  store = await emptyPostgres();
  const start = () => serverProcess(store, llmEnvironment(llm));
  [a, b, c] = await Promise.all([start(), start(), start()]);
  const { body } = await a.call("POST", "/v1/agents", {
    name: "Counter",
    capabilities: ["session_file_system"],
    tool_policies: { write_file: "approve" },
  });
  agentId = body.id;
}, 120_000);
afterAll(async () => {
  await Promise.all([a, b, c].map((server) => server?.end("SIGKILL")));
  await llm.close();
  await store.drop();
});
beforeEach(() => {
  llm.script = () => ({ text: WORDS });
});

describe("three processes on one Postgres", { timeout: 60_000 }, () => {
  test("all come up when started at once on an empty database", async () => {
    const ready = await Promise.all([a, b, c].map((server) => server.call("GET", "/ready")));
    expect(ready.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await c.call("GET", `/v1/agents/${agentId}`)).body.name).toBe("Counter");
  });

  test("a client that is disconnected during an answer continues at another process, without gaps or duplicates", async () => {
    const gate = held();
    const session = await send(a);
    const first = await follow(a, session, { until: (event) => said(event, "one") });
    const rest = follow(b, session, { after: first.last });
    gate.open();
    const all = [...first.events, ...(await rest).events];
    expect((await rest).gaps).toEqual([]);
    expect(onScreen(all)).toEqual([ANSWER]);
    expect(await complaintsAbout(all)).toEqual([]);
  });

  test("an approval asked by one is answered at another, with other arguments, and runs once", async () => {
    llm.script = asksFirst;
    const session = await send(a);
    await follow(c, session);
    const { body } = await b.call("GET", `/v1/approvals?status=pending&session_id=${session}`);
    const answer = { decision: "approve", edited_args: { path: "/a.txt", content: "person's" } };
    const path = `/v1/approvals/${body.items[0].id}`;
    const answers = await Promise.all([b, c, b].map((server) => server.call("POST", path, answer)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const { events } = await follow(a, session, { ends: 2 });
    expect(onScreen(events)).toEqual([ANSWER]);
    expect(events.filter(({ type }) => type === "TOOL_CALL_RESULT")).toHaveLength(1);
    expect((await c.call("GET", `/v1/sessions/${session}/files/a.txt`)).body).toBe("person's");
  });

  test("a run of one is cancelled at another", async () => {
    held();
    const session = await send(a);
    await follow(a, session, { until: (event) => said(event, "one") });
    expect((await c.call("POST", `/v1/sessions/${session}/cancel`)).status).toBeLessThan(300);
    const { events } = await follow(b, session);
    expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "cancelled" } });
  });

  test("a frozen one loses its run to another, and adds nothing when it resumes", async () => {
    held();
    const session = await send(b);
    await follow(b, session, { until: (event) => said(event, "one") });
    b.child.kill("SIGSTOP");
    llm.script = () => ({ text: WORDS });
    const seen = await follow(a, session);
    b.child.kill("SIGCONT");
    expect(onScreen(seen.events)).toEqual([ANSWER]);
    const again = await send(b, await newSession(b)); // it works again, with the others' state
    expect(onScreen((await follow(c, again)).events)).toEqual([ANSWER]);
    expect((await follow(b, session)).events).toEqual(seen.events);
  });

  test("one that is asked to stop notifies its clients, accepts no more, and releases its run", async () => {
    held();
    const session = await send(b);
    const open = follow(b, session, { until: () => false });
    await follow(b, session, { until: (event) => said(event, "one") });
    llm.script = () => ({ text: WORDS });
    await b.end("SIGTERM");
    const { text } = await open;
    expect(text).toMatch(/retry: 250\n: the server is stopping; reconnect\n\n$/);
    await expect(b.call("GET", "/health")).rejects.toThrow();
    expect(onScreen((await follow(c, session)).events)).toEqual([ANSWER]);
  });

  test("one that is killed has its run finished by another, and its question answered there", async () => {
    llm.script = asksFirst;
    const asked = await send(a);
    await follow(a, asked);
    held();
    const session = await send(a);
    await follow(a, session, { until: (event) => said(event, "one") });
    llm.script = () => ({ text: WORDS });
    await a.end("SIGKILL");
    const { body } = await c.call("GET", `/v1/approvals?status=pending&session_id=${asked}`);
    await c.call("POST", `/v1/approvals/${body.items[0].id}`, { decision: "approve" });
    expect(onScreen((await follow(c, asked, { ends: 2 })).events)).toEqual([ANSWER]);
    const { events } = await follow(c, session);
    expect(onScreen(events)).toEqual([ANSWER]);
    expect(await complaintsAbout(events)).toEqual([]);
  });
});

const asksFirst = (request: LlmRequest): LlmReply =>
  toolAnswered(request)
    ? { text: WORDS }
    : { calls: [{ id: "call_w", name: "write_file", input: { path: "/a.txt", content: "model's" } }] };

/** The model pauses before its last word until the gate is opened. */
function held(): { open: () => void } {
  let open = () => {};
  const until = new Promise<void>((resolve) => {
    open = resolve;
  });
  llm.script = () => ({ text: WORDS, until });
  return { open };
}

async function newSession(server: ServerProcess): Promise<string> {
  return (await server.call("POST", "/v1/sessions", { agent_id: agentId })).body.id;
}

async function send(server: ServerProcess, session?: string): Promise<string> {
  const id = session ?? (await newSession(server));
  expect((await server.call("POST", `/v1/sessions/${id}/messages`, { content: "count" })).status).toBe(202);
  return id;
}

const said = (event: RunEvent, word: string): boolean =>
  event.type === "TEXT_MESSAGE_CONTENT" && event.delta.includes(word);

interface Followed {
  readonly events: RunEvent[];
  readonly last: number;
  readonly gaps: string[];
  /** As it came over the wire. */
  readonly text: string;
}

/** Reads until the run's end, until `until` says so, or until the server closes the stream. */
async function follow(
  server: ServerProcess,
  session: string,
  options: { after?: number; ends?: number; until?: (event: RunEvent) => boolean } = {},
): Promise<Followed> {
  const { after = 0, ends = 1, until = isEnd(ends) } = options;
  const stop = new AbortController();
  const events: RunEvent[] = [];
  const gaps: string[] = [];
  let last = after;
  let text = "";
  const response = await fetch(`${server.url}/v1/sessions/${session}/events`, {
    headers: { "last-event-id": String(after) },
    signal: stop.signal,
  });
  const copy = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      text += new TextDecoder().decode(bytes);
      controller.enqueue(bytes);
    },
  });
  const body = (response.body as ReadableStream<Uint8Array>).pipeThrough(copy);
  const reading = readServerSentEvents(body, ({ id, data }) => {
    if (stop.signal.aborted) return;
    const seq = Number(id);
    if (seq !== last + 1) gaps.push(`${seq} after ${last}`);
    last = seq;
    const event: RunEvent = JSON.parse(data);
    events.push(event);
    if (until(event)) stop.abort();
  });
  await reading.catch((error) => {
    if (!stop.signal.aborted) throw error;
  });
  return { events, last, gaps, text };
}

function isEnd(ends: number): (event: RunEvent) => boolean {
  let left = ends;
  return ({ type }) => (type === "RUN_FINISHED" || type === "RUN_ERROR") && --left === 0;
}
