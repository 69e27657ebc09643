import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
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
}

const spans: SentSpan[] = [];
const headers: (string | undefined)[] = [];
let collector: Server;
let llm: ScriptedLlm;
let server: TestServer;

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
  const { port } = collector.address() as AddressInfo;
  server = await testServer(await freshPglite(), {
    ...llmEnvironment(llm),
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_HEADERS: "x-team=harbour",
  });
});
afterAll(async () => {
  await server.stop();
  await llm.close();
  collector.close();
});

const attributesOf = ({ attributes }: SentSpan): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

async function oneRun(): Promise<string> {
  const agent = await server.call("POST", "/v1/agents", {
    name: "Adder",
    capabilities: ["test_math"],
    model: "openai-compatible/scripted",
  });
  const session = await server.call("POST", "/v1/sessions", { agent_id: agent.body.id });
  const sent = await server.call("POST", `/v1/sessions/${session.body.id}/messages`, { content: "3 + 4?" });
  const id = sent.body.run_id;
  await expect
    .poll(async () => (await server.call("GET", `/v1/runs/${id}`)).body.status, { timeout: 15_000 })
    .toBe("done");
  return id;
}

test("a run is one trace by the conventions for generative AI, and no payload is in it", async () => {
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
    "gen_ai.usage.input_tokens": "10",
    "gen_ai.usage.output_tokens": "5",
  });
  const tool = ofRun().find(({ name }) => name === "execute_tool add");
  expect(tool && attributesOf(tool)).toMatchObject({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "add",
    "capstan.capability.id": "test_math",
  });
  expect(JSON.stringify(ofRun())).not.toMatch(/3 \+ 4|Seven/);
  expect(headers).toContain("/v1/traces harbour");
});

test("a call outside a run is a span of its own, and says how it failed", async () => {
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
  expect(body).toMatch(/^capstan_tokens_total\{model="[^"]*scripted",kind="input"\} (3|6|9)0/m);
  expect(body).toMatch(/^capstan_cost_usd_total \d/m);
  expect(body).toMatch(/^capstan_event_subscribers \d/m);
  expect(body).toMatch(/^capstan_runs_active\{status="running"\} 0/m);
  for (const line of body.trim().split("\n"))
    expect(line).toMatch(/^(# (HELP|TYPE) \S+ .+|[a-z_]+(\{.*\})? \S+)$/);
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
