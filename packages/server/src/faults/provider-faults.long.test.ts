/** Misbehaving providers, tools and MCP servers, each with a healthy run alongside: the outcome is reported, and the server continues. */
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { defineCapability, defineTool, ok } from "@capstan/core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { type FreshStore, freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const CHUNK = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 0, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const CALL = (name: string, input: string) =>
  CHUNK({
    tool_calls: [{ index: 0, id: "call-1", type: "function", function: { name, arguments: input } }],
  }) +
  CHUNK({}, "tool_calls") +
  "data: [DONE]\n\n";
const SAY = (text: string) => `${CHUNK({ content: text })}${CHUNK({}, "stop")}data: [DONE]\n\n`;

/** The provider's behaviour, by the text of the message. A second call of the same run, after a tool, always answers. */
const BEHAVIOURS: Record<string, (response: ServerResponse) => void> = {
  fine: (response) => void response.end(SAY("Fine.")),
  hangs: () => {},
  "hangs in the middle": (response) => void response.write(CHUNK({ content: "Half of" })),
  "floods with tokens": (response) => flood(response, CHUNK({ content: "blah ".repeat(2000) })),
  "floods without an end of line": (response) => {
    response.write("data: ");
    flood(response, "x".repeat(65_536));
  },
  "floods in its refusal": (response) => {
    response.writeHead(400, { "content-type": "application/json" });
    flood(response, "x".repeat(65_536));
  },
  "closes in the middle of JSON": (response) => {
    response.write(`${CHUNK({ content: "So far" })}data: {"id":"c","choices":[{"index":0,"del`);
    setImmediate(() => response.destroy());
  },
  "sends what is no JSON": (response) => void response.end("data: <html>gateway</html>\n\ndata: [DONE]\n\n"),
  "calls a tool that never returns": (response) => void response.end(CALL("never", "{}")),
  "calls a tool that throws": (response) => void response.end(CALL("thrower", "{}")),
  "calls a tool with broken arguments": (response) => void response.end(CALL("never", '{"a":')),
};

function flood(response: ServerResponse, piece: string): void {
  const more = () => {
    while (!response.destroyed && response.write(piece));
    if (!response.destroyed) response.once("drain", more);
  };
  more();
}

const stubborn = defineCapability({
  id: "stubborn",
  name: "Stubborn",
  description: "Tools that misbehave.",
  tools: [
    defineTool({
      name: "never",
      description: "Never returns, and does not listen.",
      timeoutMs: 300,
      input: z.object({}),
      run: () => new Promise<never>(() => {}),
    }),
    defineTool({
      name: "thrower",
      description: "Throws.",
      input: z.object({}),
      run: () => {
        throw new TypeError("cannot read properties of undefined");
      },
    }),
    defineTool({ name: "quiet", description: "Works.", input: z.object({}), run: () => ok("ok") }),
  ],
});

let store: FreshStore;
let server: TestServer;
let provider: Server;
beforeAll(async () => {
  provider = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    const { messages } = JSON.parse(body) as { messages: { role: string; content: unknown }[] };
    response.on("error", () => {});
    response.setHeader("content-type", "text/event-stream");
    if (messages.at(-1)?.role === "tool") {
      const said = JSON.stringify(messages.at(-1)?.content);
      return void response.end(SAY(`The tool said ${said}`));
    }
    const asked = messages.findLast(({ role }) => role === "user")?.content;
    const text = typeof asked === "string" ? asked : ((asked as { text: string }[])[0]?.text ?? "");
    (BEHAVIOURS[text] ?? BEHAVIOURS.fine)?.(response);
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  store = await freshPglite();
  server = await testServer(store, {
    OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`,
    CAPSTAN_MODEL: "openai-compatible/m",
  });
  server.services.registry.register(stubborn);
});
afterAll(async () => {
  await server.stop();
  provider.closeAllConnections();
  provider.close();
});

describe("the reported outcome, and the next run works", () => {
  test.each([
    ["hangs", "limit", "run_time_limit"],
    ["hangs in the middle", "limit", "run_time_limit"],
    ["floods with tokens", "failed", "answer_flooded"],
    ["floods without an end of line", "failed|limit", "provider_unavailable|provider_busy|run_time_limit"],
    ["floods in its refusal", "failed", "provider_request_refused"],
    ["closes in the middle of JSON", "failed|limit", "provider_unavailable|provider_busy|run_time_limit"],
    [
      "sends what is no JSON",
      "failed|limit",
      "provider_unavailable|provider_request_refused|provider_busy|run_time_limit",
    ],
    ["calls a tool that never returns", "done", "tool_timeout"],
    ["calls a tool that throws", "done", "tool_crashed"],
    ["calls a tool with broken arguments", "done", "tool_input_invalid"],
  ])("a provider that %s: the run is %s (%s)", async (behaviour, status, code) => {
    const { run, events } = await turn(behaviour);
    expect(status.split("|")).toContain(run.status);
    expect(JSON.stringify(run.status === "done" ? events : run)).toMatch(new RegExp(code));
    expect((await turn("fine")).run.status).toBe("done");
  });

  test("memory does not grow with floods", async () => {
    const before = process.memoryUsage().rss;
    for (let i = 0; i < 3; i++) await turn("floods with tokens");
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024);
  });
});

test("an MCP server that dies during a call: the tool fails with a reason, the run continues, the next call restarts it", async () => {
  const program = fileURLToPath(
    new URL("../../../runtime/src/sources/fixtures/odd-mcp-server.ts", import.meta.url),
  );
  const installed = await server.call("POST", "/v1/packages", {
    source: `"${process.execPath}" "${program}"`,
    kind: "mcp",
    yes: true,
    run_to_describe: true,
  });
  expect(installed.status, JSON.stringify(installed.body).slice(0, 500)).toBe(201);
  const { capability } = installed.body.description;
  const call = (name: string) =>
    server.call("POST", `/v1/capabilities/${capability}/tools/${name}`, { input: {} });
  expect((await call("pid")).status).toBe(200);
  expect((await call("die")).body).toMatchObject({
    code: "mcp_server_died",
    message: expect.stringContaining("the disk is full"),
  });
  expect((await call("pid")).status).toBe(200);
  expect((await server.call("GET", "/ready")).status).toBe(200);
});

async function turn(words: string) {
  const agent = await server.call("POST", "/v1/agents", {
    name: "A",
    capabilities: ["stubborn"],
    limits: { max_seconds: 3 },
  });
  const session = await server.call("POST", "/v1/sessions", { agent_id: agent.body.id });
  const sent = await server.call("POST", `/v1/sessions/${session.body.id}/messages`, { content: words });
  const run = await vi.waitFor(
    async () => {
      const { body } = await server.call("GET", `/v1/runs/${sent.body.run_id}`);
      expect(["done", "failed", "limit"]).toContain(body.status);
      return body;
    },
    { timeout: 30_000, interval: 50 },
  );
  const { body: events } = await server.call(
    "GET",
    `/v1/sessions/${session.body.id}/events?format=json&limit=1000`,
  );
  return { run, events };
}
