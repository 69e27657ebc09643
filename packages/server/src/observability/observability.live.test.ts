import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { runInput } from "../../../../tools/ag-ui-wire.ts";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: { key: string; value: Record<string, unknown> }[];
  readonly status: { code: number };
  readonly events: { name: string; attributes: { key: string; value: Record<string, unknown> }[] }[];
}

const spans: SentSpan[] = [];
const headers: (string | undefined)[] = [];
let collector: Server;
let llm: ScriptedLlm;
let server: TestServer;
/** Answers webhooks, badly unless told. */
let hook: Server;
let hookStatus = 500;

beforeAll(async () => {
  collector = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    headers.push(`${request.url} ${request.headers["x-team"]}`);
    const body = JSON.parse(Buffer.concat(parts).toString());
    for (const { scopeSpans } of body.resourceSpans)
      for (const scope of scopeSpans) spans.push(...scope.spans);
    response.end("{}");
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  llm = await scriptedLlm(({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? { text: ["Seven."], usage: { prompt_tokens: 20, completion_tokens: 3 } }
      : {
          calls: [{ id: "c1", name: "add", input: { a: 3, b: 4 } }],
          usage: { prompt_tokens: 10, completion_tokens: 5 },
        },
  );
  hook = createServer((_request, response) => response.writeHead(hookStatus).end());
  await new Promise<void>((resolve) => hook.listen(0, "127.0.0.1", resolve));
  const { port } = collector.address() as AddressInfo;
  server = await testServer(await freshPglite(), {
    ...llmEnvironment(llm),
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_HEADERS: "x-team=harbour",
    CAPSTAN_ALLOW_HOSTS: `127.0.0.1:${(hook.address() as AddressInfo).port}`,
  });
});
afterAll(async () => {
  await server.stop();
  await llm.close();
  collector.close();
  hook.close();
});

const attributesOf = ({ attributes }: SentSpan): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

async function newAdder(): Promise<string> {
  const agent = await server.call("POST", "/v1/agents", {
    name: "Adder",
    capabilities: ["test_math"],
    model: "openai-compatible/scripted",
  });
  return agent.body.id;
}

async function newSession(agentId?: string): Promise<string> {
  return (await server.call("POST", "/v1/sessions", { agent_id: agentId ?? (await newAdder()) })).body.id;
}

async function oneRun(more: object = {}): Promise<string> {
  const path = `/v1/sessions/${await newSession()}/messages`;
  const sent = await server.call("POST", path, { content: "3 + 4?", ...more });
  const id = sent.body.run_id;
  await expect
    .poll(async () => (await server.call("GET", `/v1/runs/${id}`)).body.status, { timeout: 15_000 })
    .toBe("done");
  return id;
}

test("a run is one trace by the conventions for generative AI, without payloads", async () => {
  const runId = await oneRun();
  const traceId = runId.replaceAll("-", "");
  const ofRun = () => spans.filter((span) => span.traceId === traceId);
  await expect.poll(() => ofRun().length, { timeout: 10_000 }).toBeGreaterThanOrEqual(4);
  const [root] = ofRun();
  expect(root?.name).toBe("invoke_agent Adder");
  expect(ofRun().map(({ name }) => name)).toEqual(
    expect.arrayContaining(["invoke_agent Adder", "execute_tool add", expect.stringMatching(/^chat /)]),
  );
  for (const child of ofRun().slice(1)) expect(child.parentSpanId).toBe(root?.spanId);
  const chat = ofRun().find(({ name }) => name.startsWith("chat "));
  expect(chat && attributesOf(chat)).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "scripted",
    "gen_ai.response.id": "c",
    "gen_ai.response.model": "scripted",
    "gen_ai.response.finish_reasons": { values: [{ stringValue: "tool_calls" }] },
    "gen_ai.usage.input_tokens": "10",
    "gen_ai.usage.output_tokens": "5",
  });
  const tool = ofRun().find(({ name }) => name === "execute_tool add");
  expect(tool && attributesOf(tool)).toMatchObject({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "add",
    "gen_ai.tool.call.id": "c1",
    "capstan.capability.id": "test_math",
  });
  expect(JSON.stringify(ofRun())).not.toMatch(/3 \+ 4|Seven/);
  expect(headers).toContain("/v1/traces harbour");
});

const userText = { role: "user", content: "3 + 4?" };

