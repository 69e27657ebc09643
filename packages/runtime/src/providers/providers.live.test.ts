import http from "node:http";
import type { AddressInfo } from "node:net";
import type { RunEvent } from "@capstan/core";
import { textOf } from "@capstan/core/internal";
import { LLMock } from "@copilotkit/aimock";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { collect, type EngineUnderTest, openEngine } from "../../../../tools/engine-under-test.ts";
import { type FreshStore, freshPglite } from "../../../../tools/stores-under-test.ts";
import { openModels } from "./open-models.ts";

const MODELS = {
  anthropic: "anthropic/claude-sonnet-5-5",
  openai: "openai/gpt-5",
  google: "google/gemini-3-flash",
  "an OpenAI-compatible endpoint": "ollama/qwen3",
};
const PATHS: Record<string, string> = { anthropic: "/v1", openai: "/v1", google: "/v1beta", ollama: "/v1" };

let store: FreshStore;
let engine: EngineUnderTest;
const mock = new LLMock({ port: 0, chunkSize: 4 });
/** Request bodies as they went over the wire. */
const wire: string[] = [];
const proxy = http.createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  wire.push(body.toString());
  const { host: _, ...headers } = request.headers;
  const onward = http.request(`${mock.url}${request.url}`, { method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
    answer.on("close", () => answer.complete || response.destroy());
  });
  onward.on("error", () => response.destroy());
  onward.end(body);
});

beforeAll(async () => {
  await mock.start();
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  store = await freshPglite();
  const models = openModels({
    credentials: async (provider) => ({ apiKey: "test-key", baseUrl: `${origin}${PATHS[provider]}` }),
    catalog: () => ({ valid: false, status: "unknown", message: "" }),
    defaultModel: "capstan/offline",
  });
  engine = await openEngine(store, { script: () => [], parts: { models } });
});
afterAll(async () => {
  await engine.close();
  await store.drop();
  proxy.close();
  await mock.stop();
});
afterEach(() => {
  mock.reset();
  wire.length = 0;
});

test.each(["", "/", "/v1", "/v1/"])('Anthropic answers at an address that ends in "%s"', async (ending) => {
  mock.onMessage("hello", { content: "Hi." });
  const models = openModels({
    credentials: async () => ({ apiKey: "test-key", baseUrl: `${mock.url}${ending}` }),
    catalog: () => ({ valid: false, status: "unknown", message: "" }),
    defaultModel: "capstan/offline",
  });
  const made = await models.resolve(MODELS.anthropic);
  const text = { type: "text", text: "hello" } as const;
  if (!made.ok) throw new Error(made.failure.message);
  const answer = await made.value.model.doGenerate({ prompt: [{ role: "user", content: [text] }] });
  expect(answer.content).toMatchObject([{ type: "text", text: "Hi." }]);
});

