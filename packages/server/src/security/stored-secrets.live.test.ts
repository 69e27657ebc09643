/** Secrets in configs that were stored in plain text, by an earlier version or before the field was marked. */
import { defineCapability, defineTool, ok } from "@capstan/core";
import { openDatabase } from "@capstan/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const AGENT = "0197a3c1-9f5e-7c1b-b8a4-2f9f0a6b7c11";
const APPROVAL = "0197a3c1-9f5e-7c1b-b8a4-2f9f0a6b7c12";
const OLD = "stored-by-an-earlier-version";
const LATER = "stored-before-it-was-marked";

/** It tells how long its token is. */
const till = (id: string, token: z.ZodType, version = "1.0.0") =>
  defineCapability({
    id,
    version,
    name: id,
    description: "Pays.",
    config: z.object({ token: token.optional(), shop: z.string().optional() }),
    tools: [
      defineTool({
        name: `${id}_pay`,
        description: "Pays.",
        input: z.object({}),
        run: (_, { config }) => ok({ length: String((config as { token?: string }).token ?? "").length }),
      }),
    ],
  });
const marked = z.string().meta({ writeOnly: true });

describe.each(STORES)("on $name", ({ fresh }) => {
  let server: TestServer;
  const configs = async () => {
    const { pool } = server.services.database;
    const read = (table: string) => pool.query(`select config::text from ${table} where config is not null`);
    const [agents, approvals] = await Promise.all([read("agent_capabilities"), read("approvals")]);
    return [...agents.rows, ...approvals.rows].map(({ config }) => String(config));
  };
  beforeAll(async () => {
    const store = await fresh();
    const opened = await openDatabase({ dataDir: store.dataDir, url: store.url });
    if (!opened.ok) throw new Error(opened.failure.message);
    const { pool } = opened.value;
    await pool.query("insert into agents (id, owner, name) values ($1, 'ann@example.com', 'Old')", [AGENT]);
    const plain = JSON.stringify({ token: OLD, shop: "corner" });
    await pool.query(
      "insert into agent_capabilities (id, agent_id, capability_id, config) values ($1, $1, 'till', $2)",
      [AGENT, plain],
    );
    await pool.query(
      `insert into approvals (id, agent_id, user_email, capability_id, tool, call_id, arguments, reason, expiry, assignee, config)
       values ($1, '', 'ann@example.com', 'till', 'till_pay', 'c', '{}', '', '{"policy":"keep"}', 'ann@example.com', $2)`,
      [APPROVAL, plain],
    );
    await opened.value.close();
    const capabilities = [till("till", marked), till("later", z.string())];
    server = await testServer(store, {}, { config: { capabilities } });
  });
  afterAll(() => server.stop());

  test("would lie in a copy of the database until somebody saved the agent: they are sealed at the start", async () => {
    const stored = await configs();
    expect(stored).toHaveLength(2);
    expect(stored.join()).not.toContain(OLD);
    for (const config of stored)
      expect(JSON.parse(config)).toEqual({ token: { $sealed: expect.any(String) }, shop: "corner" });
    const shown = await server.call("GET", `/v1/agents/${AGENT}`);
    expect(shown.body).toMatchObject({ version: 1, capabilities: [{ config: { token: "[sealed]" } }] });
    const call = { input: {}, agent_id: AGENT };
    const paid = await server.call("POST", "/v1/capabilities/till/tools/till_pay", call);
    expect(paid.body.output, "it still works").toEqual({ length: OLD.length });
  });

  test("would stay plain when a new version marks the field: they are sealed then, once", async () => {
    const made = await server.call("POST", "/v1/agents", {
      name: "L",
      capabilities: [{ id: "later", config: { token: LATER } }],
    });
    expect(made.status).toBe(201);
    expect((await configs()).join()).toContain(LATER);
    server.services.registry.replace(till("later", marked, "1.1.0"));
    await expect.poll(async () => (await configs()).join()).not.toContain(LATER);
    const before = await configs();
    server.services.registry.replace(till("later", marked, "1.2.0"));
    const again = await server.call("POST", "/v1/capabilities/later/tools/later_pay", {
      input: {},
      agent_id: made.body.id,
    });
    expect(again.body.output).toEqual({ length: LATER.length });
    expect((await configs()).sort(), "what is sealed stays as it is").toEqual(before.sort());
  });
});
