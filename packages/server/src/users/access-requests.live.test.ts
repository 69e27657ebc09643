import { defineCapability, defineTool, ok } from "@capstan/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  llmEnvironment,
  type ScriptedLlm,
  scriptedLlm,
  toolAnswered,
} from "../../../../tools/scripted-llm.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const mail = defineCapability({
  id: "mail",
  name: "Mail",
  description: "Reads mail.",
  source: "declarative",
  tools: [
    defineTool({
      name: "read_mail",
      description: "Reads mail.",
      scopes: ["Mail.Read"],
      input: z.object({}),
      run: () => ok("no mail"),
    }),
  ],
});

describe("requesting access", () => {
  let server: TestServer;
  let llm: ScriptedLlm;
  beforeAll(async () => {
    llm = await scriptedLlm((request) =>
      toolAnswered(request)
        ? { text: ["Done."] }
        : {
            calls: [
              {
                id: "ask-1",
                name: "request_access",
                input: { tool: "read_mail", reason: "you asked for your mail", hours: 2 },
              },
            ],
          },
    );
    server = await testServer(await freshPglite(), llmEnvironment(llm));
    server.services.registry.register(mail);
  });
  afterAll(async () => {
    await server.stop();
    await llm.close();
  });

  test("a hidden tool is requested, granted with who and until when, and seen by the next model call", async () => {
    const agent = await server.call("POST", "/v1/agents", {
      name: "Clerk",
      capabilities: ["mail"],
      may_request_scopes: true,
    });
    const session = await server.call("POST", "/v1/sessions", { agent_id: agent.body.id });
    await server.call("POST", `/v1/sessions/${session.body.id}/messages`, { content: "read my mail" });
    await expect.poll(async () => (await pending()).length, { timeout: 10_000 }).toBe(1);
    const [approval] = await pending();
    expect(approval).toMatchObject({ kind: "scope", tool: "request_access", input: { tool: "read_mail" } });
    expect(llm.requests.at(-1)?.tools?.map((tool) => tool.function.name)).not.toContain("read_mail");
    await server.call("POST", `/v1/approvals/${approval.id}`, { decision: "approve" });
    await expect
      .poll(() => llm.requests.at(-1)?.tools?.map((tool) => tool.function.name) ?? [], { timeout: 10_000 })
      .toContain("read_mail");
    const { rows } = await server.services.database.pool.query("select * from grants");
    expect(rows).toEqual([
      expect.objectContaining({
        subject: `agent:${agent.body.id}`,
        scope: "Mail.Read",
        granted_by: "local@localhost",
        expires_at: expect.any(Date),
      }),
    ]);
  });

  test("an expired grant hides the tool again, and it can be requested again", async () => {
    const { pool } = server.services.database;
    const [agent] = (await server.call("GET", "/v1/agents")).body.items;
    const tools = async () => {
      const { body } = await server.call("GET", `/v1/agents/${agent.id}/preview`);
      return body.tools.map(({ name }: { name: string }) => name);
    };
    expect(await tools()).toContain("read_mail");
    await pool.query("update grants set expires_at = now() - interval '1 second'");
    expect(await tools()).not.toContain("read_mail");
    const session = await server.call("POST", "/v1/sessions", { agent_id: agent.id });
    await server.call("POST", `/v1/sessions/${session.body.id}/messages`, { content: "read my mail" });
    await expect.poll(async () => (await pending()).length, { timeout: 10_000 }).toBe(1);
    const [approval] = await pending();
    await server.call("POST", `/v1/approvals/${approval.id}`, { decision: "deny", words: "not today" });
    await expect
      .poll(() => JSON.stringify(llm.requests.at(-1)?.messages ?? []), { timeout: 10_000 })
      .toContain("not today");
    expect(llm.requests.at(-1)?.tools?.map((tool) => tool.function.name)).not.toContain("read_mail");
    expect(await tools()).not.toContain("read_mail");
    const [run] = (await server.call("GET", `/v1/sessions/${session.body.id}/runs`)).body.items;
    const { trace } = (await server.call("GET", `/v1/runs/${run.id}`)).body;
    expect(trace).toContainEqual(
      expect.objectContaining({ kind: "gate", name: "request_access", decision: "denied" }),
    );
  });

  const pending = async () => (await server.call("GET", "/v1/approvals?status=pending")).body.items;
});