/** Ways to start a run, and one call outside of any: each takes the trace of its request. */
const WAYS: Record<string, (agentId: string) => [path: string, body: unknown] | Promise<[string, unknown]>> =
  {
    REST: async (agentId) => [`/v1/sessions/${await newSession(agentId)}/messages`, { content: "3 + 4?" }],
    "AG-UI": (agentId) => [`/v1/agents/${agentId}/ag-ui`, runInput()],
    OpenAI: (agentId) => ["/openai/v1/chat/completions", { model: agentId, messages: [userText] }],
    "AI SDK": (agentId) => [
      `/v1/agents/${agentId}/ai-sdk`,
      {
        id: crypto.randomUUID(),
        messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "3?" }] }],
      },
    ],
    A2A: (agentId) => [
      `/v1/agents/${agentId}/a2a`,
      {
        jsonrpc: "2.0",
        id: 1,
        method: "message/send",
        params: {
          message: { kind: "message", messageId: "m1", role: "user", parts: [{ kind: "text", text: "3?" }] },
        },
      },
    ],
    "a tool over REST": () => ["/v1/capabilities/test_math/tools/add", { input: { a: 3, b: 4 } }],
    "a task": () => ["/api/execute-task", { task: "add 3 and 4" }],
    "a tool over MCP": (agentId) => [
      `/mcp?agent=${agentId}`,
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "add", arguments: { a: 3, b: 4 } } },
    ],
  };

test.each(Object.entries(WAYS))("the traceparent of a request is the parent: %s", async (_way, request) => {
  const [traceId, spanId] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
  const [path, body] = await request(await newAdder());
  const answer = await server.call("POST", path, body, {
    traceparent: `00-${traceId}-${spanId}-01`,
    accept: "application/json, text/event-stream",
  });
  expect(answer.status).toBeLessThan(300);
  const under = () => spans.filter((span) => span.traceId === traceId && span.parentSpanId === spanId);
  await expect.poll(() => under().length, { timeout: 10_000 }).toBe(1);
  expect(under()[0]?.name).toMatch(/^(invoke_agent Adder|execute_tool add)$/);
});

test("an invalid traceparent is ignored, as W3C requires", async () => {
  const path = `/v1/sessions/${await newSession()}/messages`;
  const zeros = `00-${"0".repeat(32)}-${"0".repeat(16)}-01`;
  const sent = await server.call("POST", path, { content: "3 + 4?" }, { traceparent: zeros });
  const traceId = sent.body.run_id.replaceAll("-", "");
  await expect.poll(() => spans.some((span) => span.traceId === traceId), { timeout: 10_000 }).toBe(true);
});

test("a call outside a run is a separate span with its error", async () => {
  await server.call("POST", "/v1/capabilities/test_math/tools/divide", { input: { a: 1, b: 0 } });
  await expect
    .poll(() => spans.some(({ name }) => name === "execute_tool divide"), { timeout: 10_000 })
    .toBe(true);
  const span = spans.find(({ name }) => name === "execute_tool divide");
  expect(span && attributesOf(span)).toMatchObject({
    "capstan.path": "rest",
    "error.type": expect.any(String),
  });
  expect(span?.status.code).toBe(2);
});

