/** Secrets that could leak, and permissions that could count twice or elsewhere. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { defineCapability, defineTool, ok } from "@capstan/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { lastUserText, type ScriptedLlm, scriptedLlm, toolAnswered } from "../../../../tools/scripted-llm.ts";
import { type ServerProcess, serverProcess } from "../../../../tools/server-process.ts";
import { type FreshStore, freshPglite, freshPostgres } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const PROVIDER_KEY = "sk-provider-4f9a1c77e2";
const DOCUMENT_KEY = "document-secret-8d21b0";
const SIGNING_KEY = "signing-secret-0123456789";
const SECRETS = [PROVIDER_KEY, DOCUMENT_KEY, SIGNING_KEY];

describe("a secret would be read in logs, events, telemetry or files", () => {
  let store: FreshStore;
  let server: ServerProcess;
  let rude: { url: string; close(): void };
  beforeAll(async () => {
    rude = await repeatsWhatItIsSent();
    store = await freshPostgres();
    server = await serverProcess(store, {
      OPENAI_COMPATIBLE_BASE_URL: `${rude.url}/v1`,
      OPENAI_COMPATIBLE_API_KEY: PROVIDER_KEY,
      CAPSTAN_MODEL: "openai-compatible/rude",
      CAPSTAN_SECRET: SIGNING_KEY,
      CAPSTAN_SECRET_SHOP_KEY: DOCUMENT_KEY,
      CAPSTAN_SECRET_HOSTS: `SHOP_KEY=${new URL(rude.url).host}`,
      CAPSTAN_ALLOW_HOSTS: new URL(rude.url).host,
      CAPABILITY_TELEMETRY_LOG_FILE: join(store.dataDir, "telemetry.jsonl"),
    });
  });
  afterAll(async () => {
    await server.end("SIGKILL");
    rude.close();
    await store.drop();
  });

  test("when a provider repeats the key in its refusal, a service repeats its header, and the server stops", async () => {
    const document = {
      id: "shop",
      name: "Shop",
      description: "Asks the shop.",
      version: "1.0.0",
      base_url: rude.url,
      headers: { "x-shop-key": `\${SHOP_KEY}` },
      tools: [{ name: "ask_shop", description: "Asks.", method: "GET", path: "/shop" }],
    };
    expect((await server.call("POST", "/v1/capabilities", document)).status).toBe(201);
    const tool = await server.call("POST", "/v1/capabilities/shop/tools/ask_shop", { input: {} });
    const agent = await server.call("POST", "/v1/agents", { name: "A" });
    const session = await server.call("POST", "/v1/sessions", { agent_id: agent.body.id });
    const sent = await server.call("POST", `/v1/sessions/${session.body.id}/messages`, { content: "hi" });
    await expect
      .poll(async () => (await server.call("GET", `/v1/runs/${sent.body.run_id}`)).body.status, {
        timeout: 20_000,
      })
      .toBe("failed");
    const shown = [
      tool.body,
      (await server.call("GET", `/v1/runs/${sent.body.run_id}`)).body,
      (await server.call("GET", `/v1/sessions/${session.body.id}/events?format=json`)).body,
      await (await fetch(`${server.url}/v1/sessions/${session.body.id}/export`)).text(),
      (await server.call("GET", "/api/execution-telemetry")).body,
      (await server.call("GET", "/v1/providers")).body,
      (await server.call("GET", "/v1/audit")).body,
      (await server.call("GET", "/v1/capabilities/shop")).body,
      (await server.call("GET", "/v1/status")).body,
    ];
    await server.end("SIGTERM");
    expect(JSON.stringify(shown)).toContain("***");
    const everything = [JSON.stringify(shown), server.log(), ...filesBelow(store.dataDir)];
    for (const secret of SECRETS)
      expect(everything.filter((text) => text.includes(secret)).map((text) => text.slice(0, 200))).toEqual(
        [],
      );
    const password = new URL(store.url ?? "").password;
    expect(server.log()).not.toContain(`:${password}@`);
  });
});

describe("a permission would count twice, or elsewhere", () => {
  let server: TestServer;
  let llm: ScriptedLlm;
  const sent: string[] = [];
  const mail = defineCapability({
    id: "replay_mail",
    name: "Mail",
    description: "Sends mail.",
    tools: [
      defineTool({
        name: "send_mail",
        description: "Sends a mail.",
        policy: "approve",
        input: z.object({ to: z.string() }),
        run: ({ to }) => {
          sent.push(to);
          return ok(`sent to ${to}`);
        },
      }),
    ],
  });
  beforeAll(async () => {
    llm = await scriptedLlm((request) =>
      toolAnswered(request)
        ? { text: ["Done."] }
        : {
            calls: [
              { id: `c-${lastUserText(request)}`, name: "send_mail", input: { to: lastUserText(request) } },
            ],
          },
    );
    server = await testServer(await freshPglite(), {
      OPENAI_COMPATIBLE_BASE_URL: llm.baseUrl,
      CAPSTAN_MODEL: "openai-compatible/scripted",
    });
    server.services.registry.register(mail);
  });
  afterAll(async () => {
    await server.stop();
    await llm.close();
  });

  test("an approval that is answered again runs nothing again, whatever the second answer says", async () => {
    const { approval } = await asked("one@example.com");
    const answers = await Promise.all(
      [
        { decision: "approve" },
        { decision: "approve", edited_args: { to: "thief@example.com" } },
        { decision: "approve" },
        { decision: "deny" },
      ].map((body) => server.call("POST", `/v1/approvals/${approval}`, body)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(3);
    const before = sent.length;
    const late = await server.call("POST", `/v1/approvals/${approval}`, { decision: "approve" });
    expect(late).toMatchObject({ status: 409, body: { code: "approval_decided" } });
    await expect.poll(() => sent.length).toBeLessThanOrEqual(1);
    expect(sent.length).toBeLessThanOrEqual(Math.max(1, before));
  });

  test("a denied approval is not approved afterwards", async () => {
    const { approval } = await asked("two@example.com");
    await server.call("POST", `/v1/approvals/${approval}`, { decision: "deny" });
    const again = await server.call("POST", `/v1/approvals/${approval}`, { decision: "approve" });
    expect(again.status).toBe(409);
    expect(sent).not.toContain("two@example.com");
  });

  test("an approval for one call over MCP does not cover a call with other arguments", async () => {
    const agent = await newAgent();
    const first = await mcp(agent, "ok@example.com");
    const id = first._meta["capstan/approvalId"];
    await server.call("POST", `/v1/approvals/${id}`, { decision: "approve" });
    const other = await mcp(agent, "thief@example.com");
    expect(other._meta["capstan/approvalId"]).toBeTypeOf("string");
    expect(other._meta["capstan/approvalId"]).not.toBe(id);
    expect(sent).not.toContain("thief@example.com");
  });

  test("a run's token reaches that run's session and no other, whatever the request names, and dies with its run", async () => {
    const a = await asked("a@example.com");
    const b = await asked("b@example.com");
    await server.call("PUT", `/v1/sessions/${b.session}/files/secret.txt`, "of b");
    const { token } = await server.services.tokens.create({
      runId: a.run,
      sessionId: a.session,
      agentId: a.agent,
      userEmail: "local@localhost",
      createdBy: "local@localhost",
    });
    for (const query of ["", `?session=${b.session}`, `?agent=${b.agent}&session=${b.session}`]) {
      const read = await rpc(token, query, "read_file", { path: "/secret.txt" });
      expect(JSON.stringify(read), query).not.toContain("of b");
      await rpc(token, query, "write_file", { path: "/mark.txt", content: "was here" });
    }
    const inA = await server.call("GET", `/v1/sessions/${a.session}/files/mark.txt`);
    const inB = await server.call("GET", `/v1/sessions/${b.session}/files/mark.txt`);
    expect([inA.status, inB.status]).toEqual([200, 404]);
    await server.call("POST", `/v1/sessions/${a.session}/cancel`);
    await expect.poll(() => mcpStatus(token), { timeout: 10_000 }).toBe(401);
    const elsewhere = await fetch(`${server.url}/mcp?agent=${b.agent}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: "{}",
    });
    expect(elsewhere.status).toBe(401);
  });

  async function newAgent(): Promise<string> {
    const capabilities = ["replay_mail", "session_file_system"];
    return (await server.call("POST", "/v1/agents", { name: "Mailer", capabilities })).body.id;
  }

  /** A run that waits for approval to send a mail. */
  async function asked(to: string) {
    const agent = await newAgent();
    const session = (await server.call("POST", "/v1/sessions", { agent_id: agent })).body.id;
    const { body } = await server.call("POST", `/v1/sessions/${session}/messages`, { content: to });
    const open = async () =>
      (await server.call("GET", `/v1/approvals?status=pending&session_id=${session}`)).body.items[0]?.id;
    await expect.poll(open, { timeout: 20_000 }).toBeTypeOf("string");
    return { agent, session, run: body.run_id as string, approval: (await open()) as string };
  }

  // biome-ignore lint/suspicious/noExplicitAny: a JSON-RPC answer is read by the parts a test names
  async function rpc(token: string | undefined, query: string, name: string, input: object): Promise<any> {
    const { body } = await server.call(
      "POST",
      `/mcp${query}`,
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } },
      {
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
        ...(token && { authorization: `Bearer ${token}` }),
      },
    );
    const text = typeof body === "string" ? (/^data: (.*)$/m.exec(body)?.[1] ?? "{}") : JSON.stringify(body);
    return JSON.parse(text).result ?? JSON.parse(text);
  }

  const mcp = (agent: string, to: string) => rpc(undefined, `?agent=${agent}`, "send_mail", { to });

  async function mcpStatus(token: string): Promise<number> {
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    const headers = { accept: "application/json, text/event-stream", authorization: `Bearer ${token}` };
    return (await server.call("POST", "/mcp", ping, headers)).status;
  }
});

/** A provider and a service in one, which echoes every header in refusals and answers. */
async function repeatsWhatItIsSent(): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const said = `you sent ${JSON.stringify(request.headers)}`;
    if (request.url === "/shop") response.end(JSON.stringify({ said }));
    else {
      response.writeHead(401, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: said, type: "auth" } }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "latin1"));
}
