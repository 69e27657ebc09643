/** Agents as models, with the `openai` package and AI SDK's compatible provider: third-party clients. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, streamText, tool } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  llmEnvironment,
  type ScriptedLlm,
  scriptedLlm,
  toolAnswered,
} from "../../../../tools/scripted-llm.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

let server: TestServer;
let llm: ScriptedLlm;
let client: OpenAI;
let apiKey: string;

const WEATHER = {
  type: "function" as const,
  function: {
    name: "local_weather",
    description: "The weather where the user is.",
    parameters: { type: "object", properties: { unit: { type: "string" } } },
  },
};

beforeAll(async () => {
  llm = await scriptedLlm(() => ({ text: ["Hello ", "there."] }));
  server = await testServer(await freshPglite(), llmEnvironment(llm));
  await server.call("POST", "/v1/agents", {
    name: "Clerk",
    capabilities: ["test_math", "session_file_system"],
  });
  await server.call("POST", "/v1/agents", {
    name: "Careful",
    capabilities: ["test_math"],
    tool_policies: { add: "approve" },
  });
  const { body } = await server.call("POST", "/v1/keys", { name: "clients", rights: ["run"] });
  apiKey = body.key;
  client = new OpenAI({ baseURL: `${server.url}/openai/v1`, apiKey, maxRetries: 0 });
});
afterAll(async () => {
  await server.stop();
  await llm.close();
});
beforeEach(() => {
  llm.script = () => ({ text: ["Hello ", "there."] });
  llm.requests.length = 0;
});

const ask = (content: string) => ({ role: "user" as const, content });
const picture = (data: string) => ({
  type: "image_url",
  image_url: { url: `data:image/png;base64,${data}` },
});
const saidWith = (part: object) => ({
  messages: [{ role: "user", content: [{ type: "text", text: "What is this?" }, part] }],
});
const sessionCount = async () => (await server.call("GET", "/v1/sessions?limit=100")).body.items.length;

describe("the openai package", () => {
  test("lists agents as models, and finds one by name", async () => {
    const names = (await client.models.list()).data.map(({ id }) => id);
    expect(names).toEqual(expect.arrayContaining(["Clerk", "Careful"]));
    expect((await client.models.retrieve("Clerk")).object).toBe("model");
  });

  test("gets a complete answer with its usage", async () => {
    const answer = await client.chat.completions.create({ model: "Clerk", messages: [ask("Hi")] });
    expect(answer.choices[0]).toMatchObject({
      finish_reason: "stop",
      message: { role: "assistant", content: "Hello there." },
    });
    expect(answer.usage?.total_tokens).toBeGreaterThan(0);
  });

  test("system messages and samplers reach the agent's model", async () => {
    const system = { role: "system" as const, content: "Answer in Norse." };
    await client.chat.completions.create({ model: "Clerk", messages: [system, ask("Hi")], temperature: 0.3 });
    const [request] = llm.requests;
    expect(JSON.stringify(request?.messages)).toContain("Answer in Norse.");
    expect(request?.temperature).toBe(0.3);
  });

  test("streams text and, on request, the usage last", async () => {
    const stream = await client.chat.completions.create({
      model: "clerk",
      messages: [ask("Hi")],
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    let total = 0;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      total = chunk.usage?.total_tokens ?? total;
    }
    expect(text).toBe("Hello there.");
    expect(total).toBeGreaterThan(0);
  });

  test("continues in the session of the conversation, and in another one when the history was changed", async () => {
    const first = await client.chat.completions
      .create({ model: "Clerk", messages: [ask("My name is Ann.")] })
      .withResponse();
    const said = first.data.choices[0]?.message.content ?? "";
    const history = [ask("My name is Ann."), { role: "assistant" as const, content: said }, ask("Who am I?")];
    const second = await client.chat.completions.create({ model: "Clerk", messages: history }).withResponse();
    const session = first.response.headers.get("x-capstan-session");
    expect(second.response.headers.get("x-capstan-session")).toBe(session);
    const changed = [ask("My name is Bob."), ...history.slice(1)];
    const third = await client.chat.completions.create({ model: "Clerk", messages: changed }).withResponse();
    expect(third.response.headers.get("x-capstan-session")).not.toBe(session);
    expect(JSON.stringify(llm.requests.at(-1))).toContain("Bob");
  });

  test("runs its own tool and returns the result; the agent's own tools stay hidden", async () => {
    llm.script = (request) => {
      const answered = request.messages.filter(({ role }) => role === "tool").length;
      if (answered === 2) return { text: ["Take a coat."] };
      if (answered === 1)
        return { calls: [{ id: crypto.randomUUID(), name: "local_weather", input: { unit: "C" } }] };
      return { calls: [{ id: crypto.randomUUID(), name: "add", input: { a: 2, b: 40 } }] };
    };
    const asked = [ask("Do I need a coat?")];
    const first = await client.chat.completions.create({ model: "Clerk", messages: asked, tools: [WEATHER] });
    const message = first.choices[0]?.message;
    expect(first.choices[0]?.finish_reason).toBe("tool_calls");
    expect(message?.tool_calls).toEqual([
      {
        id: expect.any(String),
        type: "function",
        function: { name: "local_weather", arguments: '{"unit":"C"}' },
      },
    ]);
    if (!message) throw new Error("no message");
    const result = {
      role: "tool" as const,
      tool_call_id: message.tool_calls?.[0]?.id ?? "",
      content: "3 degrees",
    };
    const second = await client.chat.completions.create({
      model: "Clerk",
      messages: [...asked, message, result],
      tools: [WEATHER],
    });
    expect(second.choices[0]?.message.content).toBe("Take a coat.");
  });

  test("is told where to approve a call, and the run waits there", async () => {
    llm.script = (request) =>
      toolAnswered(request)
        ? { text: ["42"] }
        : { calls: [{ id: crypto.randomUUID(), name: "add", input: { a: 2, b: 40 } }] };
    const refused = await client.chat.completions
      .create({ model: "Careful", messages: [ask("2 + 40?")] })
      .catch((error) => error);
    expect(refused.status).toBe(409);
    const id = /POST \/v1\/approvals\/([0-9a-f-]{36})/.exec(refused.message)?.[1];
    expect(
      (await server.call("GET", "/v1/approvals")).body.items.map((each: { id: string }) => each.id),
    ).toContain(id);
  });

  test.each([
    ["a misspelt field", { temprature: 1 }, /temprature/],
    ["more than one choice", { n: 2 }, /n: /],
    ["log probabilities", { logprobs: true }, /logprobs/],
    ["a predicted output", { prediction: { type: "content", content: "x" } }, /prediction/],
    ["one call at a time", { parallel_tool_calls: false }, /parallel_tool_calls/],
    ["two limits that differ", { max_tokens: 1, max_completion_tokens: 5 }, /max_tokens/],
    [
      "an image that is nowhere",
      saidWith({ type: "image_url", image_url: { url: "nowhere" } }),
      /image_url.url/,
    ],
    ["a file without its kind", saidWith({ type: "file", file: { file_data: "aGk=" } }), /file_data/],
    ["an image that is no base64", saidWith(picture("%%%")), /image_url.url/],
    ["only instructions", { messages: [{ role: "system", content: "x" }] }, /nothing to answer/],
    [
      "an answer at the end",
      { messages: [ask("Hi"), { role: "assistant", content: "Ho" }] },
      /nothing to answer/,
    ],
    [
      "a result of no call",
      { messages: [ask("Hi"), { role: "tool", tool_call_id: "nope", content: "5" }] },
      /messages\[1\].*"nope"/,
    ],
  ])("is refused %s by name, and nothing runs", async (_what, more, named) => {
    const before = await sessionCount();
    const refused = await client.chat.completions
      .create({ model: "Clerk", messages: [ask("Hi")], ...more } as never)
      .catch((error) => error);
    expect(refused.status).toBe(400);
    expect(refused.message).toMatch(named);
    expect(await sessionCount()).toBe(before);
    expect(llm.requests).toEqual([]);
  });

  test("an unknown model is a 404 with the nearest names", async () => {
    const refused = await client.chat.completions
      .create({ model: "Clark", messages: [ask("Hi")] })
      .catch((error) => error);
    expect(refused.status).toBe(404);
    expect(refused.message).toContain('"Clerk"');
  });

  test("two agents of one name are told apart by id; the refusal names both, and nothing runs", async () => {
    const made = await Promise.all(
      ["Twin", " twin"].map((name) => server.call("POST", "/v1/agents", { name, capabilities: ["noop"] })),
    );
    const ids: string[] = made.map(({ body }) => body.id);
    const say = (model: string) => client.chat.completions.create({ model, messages: [ask("Hi")] });
    const refused = await say("Twin").catch((error) => error);
    expect(refused.status).toBe(404);
    expect(refused.message).toContain('Several agents are named "Twin". Use the id of one: ');
    for (const id of ids) expect(refused.message).toContain(id);
    expect(llm.requests).toEqual([]);
    const listed = (await client.models.list()).data.map(({ id }) => id);
    expect(listed).toEqual(expect.arrayContaining(ids));
    expect((await say(ids[0] ?? "")).choices[0]?.message.content).toBe("Hello there.");
    for (const id of ids) await server.call("DELETE", `/v1/agents/${id}`);
  });

  test("sampling and a forced tool reach the agent's model", async () => {
    await client.chat.completions.create({
      model: "Clerk",
      messages: [ask("Hi")],
      temperature: 0.3,
      max_tokens: 77,
      tools: [WEATHER],
      tool_choice: "none",
    });
    expect(llm.requests.at(-1)).toMatchObject({ temperature: 0.3, tool_choice: "none" });
  });

  test("store: false leaves no session behind", async () => {
    const before = await sessionCount();
    const { response } = await client.chat.completions
      .create({ model: "Clerk", messages: [ask("Suggest a title.")], store: false })
      .withResponse();
    expect(await sessionCount()).toBe(before);
    const gone = await server.call("GET", `/v1/sessions/${response.headers.get("x-capstan-session")}`);
    expect(gone.status).toBe(404);
  });
});

const text = { type: "input_text", text: "Hi" };
const image = { type: "input_image", image_url: "https://a.example/x.png" };
const part = (each: object) => ({ role: "user", content: [each] });

describe("the openai package's responses", () => {
  test("answer, continue from an earlier response, and stream", async () => {
    const first = await client.responses.create({ model: "Clerk", input: "Hi" });
    expect(first).toMatchObject({ status: "completed", output_text: "Hello there." });
    llm.requests.length = 0;
    const stream = client.responses.stream({
      model: "Clerk",
      input: "Again",
      previous_response_id: first.id,
    });
    let text = "";
    for await (const event of stream) if (event.type === "response.output_text.delta") text += event.delta;
    const last = await stream.finalResponse();
    expect(text).toBe("Hello there.");
    expect(last.output_text).toBe("Hello there.");
    expect(last.usage?.total_tokens).toBeGreaterThan(0);
    const said = llm.requests[0]?.messages
      .filter(({ role }) => role === "user")
      .map(({ content }) => content);
    expect(JSON.stringify(said)).toMatch(/Hi.*Again/);
  });

  test.each([
    ["a result of no call", [{ type: "function_call_output", call_id: "nope", output: "4" }], /"nope"/],
    ["an image that is nowhere", [part({ type: "input_image", image_url: "nowhere" })], /input/],
    ["a picture that the agent said", [{ ...part(image), role: "assistant" }, part(text)], /only a user's/],
    ["no question", [{ role: "system", content: "x" }], /nothing to answer/],
  ])("are refused with %s, and nothing runs", async (_what, input, said) => {
    const refused = await client.responses.create({ model: "Clerk", input } as never).catch((error) => error);
    expect(refused).toMatchObject({ status: 400, message: expect.stringMatching(said) });
    expect(llm.requests).toEqual([]);
  });

  test("refuse the result of a call that the earlier response did not make", async () => {
    const { id } = await client.responses.create({ model: "Clerk", input: "Hi" });
    const input = [{ type: "function_call_output" as const, call_id: "nope", output: "4" }];
    const refused = client.responses.create({ model: "Clerk", input, previous_response_id: id });
    await expect(refused).rejects.toMatchObject({ status: 409, message: expect.stringContaining('"nope"') });
  });

  test("refuse an answer of the client's own after an earlier response, which has its own", async () => {
    const { id } = await client.responses.create({ model: "Clerk", input: "Hi" });
    const input = [
      { role: "assistant" as const, content: "I said blue." },
      { role: "user" as const, content: "Go on" },
    ];
    const refused = client.responses.create({ model: "Clerk", input, previous_response_id: id });
    await expect(refused).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/input\[0\].*own answers/),
    });
  });

  test("contain the client's function calls and their outputs", async () => {
    llm.script = (request) =>
      toolAnswered(request)
        ? { text: ["Take a coat."] }
        : { calls: [{ id: crypto.randomUUID(), name: "local_weather", input: { unit: "C" } }] };
    const { parameters, name, description } = WEATHER.function;
    const tools = [{ type: "function" as const, name, description, parameters, strict: false }];
    const first = await client.responses.create({ model: "Clerk", input: "Coat?", tools });
    const [call] = first.output;
    if (call?.type !== "function_call") throw new Error("no function call");
    const second = await client.responses.create({
      model: "Clerk",
      previous_response_id: first.id,
      input: [{ type: "function_call_output", call_id: call.call_id, output: "3 degrees" }],
      tools,
    });
    expect(second.output_text).toBe("Take a coat.");
  });

  test("of another user are not found", async () => {
    const { body } = await server.call("POST", "/v1/keys", {
      name: "other",
      rights: ["run"],
      owner: "other@example.com",
    });
    const other = new OpenAI({ baseURL: `${server.url}/openai/v1`, apiKey: body.key, maxRetries: 0 });
    const mine = await client.responses.create({ model: "Clerk", input: "Hi" });
    const refused = await other.responses
      .create({ model: "Clerk", input: "Go on", previous_response_id: mine.id })
      .catch((error) => error);
    expect(refused.status).toBe(404);
  });

  test("with a tool that OpenAI runs itself are refused by name", async () => {
    const refused = await client.responses
      .create({ model: "Clerk", input: "Hi", tools: [{ type: "web_search" }] })
      .catch((error) => error);
    expect(refused.status).toBe(400);
    expect(refused.message).toContain("tools[0]");
    expect(llm.requests).toEqual([]);
  });
});

describe("AI SDK's compatible provider", () => {
  const model = () =>
    createOpenAICompatible({
      name: "capstan",
      baseURL: `${server.url}/openai/v1`,
      apiKey,
      includeUsage: true,
    })("Clerk");

  test("generates and streams", async () => {
    expect((await generateText({ model: model(), prompt: "Hi" })).text).toBe("Hello there.");
    const { textStream } = streamText({ model: model(), prompt: "Hi" });
    let text = "";
    for await (const piece of textStream) text += piece;
    expect(text).toBe("Hello there.");
  });

  test("runs its tools through the agent's conversation", async () => {
    llm.script = (request) =>
      toolAnswered(request)
        ? { text: [`It said ${request.messages.findLast(({ role }) => role === "tool")?.content}.`] }
        : { calls: [{ id: crypto.randomUUID(), name: "local_weather", input: {} }] };
    const weather = tool({ inputSchema: z.object({}), execute: async () => "rain" });
    const { text, steps } = await generateText({
      model: model(),
      prompt: "Weather?",
      tools: { local_weather: weather },
      stopWhen: ({ steps: made }) => made.length === 3,
    });
    expect(text).toBe("It said rain.");
    expect(steps).toHaveLength(2);
  });
});