test("/metrics counts runs, calls, failures, latency, tokens and streams, in Prometheus' format", async () => {
  await oneRun();
  await server.call("POST", "/v1/capabilities/test_math/tools/divide", { input: { a: 1, b: 0 } });
  const { status, body, headers: answered } = await server.call("GET", "/metrics");
  expect([status, answered.get("content-type")]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
  expect(body).toMatch(/^capstan_runs_total\{status="done"\} [1-9]/m);
  expect(body).toMatch(
    /^capstan_tool_calls_total\{capability="test_math",path="loop",result="success"\} [1-9]/m,
  );
  expect(body).toMatch(/^capstan_tool_call_failures_total\{capability="test_math"\} [1-9]/m);
  expect(body).toMatch(/^capstan_tool_call_seconds_bucket\{path="loop",le="\+Inf"\} [1-9]/m);
  expect(body).toMatch(/^capstan_tokens_total\{model="[^"]*scripted",kind="input"\} [1-9]\d*0$/m);
  expect(body).toMatch(/^capstan_cost_usd_total \d/m);
  expect(body).toMatch(/^capstan_event_subscribers \d/m);
  expect(body).toMatch(/^capstan_runs_active\{status="running"\} 0/m);
  for (const line of body.trim().split("\n"))
    expect(line).toMatch(/^(# (HELP|TYPE) \S+ .+|[a-z_]+(\{.*\})? \S+)$/);
});

test("a webhook that the network guard refuses is refused when it is set, and nothing is stored", async () => {
  const agentId = await newAdder();
  const session = await newSession(agentId);
  const webhook = { url: "http://10.1.2.3/hook" };
  const refused = await server.call("POST", `/v1/sessions/${session}/messages`, { content: "hi", webhook });
  expect(refused).toMatchObject({ status: 403, body: { code: "url_refused" } });
  expect(refused.body.nextStep).toContain("CAPSTAN_ALLOW_HOSTS");
  expect((await server.call("GET", `/v1/sessions/${session}/messages`)).body.items).toEqual([]);
  const named = { url: "http://localhost:9/hook" };
  const run = runInput({ forwardedProps: { webhook: named } });
  const overAgUi = await server.call("POST", `/v1/agents/${agentId}/ag-ui`, run);
  expect(overAgUi).toMatchObject({ status: 403, body: { code: "url_refused" } });
});

test("a delivery that failed is seen in the run, in the log and in the metrics; one that arrived too", async () => {
  const lines: string[] = [];
  const write = vi.spyOn(process.stderr, "write").mockImplementation((line) => lines.push(String(line)) > 0);
  try {
    const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/done`;
    const failed = await oneRun({ webhook: { url } });
    const stateOf = async (id: string) => (await server.call("GET", `/v1/runs/${id}`)).body.webhook;
    await expect.poll(async () => (await stateOf(failed))?.last_error).toBe("it answered 500");
    expect(await stateOf(failed)).toMatchObject({ url, status: "due", attempts: 1 });
    expect((await stateOf(failed)).next_at).toEqual(expect.any(String));
    expect(lines.join("")).toContain(`run ${failed}, attempt 1, tried again later: it answered 500`);
    hookStatus = 200;
    const delivered = await oneRun({ webhook: { url } });
    await expect.poll(async () => (await stateOf(delivered))?.status).toBe("delivered");
  } finally {
    write.mockRestore();
  }
  const { body } = await server.call("GET", "/metrics");
  expect(body).toMatch(/^capstan_webhook_attempts_total\{result="failed"\} [1-9]/m);
  expect(body).toMatch(/^capstan_webhook_attempts_total\{result="delivered"\} [1-9]/m);
});

test("an open stream counts as a subscriber until it is closed", async () => {
  const session = await server.call("POST", "/v1/sessions", {
    agent_id: (await server.call("POST", "/v1/agents", { name: "Quiet", capabilities: [] })).body.id,
  });
  const subscribers = async () =>
    Number(/^capstan_event_subscribers (\d+)/m.exec((await server.call("GET", "/metrics")).body)?.[1]);
  const before = await subscribers();
  const gone = new AbortController();
  await fetch(`${server.url}/v1/sessions/${session.body.id}/events`, { signal: gone.signal });
  expect(await subscribers()).toBe(before + 1);
  gone.abort();
  await expect.poll(subscribers).toBe(before);
});

test("each score of an experiment is an event gen_ai.evaluation.result, without what was said", async () => {
  const agent = (await server.call("POST", "/v1/agents", { name: "Measured" })).body.id;
  const dataset = (await server.call("POST", "/v1/datasets", { name: "measured" })).body.id;
  const items = [{ id: "one", input: "Hello", recorded: { answer: "Confidential words." } }];
  await server.call("POST", `/v1/datasets/${dataset}/items`, { items });
  const scorers = [
    { type: "exact", value: "Confidential words." },
    { type: "refusal" },
    { type: "human", question: "?" },
  ];
  const body = { dataset_id: dataset, agent_id: agent, scorers, variants: [{ model: "recorded" }] };
  const { id } = (await server.call("POST", "/v1/experiments", body)).body;
  const found = () =>
    spans.find(({ attributes }) =>
      attributes.some(({ key, value }) => key === "capstan.experiment.id" && value.stringValue === id),
    );
  await expect.poll(found, { timeout: 20_000 }).toBeDefined();
  const told = (found()?.events ?? []).map(({ name, attributes }) => [
    name,
    Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
  ]);
  const named = (name: string, value: number, label: string) => [
    "gen_ai.evaluation.result",
    {
      "gen_ai.evaluation.name": name,
      "gen_ai.evaluation.score.value": value,
      "gen_ai.evaluation.score.label": label,
    },
  ];
  expect(told).toEqual([named("exact", 1, "pass"), named("refusal", 0, "fail")]);
  expect(JSON.stringify(spans)).not.toContain("Confidential");
});
