/**
 * Everything the capabilities document declares, done. The flags are read from the documents of real agents: one that
 * no exercise below covers fails the first test.
 */
import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { AgentCapabilitiesSchema } from "@ag-ui/core/schemas";
import { AGUI_MEDIA_TYPE } from "@ag-ui/proto";
import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventsIn, numberedEvents, postRun, runInput, typesOf } from "../../../../tools/ag-ui-wire.ts";
import { type RecordingProxy, recordingProxy } from "../../../../tools/recording-proxy.ts";
import {
  type LlmReply,
  type LlmRequest,
  lastUserText,
  llmEnvironment,
  type ScriptedLlm,
  scriptedLlm,
  toolAnswered,
} from "../../../../tools/scripted-llm.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

// biome-ignore lint/suspicious/noExplicitAny: events and documents are read field by field
type Any = any;

const SECRET = "a secret of the operator";
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let server: TestServer;
let llm: ScriptedLlm;
let wire: RecordingProxy;
const mock = new LLMock({ port: 0, chunkSize: 4 });
const agents: Record<"full" | "thinker" | "sealed" | "seer", string> = {
  full: "",
  thinker: "",
  sealed: "",
  seer: "",
};

beforeAll(async () => {
  llm = await scriptedLlm(() => ({ text: ["Hello."] }));
  await mock.start();
  wire = await recordingProxy(() => mock.url);
  server = await testServer(await freshPglite(), {
    ...llmEnvironment(llm),
    ...{ ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: `${wire.url}/v1` },
    ...{ OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${wire.url}/v1` },
    ...{ GOOGLE_GENERATIVE_AI_API_KEY: "k", GOOGLE_BASE_URL: `${wire.url}/v1beta` },
    ...{ CAPSTAN_ALLOW_HOSTS: "127.0.0.1", CAPSTAN_SECRET: SECRET },
  });
  const helper = await newAgent({ name: "Helper", description: "Helps out." });
  agents.full = await newAgent({
    capabilities: ["test_math", "session_file_system", "sandbox", `agent.${helper}`],
    tool_policies: { delete_file: "approve" },
  });
  agents.thinker = await newAgent({ model: "anthropic/claude-sonnet-5-5" });
  agents.sealed = await newAgent({ model: "openai/gpt-6.1-sol" });
  agents.seer = await newAgent({ model: "google/gemini-3.8-flash" });
});
afterAll(async () => {
  await server.stop();
  await llm.close();
  wire.close();
  await mock.stop();
});
beforeEach(() => {
  mock.reset();
  llm.script = () => ({ text: ["Hello ", "there."] });
  llm.requests.length = 0;
});

async function newAgent(more: object): Promise<string> {
  const { body, status } = await server.call("POST", "/v1/agents", { name: "Tester", ...more });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
}

const documentOf = async (agentId: string, query = "") =>
  (await server.call("GET", `/v1/agents/${agentId}/ag-ui/capabilities${query}`)).body;

/** Every `true`, and the numbers a client relies on, by path. Lists are data, not flags. */
function flagsOf(value: Any, path = ""): string[] {
  if (value === true || (typeof value === "number" && path.startsWith("execution"))) return [path];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "custom" || key === "identity" ? [] : flagsOf(inner, path === "" ? key : `${path}.${key}`),
  );
}

const EXERCISES: Record<string, () => Promise<unknown>> = {
  "transport.streaming": streams,
  "transport.httpBinary": speaksProtobuf,
  "transport.pushNotifications": callsWebhook,
  "transport.resumable": resumes,
  "tools.supported": async () =>
    expect(results(await calls("add", { a: 2, b: 40 }))).toEqual(['{"result":42}']),
  "tools.parallelCalls": callsInParallel,
  "tools.clientProvided": usesClientTools,
  "output.structuredOutput": fitsASchema,
  "state.snapshots": async () => expect(typesOf(await asksForApproval())).toContain("STATE_SNAPSHOT"),
  "state.deltas": async () =>
    expect((await changesState()).delta).toEqual([{ op: "replace", path: "/count", value: 2 }]),
  "state.persistentState": remembersState,
  "multiAgent.supported": delegates,
  "multiAgent.delegation": delegates,
  "multiAgent.handoffs": handsOver,
  "reasoning.supported": thinks,
  "reasoning.streaming": thinks,
  "reasoning.encrypted": keepsThoughts,
  "multimodal.input.image": () => shows("full", "image", "image/png"),
  "multimodal.input.audio": () => shows("seer", "audio", "audio/mpeg"),
  "multimodal.input.video": () => shows("seer", "video", "video/mp4"),
  "multimodal.input.pdf": () => shows("thinker", "document", "application/pdf"),
  "multimodal.input.file": keepsAnyFile,
  "execution.codeExecution": () => runsCode("6 * 7", "42"),
  "execution.sandboxed": () => runsCode("typeof fetch + typeof process.env.PATH", "undefinedundefined"),
  "execution.maxIterations": stopsAfterItsSteps,
  "execution.maxExecutionTime": stopsInTime,
  "humanInTheLoop.supported": asksForApproval,
  "humanInTheLoop.approvals": asksForApproval,
  "humanInTheLoop.interrupts": resumesAnInterrupt,
  "humanInTheLoop.approveWithEdits": takesEdits,
  "humanInTheLoop.feedback": hearsFeedback,
};

describe("the capabilities document", () => {
  test("declares nothing that is not exercised here, and everything that is", async () => {
    const documents = await Promise.all(Object.values(agents).map((id) => documentOf(id)));
    for (const document of documents)
      expect(AgentCapabilitiesSchema.safeParse(document)).toMatchObject({ success: true });
    const declared = new Set(documents.flatMap((document) => flagsOf(document)));
    expect([...declared].sort()).toEqual(Object.keys(EXERCISES).sort());
  });

  test.each(Object.entries(EXERCISES))("what it says of %s is true", async (_flag, exercise) => {
    await exercise();
  });

  test("changes when a capability is added, and when it is taken away", async () => {
    const id = await newAgent({ capabilities: [] });
    const before = await documentOf(id);
    expect(before.tools.items).toEqual([]);
    expect(before.execution.codeExecution).toBeUndefined();
    await server.call("PATCH", `/v1/agents/${id}`, { capabilities: ["sandbox"] });
    const after = await documentOf(id);
    expect(after.tools.items.map(({ name }: Any) => name)).toEqual(["execute_code"]);
    expect(after.execution.codeExecution).toBe(true);
    expect(after.identity.version).not.toBe(before.identity.version);
    await server.call("PATCH", `/v1/agents/${id}`, { capabilities: [] });
    expect((await documentOf(id)).execution.codeExecution).toBeUndefined();
  });

  test("tells the limit of the key that asks", async () => {
    const { body } = await server.call("POST", "/v1/keys", { name: "slow", rights: ["read"], per_minute: 7 });
    const path = `/v1/agents/${agents.full}/ag-ui/capabilities`;
    const answer = await server.call("GET", path, undefined, { authorization: `Bearer ${body.key}` });
    expect(answer.body.custom.rateLimit).toEqual({ maxRequestsPerMinute: 7 });
  });

  test("is 404 without an agent", async () => {
    expect((await server.call("GET", "/v1/agents/nobody/ag-ui/capabilities")).status).toBe(404);
  });

  test("shows beside the declaration what runs really did, when asked", async () => {
    const id = await newAgent({ capabilities: ["test_math"] });
    expect(await documentOf(id)).not.toHaveProperty("observed");
    expect((await documentOf(id, "?observed=true")).observed).toEqual([]);
    llm.script = once({ calls: [1, 2].map((n) => ({ id: `p${n}`, name: "add", input: { a: n, b: n } })) });
    await run({}, id);
    const observed = await eventually(async () => (await documentOf(id, "?observed=true")).observed, 2);
    expect(observed.map(({ feature }: Any) => feature)).toEqual(["parallelCalls", "toolCalls"]);
    expect(observed[0]).toMatchObject({ model: "openai-compatible/scripted", seenAt: expect.any(String) });
  });
});

async function streams() {
  let release: (value?: unknown) => void = () => {};
  const until = new Promise((resolve) => {
    release = resolve;
  });
  llm.script = () => ({ text: ["first", "last"], until });
  const { reader, text } = await readUntil("first");
  expect(text).not.toContain("RUN_FINISHED");
  release();
  await reader?.cancel();
}

async function speaksProtobuf() {
  const response = await post(runInput(), agents.full, { accept: AGUI_MEDIA_TYPE });
  expect(response.headers.get("content-type")).toBe(AGUI_MEDIA_TYPE);
  expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(50);
}

async function callsWebhook() {
  const called = new Promise<{ headers: IncomingMessage["headers"]; body: string }>((resolve) => {
    const hook = createServer(async (request, response) => {
      let body = "";
      for await (const part of request) body += part;
      response.end();
      hook.close();
      resolve({ headers: request.headers, body });
    });
    hook.listen(0, "127.0.0.1", async () => {
      const { port } = hook.address() as AddressInfo;
      await run({ forwardedProps: { webhook: { url: `http://127.0.0.1:${port}/done` } } });
    });
  });
  const { headers, body } = await called;
  expect(JSON.parse(body)).toMatchObject({ event: "run.ended", status: "done", text: "Hello there." });
  const [, at, signed] = /^t=(\d+),v1=([0-9a-f]+)$/.exec(String(headers["capstan-signature"])) ?? [];
  expect(signed).toBe(createHmac("sha256", SECRET).update(`${at}.${body}`).digest("hex"));
}

