/** Third-party programs and libraries from npm: LangChain, OpenAI's Agents SDK, mcp-remote, MCP's inspector. */
import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bareEnvironment } from "../../../../tools/bare-environment.ts";
import { freePort } from "../../../../tools/chaos/own-postgres.ts";
import { cachedPackages } from "../../../../tools/npm-cache.ts";
import { consent } from "../../../../tools/oauth-client.ts";
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

const run = promisify(execFile);
const installed = cachedPackages("clients", [
  "@langchain/openai@1.6.0",
  "@langchain/core@1.2.13",
  "@openai/agents@0.20.0",
  "openai@7.53.0",
  "zod@4.6.7",
  "mcp-remote@0.15.1",
  "@modelcontextprotocol/inspector@2.12.0",
]);
const bin = (path: string) => join(`${installed}`, "node_modules", path);

/** Says hello, calls the client's tool when asked for the weather, and names a city as JSON. */
function clerk(request: LlmRequest): LlmReply {
  const asked = lastUserText(request);
  if (asked.includes("a city")) return { text: ['{"city":', '"Oslo"}'] };
  if (!asked.includes("weather")) return { text: ["Hello ", "there."] };
  return toolAnswered(request)
    ? { text: ["It rains."] }
    : { calls: [{ id: `call_${crypto.randomUUID()}`, name: "local_weather", input: { unit: "C" } }] };
}

let server: TestServer;
let llm: ScriptedLlm;
let agentId: string;
let key: string;
let home: string;

describe.skipIf(installed === undefined)("clients from npm (need the registry once)", () => {
  beforeAll(async () => {
    llm = await scriptedLlm(clerk);
    server = await testServer(await freshPglite(), llmEnvironment(llm));
    const made = await server.call("POST", "/v1/agents", { name: "Clerk", capabilities: ["test_math"] });
    agentId = made.body.id;
    key = (await server.call("POST", "/v1/keys", { name: "clients", rights: ["run"] })).body.key;
    home = mkdtempSync(join(`${installed}`, "home-"));
  });
  afterAll(async () => {
    rmSync(home, { recursive: true, force: true });
    await server?.stop();
    await llm?.close();
  });
  const environment = () => ({ ...bareEnvironment(), HOME: home });
  /** What a program of `fixtures/` prints, run where the packages are. */
  const printed = async (name: string) => {
    const program = join(home, name);
    copyFileSync(fileURLToPath(new URL(`fixtures/${name}`, import.meta.url)), program);
    const args = [program, `${server.url}/openai/v1`, key, "Clerk"];
    return JSON.parse((await run(process.execPath, args, { env: environment() })).stdout);
  };
  const mcp = () => `${server.url}/mcp?agent=${agentId}`;

  test("LangChain's ChatOpenAI answers, streams, calls its tools and fits a schema", async () => {
    expect(await printed("langchain-program.mjs")).toEqual({
      whole: "Hello there.",
      usage: 15,
      streamed: "Hello there.",
      call: { name: "local_weather", args: { unit: "C" } },
      answered: "It rains.",
      structured: { city: "Oslo" },
      response: "Hello there.",
      refused: expect.stringContaining("nobody"),
    });
  });

  test("OpenAI's Agents SDK calls its tools, streams and fits a schema over both of its APIs", async () => {
    const each = { whole: "It rains.", streamed: "It rains.", structured: { city: "Oslo" } };
    expect(await printed("openai-agents-program.mjs")).toEqual({ responses: each, chat_completions: each });
  });

  test("mcp-remote joins a client that speaks only stdio", async () => {
    const args = [bin("mcp-remote/dist/proxy.js"), mcp(), "--header", `Authorization: Bearer ${key}`];
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, env: environment(), stderr: "ignore" }),
    );
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("add");
    const result = await client.callTool({ name: "add", arguments: { a: 20, b: 22 } });
    expect(result.structuredContent).toEqual({ result: 42 });
    await client.close();
  });

  test("mcp-remote logs in where no key is given: it opens a browser, and goes on when the person has allowed it", async () => {
    const port = String(await freePort()); // its own choice may be one that fetch and browsers refuse, such as 6000
    const args = [bin("mcp-remote/dist/proxy.js"), `${server.url}/mcp`, port];
    const env = { ...environment(), BROWSER: "true" };
    const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: "pipe" });
    const client = new Client({ name: "test", version: "1.0.0" });
    let said = "";
    const opened = new Promise<URL>((resolve) => {
      transport.stderr?.on("data", (part) => {
        said += part;
        const [address] = /http:\S+\/authorize\?\S+/.exec(said) ?? [];
        if (address !== undefined && said.includes(`${address}\n`)) resolve(new URL(address));
      });
    });
    const connected = client.connect(transport);
    const { back } = await consent(server, await opened, { agent_id: agentId });
    await fetch(back ?? "");
    await connected;
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("add");
    await client.close();
  });

  test("MCP's inspector lists the tools and calls one", async () => {
    const inspect = async (...args: string[]) => {
      const cli = [bin("@modelcontextprotocol/inspector/clients/launcher/build/index.js"), "--cli", mcp()];
      const all = [...cli, "--transport", "http", "--header", `Authorization: Bearer ${key}`, ...args];
      return JSON.parse((await run(process.execPath, all, { env: environment() })).stdout);
    };
    const { tools } = await inspect("--method", "tools/list");
    expect(tools.map(({ name }: { name: string }) => name)).toContain("add");
    const call = ["--method", "tools/call", "--tool-name", "add", "--tool-arg", "a=20", "b=22"];
    expect((await inspect(...call)).structuredContent).toEqual({ result: 42 });
  });
});
