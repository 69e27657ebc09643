/** /mcp with real clients of three generations, and the protocol's own conformance suite. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { defineCapability, defineTool, fail, ok } from "@capstan/core";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type LlmRequest,
  llmEnvironment,
  type ScriptedLlm,
  scriptedLlm,
  toolAnswered,
} from "../../../../tools/scripted-llm.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

let server: TestServer;
let llm: ScriptedLlm;
let agentId: string;
let token: string;
const sent: string[] = [];

const testTools = defineCapability({
  id: "mcp_test",
  name: "MCP test",
  description: "What the tests call.",
  tools: [
    defineTool({
      name: "send_mail",
      description: "Sends a mail.",
      policy: "approve",
      input: z.object({ to: z.string() }),
      output: z.object({ sent_to: z.string() }),
      run: ({ to }) => {
        sent.push(to);
        return ok({ sent_to: to });
      },
    }),
    defineTool({
      name: "read_secrets",
      description: "Needs a right nobody has.",
      scopes: ["secrets:read"],
      input: z.object({}),
      run: () => ok("never"),
    }),
    defineTool({
      name: "wipe",
      description: "Is denied by the agent.",
      input: z.object({}),
      run: () => ok("never"),
    }),
    defineTool({
      name: "test_simple_text",
      description: "Says a sentence.",
      input: z.object({}),
      run: () => ok("This is a simple text response for testing."),
    }),
    defineTool({
      name: "test_error_handling",
      description: "Fails.",
      input: z.object({}),
      run: () => fail("tool_failed", { message: "This tool intentionally returns an error for testing" }),
    }),
    defineTool({
      name: "test_tool_with_progress",
      description: "Tells how far it is.",
      input: z.object({}),
      risk: "read",
      run: (_input, { progress }) => {
        for (const done of [0, 50, 100]) progress?.({ done, total: 100, message: `${done} of 100` });
        return ok("done");
      },
    }),
    {
      ...defineTool({
        name: "json_schema_2020_12_tool",
        description: "Tool with JSON Schema 2020-12 features",
        input: z.object({}),
        run: () => ok("ok"),
      }),
      input: {
        jsonSchema: {
          $schema: "https://json-schema.org/draft/2020-12/schema",
          type: "object",
          $defs: {
            address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } },
          },
          properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
          additionalProperties: false,
        },
        parse: (value: unknown) => ({ ok: true as const, value }),
      },
    },
  ],
});

beforeAll(async () => {
  llm = await scriptedLlm(() => ({ text: ["Hello."] }));
  server = await testServer(await freshPglite(), llmEnvironment(llm));
  server.services.registry.register(testTools);
  agentId = await newAgent({});
  token = await newToken({});
});
afterAll(async () => {
  await server.stop();
  await llm.close();
});

async function newAgent(more: object): Promise<string> {
  const { body } = await server.call("POST", "/v1/agents", {
    name: "Toolbox",
    description: "Offers tools.",
    system_prompt: "Be exact.",
    capabilities: ["test_math", "session_file_system", "mcp_test"],
    tool_policies: { wipe: "deny" },
    ...more,
  });
  return body.id;
}

async function newToken(more: object, agent = agentId): Promise<string> {
  const { body } = await server.call("POST", `/v1/agents/${agent}/tokens`, { name: "test", ...more });
  return body.token;
}

type Connect = (
  bearer: string | undefined,
  query?: string,
) => Promise<Pick<Client, "listTools" | "callTool" | "close">>;

const url = (query = "") => new URL(`${server.url}/mcp${query}`);
const headers = (bearer: string | undefined) => ({
  requestInit: { headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` } },
});
const modern =
  (mode: "auto" | { pin: string }): Connect =>
  async (bearer, query) => {
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(url(query), headers(bearer)));
    return client;
  };
const connect = modern("auto");
const old: Connect = async (bearer, query) => {
  const client = new OldClient({ name: "old", version: "1" });
  await client.connect(new OldTransport(url(query), headers(bearer)) as never);
  return client as never;
};

async function call(name: string, args: object, bearer: string | undefined = token, query = "") {
  const client = await connect(bearer, query);
  const answer = await client.callTool({ name, arguments: { ...args } });
  await client.close();
  const [first] = answer.content;
  const text = first?.type === "text" ? first.text : "";
  return { answer, text, problem: answer.isError ? JSON.parse(text) : undefined };
}

describe.each<[string, Connect]>([
  ["a client of 2026-07-28", modern({ pin: "2026-07-28" })],
  ["a client that negotiates", modern("auto")],
  ["a client of 2025-11-25, version 1 of the SDK", old],
])("%s", (_name, open) => {
  test("sees the agent's tools and calls one through the gate", async () => {
    const client = await open(token);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["add", "read_file", "send_mail"]));
    expect(tools.map(({ name }) => name)).not.toContain("read_secrets");
    expect(tools.map(({ name }) => name)).not.toContain("wipe");
    const answer = await client.callTool({ name: "add", arguments: { a: 2, b: 40 } });
    expect(answer.structuredContent).toMatchObject({ result: 42 });
    expect(answer.isError).toBeFalsy();
    await client.close();
    expect(server.services.telemetry.counters().get("test_math\nmcp\nsuccess")).toBeGreaterThan(0);
  });
});

describe("what a token can see", () => {
  test("an agent's semantic version is the server's, and what other agents pin", async () => {
    const { body: child } = await server.call("POST", "/v1/agents", { name: "Versioned", release: "2.5.0" });
    const seen = async () => {
      const { body } = await server.call("POST", `/v1/agents/${child.id}/tokens`, { name: "test" });
      const client = new Client({ name: "test", version: "1" });
      await client.connect(new StreamableHTTPClientTransport(url(), headers(body.token)));
      const info = client.getServerVersion();
      await client.close();
      return info?.version;
    };
    expect(await seen()).toBe("2.5.0");
    const capabilities = [{ id: `agent.${child.id}`, version: "^2.0.0" }];
    const parent = await server.call("POST", "/v1/agents", { name: "Pins it", capabilities });
    expect(parent.status).toBe(201);
    await server.call("PATCH", `/v1/agents/${child.id}`, { capabilities: ["test_math"] });
    expect(await seen()).toBe("2.6.0");
    const preview = await server.call("GET", `/v1/agents/${parent.body.id}/preview`);
    expect(preview.status).toBe(200);
  });

  test("an agent is named and described", async () => {
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(new StreamableHTTPClientTransport(url(), headers(token)));
    expect(client.getServerVersion()).toMatchObject({ name: "Toolbox" });
    expect(client.getInstructions()).toContain("Be exact.");
    expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
    await client.close();
  });

  test.each([
    ["hidden because of a missing scope", "read_secrets", {}, "scope_missing"],
    ["denied by policy", "wipe", {}, "tool_denied"],
    ["called with wrong arguments", "add", { a: "x" }, "tool_input_invalid"],
    ["unknown", "ad", {}, "tool_unknown"],
  ])("a tool that is %s stays so", async (_what, name, args, code) => {
    const { problem } = await call(name, args);
    expect(problem).toMatchObject({ code, message: expect.any(String), nextStep: expect.any(String) });
  });

  test("files written with a token exist at its next call, but not with another token", async () => {
    await call("write_file", { path: "/a.txt", content: "mine" });
    expect((await call("read_file", { path: "/a.txt" })).text).toContain("mine");
    const other = await newToken({});
    expect((await call("read_file", { path: "/a.txt" }, other)).answer.isError).toBe(true);
  });

  test("a capability added to the agent is listed next time", async () => {
    const growing = await newAgent({ name: "Growing", capabilities: ["test_math"], tool_policies: {} });
    const own = await newToken({}, growing);
    const client = await connect(own);
    const before = (await client.listTools()).tools.length;
    await server.call("PATCH", `/v1/agents/${growing}`, { capabilities: ["test_math", "current_time"] });
    const after = await connect(own);
    expect((await after.listTools()).tools.length).toBeGreaterThan(before);
    await Promise.all([client.close(), after.close()]);
  });
});

describe("authentication", () => {
  const status = async (bearer: string | undefined, query = "") => {
    const response = await fetch(url(query), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    });
    return response.status;
  };

  test("on loopback the local user names an agent; without one nothing is shown", async () => {
    expect(await status(undefined, `?agent=${agentId}`)).toBe(200);
    expect(await status(undefined)).toBe(401);
    expect(await status(undefined, "?agent=nobody")).toBe(404);
    expect((await call("add", { a: 1, b: 1 }, undefined, `?agent=${agentId}`)).answer.isError).toBeFalsy();
  });

  test("a key requires the right to run", async () => {
    const { body } = await server.call("POST", "/v1/keys", { name: "r", rights: ["read"] });
    expect(await status(body.key, `?agent=${agentId}`)).toBe(403);
  });

  test("an unknown, revoked or expired token is refused", async () => {
    expect(await status("agent_unknown")).toBe(401);
    const { body } = await server.call("POST", `/v1/agents/${agentId}/tokens`, { name: "gone" });
    expect(await status(body.token)).toBe(200);
    expect((await server.call("DELETE", `/v1/agents/${agentId}/tokens/${body.id}`)).status).toBe(204);
    expect(await status(body.token)).toBe(401);
    const brief = await newToken({ expires_in_seconds: 0.001 });
    expect(await status(brief)).toBe(401);
  });

  test("a token is shown once and kept as a hash", async () => {
    const { body } = await server.call("GET", `/v1/agents/${agentId}/tokens`);
    expect(body.items.length).toBeGreaterThan(0);
    expect(JSON.stringify(body)).not.toContain(token);
    const { rows } = await server.services.database.pool.query("select * from tokens");
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  test("a token is valid for as many calls as it says", async () => {
    const two = await newToken({ max_calls: 2 });
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push(await call("add", { a: 1, b: 1 }, two));
    expect(answers.map(({ problem }) => problem?.code)).toEqual([undefined, undefined, "budget_exhausted"]);
  });

  test("a run's token works while the run is active, and not after", async () => {
    llm.script = (request: LlmRequest) =>
      toolAnswered(request)
        ? { text: ["Done."] }
        : { calls: [{ id: "call_1", name: "send_mail", input: { to: "run@example.com" } }] };
    const { body: session } = await server.call("POST", "/v1/sessions", { agent_id: agentId });
    const { body: accepted } = await server.call("POST", `/v1/sessions/${session.id}/messages`, {
      content: "mail",
    });
    const approval = await pendingIn(session.id);
    const { token: own } = await server.services.tokens.create({
      runId: accepted.run_id,
      sessionId: session.id,
      agentId,
      userEmail: "local@localhost",
      createdBy: "local@localhost",
    });
    expect(own).toMatch(/^run_/);
    await call("write_file", { path: "/from-run.txt", content: "here" }, own);
    const file = await server.call("GET", `/v1/sessions/${session.id}/files/from-run.txt`);
    expect(file.body).toBe("here");
    await server.call("POST", `/v1/approvals/${approval}`, { decision: "deny" });
    await ended(accepted.run_id);
    expect(await status(own)).toBe(401);
  });
});

describe("a tool that requires approval", () => {
  test("names the approval; once given, repeating the call returns the result, and the tool ran once", async () => {
    const to = "one@example.com";
    const first = await call("send_mail", { to });
    const id = first.answer._meta?.["capstan/approvalId"];
    expect(first.problem.code).toBe("approval_required");
    expect(first.problem.message).toContain(id);
    const again = await call("send_mail", { to });
    expect(again.answer._meta?.["capstan/approvalId"]).toBe(id);
    await server.call("POST", `/v1/approvals/${id}`, { decision: "approve" });
    const result = await call("send_mail", { to });
    expect(result.answer.structuredContent).toEqual({ sent_to: to });
    expect(sent.filter((mail) => mail === to)).toHaveLength(1);
    const anew = await call("send_mail", { to });
    expect(anew.answer._meta?.["capstan/approvalId"]).not.toBe(id);
  });

  test("returns the reason when a person denies it", async () => {
    const to = "two@example.com";
    const { answer } = await call("send_mail", { to });
    const id = answer._meta?.["capstan/approvalId"];
    await server.call("POST", `/v1/approvals/${id}`, { decision: "deny", words: "not this one" });
    const { problem } = await call("send_mail", { to });
    expect(problem).toMatchObject({ code: "tool_denied" });
    expect(problem.message).toContain("not this one");
    expect(sent).not.toContain(to);
  });
});

describe("the description of a tool", () => {
  test("has a title, and hints that follow from its risk", async () => {
    const client = await connected();
    const { tools } = await client.listTools();
    const hints = Object.fromEntries(
      tools.map(({ name, title, annotations }) => [name, { title, ...annotations }]),
    );
    expect(hints.read_file).toMatchObject({ title: "Read file", readOnlyHint: true, destructiveHint: false });
    expect(hints.delete_file).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    await client.close();
  });

  test("reports progress on request", async () => {
    const client = await connected();
    const heard: unknown[] = [];
    await client.callTool(
      { name: "test_tool_with_progress", arguments: {} },
      { onprogress: (progress) => heard.push(progress) },
    );
    expect(heard).toEqual(
      [0, 50, 100].map((done) => ({ progress: done, total: 100, message: `${done} of 100` })),
    );
    await client.close();
  });
});

describe("ask_agent", () => {
  test("is listed among the agent's tools", async () => {
    const client = await connected();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("ask_agent");
    await client.close();
  });

  test("gives the agent a task in words, and the next question continues the thread", async () => {
    const client = await connected();
    llm.script = () => ({ text: ["Hello."] });
    llm.requests.length = 0;
    const first = await client.callTool({ name: "ask_agent", arguments: { message: "My name is Ann." } });
    const { answer, thread } = first.structuredContent as { answer: string; thread: string };
    expect(answer).toBe("Hello.");
    await client.callTool({ name: "ask_agent", arguments: { message: "Who am I?", thread } });
    expect(JSON.stringify(llm.requests.at(-1)?.messages)).toMatch(/Ann.*Who am I/);
    await client.close();
  });

  test("says where to approve what the agent wants to do, and does not do it", async () => {
    const client = await connected();
    const before = sent.length;
    llm.script = (request) =>
      toolAnswered(request)
        ? { text: ["Sent."] }
        : { calls: [{ id: crypto.randomUUID(), name: "send_mail", input: { to: "c@example.com" } }] };
    const asked = await client.callTool({ name: "ask_agent", arguments: { message: "Write to c." } });
    llm.script = () => ({ text: ["Hello."] });
    expect(asked.isError).toBe(true);
    expect(JSON.stringify(asked.content)).toMatch(/POST \/v1\/approvals\//);
    expect(sent).toHaveLength(before);
    await client.close();
  });

  test("refuses unknown fields, by name", async () => {
    const client = await connected();
    const asked = await client.callTool({ name: "ask_agent", arguments: { message: "Hi", dry_run: true } });
    expect(asked.isError).toBe(true);
    expect(JSON.stringify(asked.content)).toContain("dry_run");
    await client.close();
  });
});

async function connected(): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  const url = new URL(`${server.url}/mcp?agent=${agentId}`);
  await client.connect(new StreamableHTTPClientTransport(url));
  return client;
}

/** The others, and why they do not apply, are in docs/mcp.md. */
const SCENARIOS = [
  "server-initialize",
  "ping",
  "tools-list",
  "tools-call-simple-text",
  "tools-call-error",
  "json-schema-2020-12",
  "tools-call-with-progress",
  "dns-rebinding-protection",
];