async function resumes() {
  const asked = runInput();
  const whole = numberedEvents(await (await post(asked)).text());
  const cut = whole[2]?.id;
  const rest = await fetch(`${server.url}/v1/sessions/${asked.threadId}/events`, {
    headers: { "last-event-id": String(cut) },
  });
  const reader = rest.body?.getReader();
  let text = "";
  while (!text.includes("RUN_FINISHED")) text += new TextDecoder().decode((await reader?.read())?.value);
  await reader?.cancel();
  const ids = numberedEvents(text).map(({ id }) => id);
  expect(ids).toEqual(whole.map(({ id }) => id).filter((id) => Number(id) > Number(cut)));
}

async function callsInParallel() {
  const twice = [1, 2].map((n) => ({
    id: `p${n}-${crypto.randomUUID()}`,
    name: "add",
    input: { a: n, b: n },
  }));
  llm.script = once({ calls: twice });
  const events = await run();
  expect(results(events).sort()).toEqual(['{"result":2}', '{"result":4}']);
  expect(typesOf(events).filter((type) => type === "STEP_STARTED")).toHaveLength(2);
}

async function usesClientTools() {
  llm.script = once({ calls: [{ id: `pick-${crypto.randomUUID()}`, name: "pick", input: {} }] });
  const tools = [
    { name: "pick", description: "Lets the user pick.", parameters: { type: "object", properties: {} } },
  ];
  const events = await run({ tools });
  expect(events.at(-1).outcome.pendingToolCallIds).toHaveLength(1);
}

