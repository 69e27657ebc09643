/** A key is saved after its provider was tested; what is found on the machine is used; the demo comes last. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { greeting } from "../start/greeting.ts";

const closing: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe("saving a provider", () => {
  test("asks it for its models and one answer, saves it, and uses it instead of the demo", async () => {
    const provider = await fakeProvider({ models: ["tiny-embed", "small-chat", "large-chat"] });
    const server = await opened();
    const saved = await save(server, { base_url: provider.url, api_key: "k-1" });
    expect(saved.status).toBe(200);
    expect(saved.body).toMatchObject({
      configured: true,
      from: "settings",
      models: ["openai-compatible/small-chat", "openai-compatible/large-chat"],
      tried_model: "openai-compatible/small-chat",
      default: { name: "openai-compatible/small-chat", demo: false, from: "settings" },
    });
    expect(provider.asked.map(({ path }) => path)).toEqual(["/v1/models", "/v1/chat/completions"]);
    expect(provider.asked[1]?.key).toBe("Bearer k-1");
    const choices = await server.call("GET", "/v1/models/choices");
    expect(choices.body.default.name).toBe("openai-compatible/small-chat");
    expect(JSON.stringify(choices.body)).not.toContain("k-1");
  });

  test.each([
    [
      "a refused key",
      { status: 401, error: "Incorrect API key" },
      "provider_key_refused",
      /Incorrect API key/,
    ],
    [
      "no credit",
      { status: 429, error: "You exceeded your quota" },
      "provider_no_credit",
      /exceeded your quota/,
    ],
    [
      "an address that is not an API",
      { status: 404, error: "not here" },
      "provider_address_wrong",
      /does not list models/,
    ],
    ["no models", { models: [] }, "provider_without_models", /no chat models/],
    [
      "a model that refuses",
      { models: ["a"], chatStatus: 402 },
      "provider_no_credit",
      /not answering requests/,
    ],
  ] as const)("reports what is wrong with %s, and saves nothing", async (_, behaviour, code, message) => {
    const provider = await fakeProvider(behaviour);
    const server = await opened();
    const refused = await save(server, { base_url: provider.url, api_key: "k-1" });
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.body).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(refused.body.nextStep).not.toBe("");
    expect(refused.body.nextStep).not.toContain("/v1/providers");
    const { body } = await server.call("GET", "/v1/providers");
    expect(body.items.filter((item: { configured: boolean }) => item.configured)).toEqual([]);
    expect((await server.call("GET", "/v1/status")).body.model.demo).toBe(true);
  });

  test("reports that nothing is listening at the address", async () => {
    const provider = await fakeProvider({ models: ["a"] });
    await provider.close();
    const refused = await save(await opened(), { base_url: provider.url });
    expect(refused.body).toMatchObject({
      code: "provider_unreachable",
      message: expect.stringMatching(/nothing is listening there/),
    });
  });

  test("requires an address where the provider has none, with an example", async () => {
    const refused = await save(await opened(), { api_key: "k-1" });
    expect(refused.body).toMatchObject({ code: "provider_address_missing" });
    expect(refused.body.nextStep).toContain("http://127.0.0.1:11434/v1");
  });

  test("saves nothing when the client disconnects before the answer", async () => {
    const answered = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const provider = await fakeProvider({
      models: ["a"],
      beforeAnswer: () => {
        asked.resolve();
        return answered.promise;
      },
    });
    const server = await opened();
    const leave = new AbortController();
    const saving = fetch(`${server.url}/v1/providers/openai-compatible`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ base_url: provider.url }),
      signal: leave.signal,
    });
    await asked.promise;
    leave.abort();
    await expect(saving).rejects.toThrow();
    await server.call("GET", "/health"); // by now it has noticed
    answered.resolve();
    await expect.poll(() => provider.asked.length).toBe(2); // the list, and one answer
    const { body } = await server.call("GET", "/v1/providers");
    expect(body.items.filter((item: { configured: boolean }) => item.configured)).toEqual([]);
  });

  test("saves without testing on request", async () => {
    const server = await opened();
    const saved = await save(server, { base_url: "http://127.0.0.1:1/v1", check: false });
    expect(saved.body).toMatchObject({ configured: true, models: [], tried_model: null });
  });
});

describe("the default model", () => {
  test("is chosen by name, persists, and can be reset", async () => {
    const provider = await fakeProvider({ models: ["one", "two"] });
    const server = await opened();
    await save(server, { base_url: provider.url });
    const chosen = await server.call("PUT", "/v1/models/default", { model: "openai-compatible/two" });
    expect(chosen.body).toMatchObject({ name: "openai-compatible/two", from: "settings" });
    expect((await server.call("GET", "/v1/status")).body.model.name).toBe("openai-compatible/two");
    const unknown = await server.call("PUT", "/v1/models/default", { model: "nobody/knows" });
    expect(unknown).toMatchObject({ status: 422, body: { code: "provider_unknown" } });
    const back = await server.call("PUT", "/v1/models/default", { model: null });
    expect(back.body).toMatchObject({ name: "capstan/offline", from: "demo" });
  });

  test("is not a name that every object has, such as constructor; nor is an agent's", async () => {
    const server = await opened();
    for (const model of ["constructor", "toString", "__proto__", "constructor/x"]) {
      expect((await server.call("PUT", "/v1/models/default", { model })).status).toBe(422);
      const agent = { name: "Odd", capabilities: [], model };
      expect((await server.call("POST", "/v1/agents", agent)).status).toBe(422);
    }
  });

  test("is refused while CAPSTAN_MODEL sets it", async () => {
    const server = await opened({ CAPSTAN_MODEL: "capstan/offline" });
    const refused = await server.call("PUT", "/v1/models/default", { model: null });
    expect(refused).toMatchObject({ status: 409, body: { code: "default_model_fixed" } });
  });
});

describe("what is found on the machine", () => {
  test("a running Ollama is used before the demo, with its reported context", async () => {
    const ollama = await fakeOllama();
    const server = await opened({ CAPSTAN_FIND_MODELS: "on" }, { OLLAMA_HOST: ollama.host });
    const { body } = await server.call("GET", "/v1/models/choices");
    expect(body.found.servers).toContainEqual(
      expect.objectContaining({ provider: "ollama", label: "Ollama", models: 2 }),
    );
    expect(body.items).toContainEqual(
      expect.objectContaining({
        name: "ollama/llama3.2:3b",
        context_window: 131_072,
        tools: true,
        local: true,
      }),
    );
    const { body: current } = await server.call("GET", "/v1/status");
    expect(current.model).toMatchObject({ name: "ollama/llama3.2:3b", from: "local", demo: false });
    const told = await greeting(server);
    expect(told).toContain("ollama/llama3.2:3b (found on this machine)");
    expect(told).not.toContain("routing");
  });

  test("a configured provider that lists nothing is named in the banner, with the reason", async () => {
    const url = `http://127.0.0.1:${await closedPort()}/v1`;
    const server = await opened({ CAPSTAN_FIND_MODELS: "on", OPENAI_COMPATIBLE_BASE_URL: url });
    const told = await greeting(server);
    expect(told).toMatch(/model +capstan\/offline/);
    expect(told).toMatch(
      /note +http:\S+ cannot be reached: nothing is listening there.* Start the server there/,
    );
  });

  test("a coding agent that is installed and logged in is listed; one without a login is not", async () => {
    const home = mkdtempSync(join(tmpdir(), "capstan-home-"));
    closing.push(() => rmSync(home, { recursive: true }));
    const bin = join(home, "bin");
    mkdirSync(join(home, ".claude"), { recursive: true });
    mkdirSync(bin);
    writeFileSync(join(home, ".claude/.credentials.json"), "{}");
    for (const command of ["claude", "codex"]) {
      writeFileSync(join(bin, command), "#!/bin/sh\nexit 1\n");
      chmodSync(join(bin, command), 0o755);
    }
    const server = await opened({ CAPSTAN_FIND_MODELS: "on" }, { PATH: bin, HOME: home });
    const { body } = await server.call("GET", "/v1/models/choices");
    expect(body.found.coding_agents).toEqual([
      { name: "claude", label: "Claude Code", login_by: ["~/.claude/.credentials.json"] },
    ]);
    expect(await greeting(server)).toContain("Claude Code (logged in");
  });
});

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function opened(
  settings: Record<string, string> = {},
  environment: Record<string, string> = { PATH: "" },
): Promise<TestServer> {
  const server = await testServer(await freshPglite(), settings, { environment });
  closing.push(() => server.stop());
  return server;
}

const save = (server: TestServer, body: object) =>
  server.call("PUT", "/v1/providers/openai-compatible", body);

interface Behaviour {
  readonly models?: readonly string[];
  readonly status?: number;
  readonly error?: string;
  readonly chatStatus?: number;
  /** Awaited before the list of models is answered. */
  readonly beforeAnswer?: () => Promise<void>;
}