async function conformance(...args: string[]): Promise<string> {
  const program = new URL(
    "../../../../node_modules/@modelcontextprotocol/conformance/dist/index.js",
    import.meta.url,
  );
  const run = promisify(execFile)(process.execPath, [fileURLToPath(program), ...args], { timeout: 50_000 });
  const { stdout } = await run.catch((error) => {
    throw new Error(`${error.stdout}\n${error.stderr}`);
  });
  return stdout;
}

test.each(SCENARIOS)("conformance: %s", async (scenario) => {
  const url = `${server.url}/mcp?agent=${agentId}`;
  expect(await conformance("server", "--url", url, "--scenario", scenario)).toMatch(
    /Passed: ([1-9]\d*)\/\1, 0 failed/, // "0/0" would be no proof
  );
});

test("conformance: docs/mcp.md names every scenario that does not apply, and no other", async () => {
  const [servers = ""] = (await conformance("list")).split("Client scenarios");
  const all = [...servers.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name);
  const page = await readFile(new URL("../../../../docs/mcp.md", import.meta.url), "utf8");
  const table = page.slice(page.indexOf("| scenarios |"));
  const excused = [...table.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, names = ""]) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  expect([...excused, ...SCENARIOS].sort()).toEqual(all.sort());
});

async function pendingIn(sessionId: string): Promise<string> {
  const { services } = server;
  for await (const { json } of services.runs.events(sessionId, 0, AbortSignal.timeout(20_000)))
    if (json.some((text) => text.startsWith('{"type":"RUN_FINISHED"'))) break;
  const { items } = await services.runs.approvals.list({ status: "pending", sessionId, limit: 10 });
  return items[0]?.id ?? "";
}

async function ended(runId: string): Promise<void> {
  const { runs } = server.services;
  const run = await runs.run(runId);
  if (!run.ok) throw new Error(run.failure.message);
  for await (const _ of runs.events(run.value.sessionId, 0, AbortSignal.timeout(20_000))) {
    const now = await runs.run(runId);
    if (now.ok && now.value.status === "done") return;
  }
}