async function fitsASchema() {
  llm.script = () => ({ text: ['{"city":', '"Oslo"}'] });
  const outputSchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  expect((await run({ forwardedProps: { outputSchema } })).at(-1).result).toEqual({ city: "Oslo" });
}

async function changesState(threadId: string = crypto.randomUUID()) {
  llm.script = once({
    calls: [
      {
        id: `s-${crypto.randomUUID()}`,
        name: "update_state",
        input: { patch: [{ op: "replace", path: "/count", value: 2 }] },
      },
    ],
  });
  const events = await run({ threadId, state: { count: 1 } });
  return events.find(({ type }) => type === "STATE_DELTA");
}

async function remembersState() {
  const threadId = crypto.randomUUID();
  await changesState(threadId);
  llm.script = () => ({ text: ["ok"] });
  await run({ threadId });
  expect(lastUserText(llm.requests.at(-1) as LlmRequest)).toContain('count\\":2');
}

async function delegates() {
  const asked = (request: LlmRequest) => lastUserText(request).includes("the helper's task");
  const call = {
    id: `d-${crypto.randomUUID()}`,
    name: "delegate_to_helper",
    input: { task: "the helper's task" },
  };
  llm.script = (request) =>
    asked(request) ? { text: ["Helped."] } : toolAnswered(request) ? { text: ["Done."] } : { calls: [call] };
  const events = await run();
  expect(typesOf(events)).toContain("SUBAGENT_STARTED");
  expect(results(events)).toEqual(["Helped."]);
}