describe.each(Object.entries(MODELS))("%s", (_name, model) => {
  test("streams text", async () => {
    mock.onMessage("hello", { content: "Hi there, friend of boats!" });
    const events = await turn(model, "hello");
    expect(spoken(events)).toBe("Hi there, friend of boats!");
    expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED", usage: [{ provider: model.split("/")[0] }] });
  });

  test("calls a tool and reads its result", async () => {
    mock.on(
      { userMessage: "sum", hasToolResult: false },
      { toolCalls: [{ name: "add", arguments: { a: 2, b: 40 } }] },
    );
    mock.on({ userMessage: "sum", hasToolResult: true }, { content: "It is 42." });
    const events = await turn(model, "sum");
    expect(results(events)).toEqual(['{"sum":42}']);
    expect(spoken(events)).toBe("It is 42.");
  });

  test("makes parallel calls and keeps their results separate", async () => {
    const toolCalls = [
      { name: "add", arguments: { a: 1, b: 1 } },
      { name: "add", arguments: { a: 2, b: 2 } },
    ];
    mock.on({ userMessage: "both", hasToolResult: false }, { toolCalls });
    mock.on({ userMessage: "both", hasToolResult: true }, { content: "2 and 4." });
    const events = await turn(model, "both");
    expect(results(events).sort()).toEqual(['{"sum":2}', '{"sum":4}']);
    expect(new Set(callIds(events)).size).toBe(2);
  });

  test("waits as long as a 429 asks, then answers", async () => {
    mock.onMessage("busy", { content: "Now I can." });
    mock.nextRequestError(429, { message: "slow down", type: "rate_limit_error" });
    const events = await turn(model, "busy");
    expect(spoken(events)).toBe("Now I can.");
    expect(events).toContainEqual(expect.objectContaining({ type: "CUSTOM", name: "capstan.retrying" }));
  });

  test("retries a broken stream and shows no partial message twice", async () => {
    const content = "One two three four five six seven eight.";
    mock.on({ userMessage: "long", sequenceIndex: 0 }, { content }, { latency: 20, truncateAfterChunks: 6 });
    mock.on({ userMessage: "long" }, { content });
    const session = await engine.newSession();
    await engine.runs.send(session, { content: "long" }, { model });
    const events = await collect(engine.runs, session);
    expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED" });
    expect(events.filter(({ type }) => type === "RUN_FINISHED" || type === "RUN_ERROR")).toHaveLength(1);
    const { items } = await engine.runs.messages(session, { limit: 10 });
    expect(items.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(items.map(textOf)).toEqual(["long", content]);
    expect(events).toContainEqual(expect.objectContaining({ type: "CUSTOM", name: "capstan.retrying" }));
    expect(types(events)).toContain("MESSAGES_SNAPSHOT"); // half of it had been shown
    expect(standing(events)).toBe(content);
  });

  test.each([
    [401, "provider_key_refused"],
    [400, "provider_request_refused"],
  ])("ends the run with a next step on %i", async (status, code) => {
    mock.onMessage("no", { content: "never" });
    mock.nextRequestError(status, { message: "no", type: "invalid_request_error" });
    const events = await turn(model, "no");
    expect(events.at(-1)).toMatchObject({
      type: "RUN_ERROR",
      code,
      message: expect.stringMatching(/then retry\.$/),
    });
  });
});

test.each(Object.values(MODELS))("%s shows its reasoning", async (model) => {
  mock.onMessage("think", { content: "Done.", reasoning: "Let me see.", reasoningSignature: "sig" });
  const events = await turn(model, "think", { reasoning: "high" });
  const thought = events
    .map((event) => (event.type === "REASONING_MESSAGE_CONTENT" ? event.delta : ""))
    .join("");
  expect(thought).toBe("Let me see.");
  expect(spoken(events)).toBe("Done.");
});

test("a reasoning signature goes back to Anthropic unchanged", async () => {
  mock.onMessage("think", { content: "Done.", reasoning: "Let me see.", reasoningSignature: "c2lnbmF0dXJl" });
  mock.onMessage("again", { content: "Again." });
  const session = await engine.newSession();
  await engine.runs.send(session, { content: "think" }, { model: MODELS.anthropic, reasoning: "high" });
  const first = await collect(engine.runs, session);
  expect(first).toContainEqual(
    expect.objectContaining({ type: "REASONING_ENCRYPTED_VALUE", subtype: "message" }),
  );
  await engine.runs.send(session, { content: "again" }, { model: MODELS.anthropic, reasoning: "high" });
  await collect(engine.runs, session, { after: first.length });
  expect(wire.at(-1)).toContain('"signature":"c2lnbmF0dXJl"');
});

test("Anthropic is asked to cache the tools, the system prompt and the conversation so far", async () => {
  mock.onMessage("hello", { content: "Hi." });
  await turn(MODELS.anthropic, "hello");
  const { system, messages } = JSON.parse(wire.at(-1) ?? "{}");
  expect(system.at(-1)).toMatchObject({ cache_control: { type: "ephemeral" } });
  expect(messages.at(-1).content.at(-1)).toMatchObject({ cache_control: { type: "ephemeral" } });
});

test("the prompt has the same prefix in every step of every turn, so that caches hit", async () => {
  mock.on(
    { userMessage: "sum", hasToolResult: false },
    { toolCalls: [{ name: "add", arguments: { b: 40, a: 2 } }] },
  );
  mock.on({ userMessage: "sum", hasToolResult: true }, { content: "It is 42." });
  mock.onMessage("more", { content: "More." });
  const session = await engine.newSession();
  for (const [turn, content] of ["sum", "more"].entries()) {
    await engine.runs.send(session, { content }, { model: MODELS["an OpenAI-compatible endpoint"] });
    await collect(engine.runs, session, { runs: turn + 1 });
  }
  const prompts = wire.map((body) => JSON.parse(body));
  expect(prompts).toHaveLength(3);
  for (const [first, second] of [prompts.slice(0, 2), prompts.slice(1, 3)] as [Body, Body][]) {
    expect(JSON.stringify(second.tools)).toBe(JSON.stringify(first.tools));
    expect(JSON.stringify(second.messages.slice(0, first.messages.length))).toBe(
      JSON.stringify(first.messages),
    );
  }
});

interface Body {
  readonly tools: unknown[];
  readonly messages: unknown[];
}

async function turn(
  model: string,
  content: string,
  options: { reasoning?: "high" } = {},
): Promise<RunEvent[]> {
  const session = await engine.newSession();
  const sent = await engine.runs.send(session, { content }, { model, ...options });
  if (!sent.ok) throw new Error(sent.failure.message);
  return collect(engine.runs, session);
}

const types = (events: readonly RunEvent[]) => events.map(({ type }) => type);
const spoken = (events: readonly RunEvent[]) =>
  events.map((event) => (event.type === "TEXT_MESSAGE_CONTENT" ? event.delta : "")).join("");
const results = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === "TOOL_CALL_RESULT" ? [event.content] : []));
const callIds = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === "TOOL_CALL_START" ? [event.toolCallId] : []));

/** What a client shows at the end: a snapshot removes what it does not contain. */
function standing(events: readonly RunEvent[]): string {
  let texts = new Map<string, string>();
  for (const event of events) {
    if (event.type === "MESSAGES_SNAPSHOT") {
      texts = new Map(
        event.messages.flatMap((message) =>
          message.role === "assistant" ? [[message.id, message.content ?? ""]] : [],
        ),
      );
    }
    if (event.type === "TEXT_MESSAGE_CONTENT") {
      texts.set(event.messageId, (texts.get(event.messageId) ?? "") + event.delta);
    }
  }
  return [...texts.values()].join("");
}
