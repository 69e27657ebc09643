import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { SIM_ANSWER, SIM_THINKING } from "./sim-plan.ts";
import { type Sim, startSim } from "./sim-server.ts";

let sim: Sim;
beforeAll(async () => {
  sim = await startSim({ dripMs: 5 });
});
beforeEach(() => sim.clear());
afterAll(() => sim.close());

const parameters = { properties: { command: { type: "string" } }, required: ["command"] };

/** Per protocol: where it lives, a request with a prompt, and the text, thoughts and tool calls in its events. */
const PROTOCOLS = {
  messages: {
    path: "/v1/messages?beta=true",
    body: (prompt: string) => ({
      model: "m",
      stream: true,
      messages: [{ role: "user", content: prompt }],
      tools: [{ name: "Bash", input_schema: parameters }],
    }),
    read: { text: /"text_delta","text":"([^"]*)"/g, thought: /"thinking":"([^"]+)"/g, call: /"name":"Bash"/ },
  },
  responses: {
    path: "/v1/responses",
    body: (prompt: string) => ({
      model: "m",
      stream: true,
      input: [{ role: "user", content: [{ type: "input_text", text: prompt }] }],
      tools: [{ type: "function", name: "bash", parameters }],
    }),
    read: {
      text: /output_text\.delta".*?"delta":"([^"]*)"/g,
      thought: /reasoning_summary_text\.delta".*?"delta":"([^"]*)"/g,
      call: /"type":"function_call"/,
    },
  },
  chat: {
    path: "/v1/chat/completions",
    body: (prompt: string) => ({
      model: "m",
      stream: true,
      messages: [{ role: "user", content: prompt }],
      tools: [{ type: "function", function: { name: "bash", parameters } }],
    }),
    read: {
      text: /"content":"([^"]+)"/g,
      thought: /"reasoning_content":"([^"]*)"/g,
      call: /"tool_calls":\[/,
    },
  },
  gemini: {
    path: "/v1beta/models/g:streamGenerateContent?alt=sse",
    body: (prompt: string) => ({
      contents: [{ role: "user", parts: [{ text: prompt }] }],
      tools: [{ functionDeclarations: [{ name: "run_shell_command", parametersJsonSchema: parameters }] }],
    }),
    read: {
      text: /\{"text":"([^"]*)"\}/g,
      thought: /"text":"([^"]*)","thought":true/g,
      call: /"functionCall"/,
    },
  },
} as const;

const post = (path: string, body: object, init: RequestInit = {}) =>
  fetch(sim.url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    ...init,
  });

describe.each(Object.entries(PROTOCOLS))("%s", (protocol, { path, body, read }) => {
  const ask = async (prompt: string) => (await post(path, body(prompt))).text();
  const all = (text: string, pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, part = ""]) => part).join("");

  test("streams text in pieces", async () => {
    const answer = await ask("[[text]]");
    expect(all(answer, read.text)).toBe(SIM_ANSWER);
    expect(answer.match(/^data: /gm)?.length).toBeGreaterThan(3);
  });

  test("streams thinking before the text", async () => {
    expect(all(await ask("[[think]]"), read.thought)).toBe(SIM_THINKING);
  });

  test("calls the shell tool that it was offered", async () => {
    const answer = await ask("[[tool]]");
    expect(answer).toMatch(read.call);
    expect(answer.replaceAll(/"(partial_json|delta)":"/g, "")).toMatch(/echo/);
  });

  test.each([
    ["[[err401]]", 401],
    ["[[err500]]", 500],
  ])("answers %s as its provider would", async (prompt, status) => {
    const response = await post(path, body(prompt));
    expect(response.status).toBe(status);
    expect(await response.json()).toHaveProperty("error");
  });

  test("drips until the client leaves", async () => {
    const left = new AbortController();
    const response = await post(path, body("[[slow]]"), { signal: left.signal });
    let text = "";
    await expect(async () => {
      for await (const chunk of response.body ?? []) {
        text += new TextDecoder().decode(chunk);
        if (text.includes("word3 ")) left.abort();
      }
    }).rejects.toThrow();
    expect(text).not.toContain("word59 ");
  });

  test("keeps what was asked", async () => {
    await ask("[[text]]");
    expect(sim.requests).toMatchObject([{ protocol, marker: "text", isStream: true }]);
  });
});

test("answers a request without a stream whole", async () => {
  const response = await post("/v1/messages", { model: "m", messages: [{ role: "user", content: "hi" }] });
  expect(await response.json()).toMatchObject({
    content: [{ type: "text", text: SIM_ANSWER }],
    stop_reason: "end_turn",
  });
});

test("gives Gemini's router JSON that fits its schema", async () => {
  const responseJsonSchema = {
    type: "object",
    properties: { model_choice: { enum: ["flash", "pro"] }, reasoning: { type: "string" } },
  };
  const response = await post("/v1beta/models/g:generateContent", {
    contents: [],
    generationConfig: { responseMimeType: "application/json", responseJsonSchema },
  });
  const { candidates } = (await response.json()) as {
    candidates: [{ content: { parts: [{ text: string }] } }];
  };
  expect(JSON.parse(candidates[0].content.parts[0].text)).toEqual({
    model_choice: "flash",
    reasoning: "sim",
  });
});

test("counts tokens and lists models without keeping them", async () => {
  expect(await (await post("/v1/messages/count_tokens", {})).json()).toEqual({ input_tokens: 123 });
  expect(await (await fetch(`${sim.url}/v1/models`)).json()).toMatchObject({
    data: [{ id: "sim-model" }, {}, {}],
  });
  expect(sim.requests).toEqual([]);
});

test("a script answers instead of the markers, until it is taken away", async () => {
  sim.setScript(() => "err429");
  expect((await post("/v1/messages", { messages: [{ role: "user", content: "[[text]]" }] })).status).toBe(
    429,
  );
  sim.setScript(undefined);
  expect((await post("/v1/messages", { messages: [{ role: "user", content: "[[text]]" }] })).status).toBe(
    200,
  );
});