async function handsOver() {
  const call = {
    id: `h-${crypto.randomUUID()}`,
    name: "hand_over_to_helper",
    input: { reason: "better at it" },
  };
  llm.script = once({ calls: [call] }, { text: ["I am the helper."] });
  const events = await run();
  expect(events.find(({ name }) => name === "capstan.handed_over")).toBeDefined();
  expect(spoken(events)).toBe("I am the helper.");
}

async function thinks() {
  mock.onMessage("hi", { content: "Done.", reasoning: "Let me see about that.", reasoningSignature: "c2ln" });
  const events = await run({ forwardedProps: { reasoning: "high" } }, agents.thinker);
  const thoughts = events
    .filter(({ type }) => type === "REASONING_MESSAGE_CONTENT")
    .map(({ delta }) => delta);
  expect(thoughts.join("")).toBe("Let me see about that.");
}

async function keepsThoughts() {
  mock.onMessage("hi", { content: "Done.", reasoning: "A summary.", reasoningSignature: "c2VhbGVk" });
  const events = await run({ forwardedProps: { reasoning: "high" } }, agents.sealed);
  const sealed = events.find(({ type }) => type === "REASONING_ENCRYPTED_VALUE");
  expect(sealed?.encryptedValue).toContain("reasoningEncryptedContent");
}

async function shows(agent: keyof typeof agents, type: string, mimeType: string) {
  mock.onMessage("look", { content: "Seen." });
  llm.script = () => ({ text: ["Seen."] });
  const content = [
    { type: "text", text: "look" },
    { type, source: { type: "data", value: PNG, mimeType } },
  ];
  const events = await run({ messages: [{ id: crypto.randomUUID(), role: "user", content }] }, agents[agent]);
  expect(spoken(events)).toBe("Seen.");
  expect(events.find(({ name }) => name === "capstan.warning")).toBeUndefined();
  expect(agent === "full" ? JSON.stringify(llm.requests.at(-1)) : wire.bodies.at(-1)).toContain(PNG);
}

async function keepsAnyFile() {
  const asked = runInput({
    messages: [
      {
        id: crypto.randomUUID(),
        role: "user",
        content: [
          { type: "text", text: "unpack" },
          {
            type: "document",
            source: { type: "data", value: "UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==", mimeType: "application/zip" },
            metadata: { filename: "all my files.zip" },
          },
        ],
      },
    ],
  });
  await (await post(asked)).text();
  const path = /at (\/uploads\/\S+)/.exec(lastUserText(llm.requests.at(-1) as LlmRequest))?.[1] ?? "";
  expect(path).toMatch(/all_my_files\.zip$/);
  const file = await fetch(`${server.url}/v1/sessions/${asked.threadId}/files${path}`);
  expect((await file.arrayBuffer()).byteLength).toBe(22);
}

async function runsCode(code: string, output: string) {
  const [result] = results(await calls("execute_code", { language: "javascript", code }));
  expect(String(JSON.parse(result ?? "{}").result)).toBe(output);
}