/** An OpenAI-compatible provider on loopback that behaves as told. */
async function fakeProvider(behaviour: Behaviour) {
  const { models = [], status = 200, error = "no", chatStatus = 200, beforeAnswer } = behaviour;
  const asked: { path: string; key: string | undefined }[] = [];
  const { url, close } = await listening(async (request, response) => {
    const path = request.url ?? "";
    if (path.endsWith("/models")) await beforeAnswer?.();
    asked.push({ path, key: request.headers.authorization });
    const refused = status !== 200 ? status : path.endsWith("/models") ? 200 : chatStatus;
    const streams = refused === 200 && !path.endsWith("/models");
    response.writeHead(refused, { "content-type": streams ? "text/event-stream" : "application/json" });
    if (refused !== 200) response.end(JSON.stringify({ error: { message: error } }));
    else if (path.endsWith("/models")) response.end(JSON.stringify({ data: models.map((id) => ({ id })) }));
    else response.end(`data: ${JSON.stringify(ANSWER)}\n\ndata: [DONE]\n\n`);
  });
  return { url: `${url}/v1`, asked, close };
}

const ANSWER = {
  id: "1",
  object: "chat.completion.chunk",
  created: 1,
  model: "x",
  choices: [{ index: 0, finish_reason: "stop", delta: { content: "ok" } }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

async function fakeOllama() {
  const shown = {
    capabilities: ["completion", "tools"],
    model_info: { "llama.context_length": 131_072 },
  };
  const { url } = await listening((request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    if (request.url === "/api/tags")
      response.end(JSON.stringify({ models: [{ name: "llama3.2:3b" }, { name: "qwen3:8b" }] }));
    else response.end(JSON.stringify(request.url === "/api/show" ? shown : {}));
  });
  return { host: new URL(url).host };
}

async function listening(answer: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  closing.push(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