async function stopsAfterItsSteps() {
  const id = await newAgent({ capabilities: ["test_math"], limits: { max_steps: 2 } });
  expect((await documentOf(id)).execution.maxIterations).toBe(2);
  llm.script = () => ({ calls: [{ id: `a-${crypto.randomUUID()}`, name: "add", input: { a: 1, b: 1 } }] });
  const events = await run({}, id);
  expect(events.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "run_step_limit" });
  expect(typesOf(events).filter((type) => type === "STEP_STARTED")).toHaveLength(2);
}

async function stopsInTime() {
  const id = await newAgent({ limits: { max_seconds: 1 } });
  expect((await documentOf(id)).execution.maxExecutionTime).toBe(1000);
  llm.script = () => ({ text: ["never", "said"], until: new Promise(() => {}) });
  expect((await run({}, id)).at(-1)).toMatchObject({ type: "RUN_ERROR", code: "run_time_limit" });
}

async function asksForApproval(threadId: string = crypto.randomUUID()) {
  const call = { id: `x-${crypto.randomUUID()}`, name: "delete_file", input: { path: "/a.txt" } };
  llm.script = once({ calls: [call] }, { text: ["Done."] });
  const events = await run({ threadId });
  expect(events.at(-1).outcome).toMatchObject({ type: "interrupt", interrupts: [{ reason: "tool_call" }] });
  return events;
}

async function resumesAnInterrupt() {
  const events = await answered({ approved: true });
  expect(typesOf(events)).toContain("TOOL_CALL_RESULT");
  expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" } });
}

async function takesEdits() {
  const [result] = results(await answered({ approved: true, editedArgs: { path: "/other.txt" } }));
  expect(result).toContain("/other.txt");
}

async function answered(payload: object) {
  const threadId = crypto.randomUUID();
  const [interrupt] = (await asksForApproval(threadId)).at(-1).outcome.interrupts;
  const resume = [{ interruptId: interrupt.id, status: "resolved", payload }];
  return run({ threadId, messages: [], resume });
}

async function hearsFeedback() {
  const threadId = crypto.randomUUID();
  await run({ threadId });
  const { body } = await server.call("GET", `/v1/sessions/${threadId}/messages`);
  const message = body.items.at(-1).id;
  await server.call("POST", `/v1/sessions/${threadId}/messages/${message}/feedback`, {
    value: "down",
    words: "too short",
  });
  await run({ threadId });
  expect(lastUserText(llm.requests.at(-1) as LlmRequest)).toContain("too short");
}

const post = (body: unknown, agentId = agents.full, headers: Record<string, string> = {}) =>
  postRun(`${server.url}/v1/agents/${agentId}/ag-ui`, body, headers);
const run = async (more: object = {}, agentId = agents.full): Promise<Any[]> =>
  eventsIn(await (await post(runInput(more), agentId)).text());

async function readUntil(word: string) {
  const reader = (await post(runInput())).body?.getReader();
  let text = "";
  while (!text.includes(word)) text += new TextDecoder().decode((await reader?.read())?.value);
  return { reader, text };
}

/** Says this once, then words what came back. */
const once =
  (reply: LlmReply, then: LlmReply = { text: ["Done."] }) =>
  (request: LlmRequest): LlmReply =>
    toolAnswered(request) ? then : reply;

async function calls(name: string, args: object): Promise<Any[]> {
  llm.script = once({ calls: [{ id: `c-${crypto.randomUUID()}`, name, input: args }] });
  return run();
}

/** What is written beside the run is there a moment after it. */
async function eventually(read: () => Promise<Any[]>, length: number): Promise<Any[]> {
  return expect.poll(read, { timeout: 10_000 }).toHaveLength(length).then(read);
}

const spoken = (events: Any[]): string =>
  events.map(({ type, delta }) => (type === "TEXT_MESSAGE_CONTENT" ? delta : "")).join("");
const results = (events: Any[]): string[] =>
  events.filter(({ type }) => type === "TOOL_CALL_RESULT").map(({ content }) => content);
