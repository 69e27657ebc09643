/**
 * Three organisations on one server, on both stores. What belongs to one does not exist for another, by any route of the
 * OpenAPI document: not shown, not counted, not changed.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { operationsOf } from "../../../../tools/fuzz-openapi.ts";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type Answer, type TestServer, testServer } from "../../../../tools/test-server.ts";

type Headers = Record<string, string>;

const MARK = "acme-only-7f3a";
const UNUSED = "0190d3a0-0000-7000-8000-000000000000";
/** What no organisation makes, or what has a test of its own with two of them. */
const WITHOUT_ID: Record<string, string> = {
  capabilities: "names; packages of one: programs-in-organisations",
  packages: "the same",
  services: "the operator's",
  "coding-agents": "programs of the machine",
  outputs: "made by tools; named in the prompt of a run alone",
  triggers: "made by capabilities that wait for an address",
  providers: "names that everybody knows",
  secrets: "the same",
  organisations: "only admins of the first make, bound and delete organisations",
  users: "addresses, each of all organisations",
  logins: "people-in-organisations",
};
/** Heartbeats and when a key was last used: they change by themselves. */
const RESTLESS = new Set(["executors", "usage_fresh", "usage_hours", "tool_hours", "call_history"]);

describe.each(STORES)("organisations on $name", ({ fresh }) => {
  let server: TestServer;
  let llm: ScriptedLlm;
  let acme: Headers;
  let beta: Headers;
  /** Acme's, by the first word of the path that names them. */
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    llm = await scriptedLlm(() => ({ text: [`Aye, ${MARK}.`] }));
    server = await testServer(await fresh(), llmEnvironment(llm));
    expect((await server.call("GET", "/v1/me")).body).toMatchObject({
      organisation: null,
      organisations: [],
    });
    [acme, beta] = [await newOrganisation("acme"), await newOrganisation("beta")];
    await fillAcme();
  }, 120_000);
  afterAll(async () => {
    await server?.stop();
    await llm?.close();
  });

  async function newOrganisation(id: string): Promise<Headers> {
    const made = await server.call("POST", "/v1/organisations", { id, name: id.toUpperCase() });
    expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201, body: { id, is_current: false } });
    return { authorization: `Bearer ${made.body.key}` };
  }

  async function make(path: string, body: unknown): Promise<Answer["body"]> {
    const made = await server.call("POST", path, body, acme);
    expect(made.status, `${path}: ${JSON.stringify(made.body)}`).toBeLessThan(300);
    return made.body;
  }

  async function fillAcme(): Promise<void> {
    const agent = {
      name: `Clerk ${MARK}`,
      capabilities: ["session_file_system", "test_math"],
      tool_policies: { add: "approve" },
    };
    ids.agents = (await make("/v1/agents", agent)).id;
    ids.sessions = (await make("/v1/sessions", { agent_id: ids.agents })).id;
    await server.call("PUT", `/v1/sessions/${ids.sessions}/files/diary.txt`, MARK, acme);
    ids.runs = (await make(`/v1/sessions/${ids.sessions}/messages`, { content: MARK })).run_id;
    const status = async () =>
      (await server.call("GET", `/v1/runs/${ids.runs}`, undefined, acme)).body.status;
    await vi.waitFor(async () => expect(await status()).toBe("done"), { timeout: 20_000 });
    const asked = await server.call(
      "POST",
      "/v1/capabilities/test_math/tools/add",
      { input: { a: 1, b: 2 }, agent_id: ids.agents, session_id: ids.sessions },
      acme,
    );
    ids.approvals = asked.body.approval_id ?? asked.body.details?.approvalId;
    ids.budgets = (
      await make("/v1/budgets", { name: MARK, measure: "tokens", limit: 1e9, period: "month" })
    ).id;
    ids.memories = (await make("/v1/memories", { text: `The word is ${MARK}`, scope: "organisation" })).id;
    ids.datasets = (await make("/v1/datasets", { name: MARK })).id;
    ids.keys = (await make("/v1/keys", { name: MARK, rights: ["read"] })).id;
    ids.roles = (await make("/v1/roles", { claim: "groups", value: MARK, role: "read" })).id;
    ids.tokens = (await make(`/v1/agents/${ids.agents}/tokens`, { name: MARK })).id;
    ids.grants = (await make("/v1/grants", { subject: `user:${MARK}@example.com`, scope: "mail.send" })).id;
    await fillMore();
  }

  async function fillMore(): Promise<void> {
    const { agents: agent_id } = ids;
    const scorers = [{ type: "contains", all: [MARK] }];
    ids.rules = (await make("/v1/rules", { name: MARK, agent_id, tools: ["add"], then: "ask" })).id;
    const check = { name: MARK, find: { words: [`not-${MARK}`] }, then: "mask" };
    ids["text-checks"] = (await make("/v1/text-checks", check)).id;
    ids.schedules = (await make("/v1/schedules", { capability: "test_math", cron: "0 0 1 1 *" })).id;
    ids.monitors = (await make("/v1/monitors", { name: MARK, agent_id, scorers })).id;
    ids["scim-tokens"] = (await make("/v1/scim-tokens", { name: MARK })).id;
    const ledger = { name: MARK, kind: "api_key", hosts: ["ledger.example.com"] };
    ids["connection-providers"] = `ledger-${MARK}`;
    await server.call("PUT", `/v1/connection-providers/ledger-${MARK}`, ledger, acme);
    ids.connections = (
      await make("/v1/connections", { provider: `ledger-${MARK}`, key: `a-key-${MARK}` })
    ).connection.id;
    await make(`/v1/sessions/${ids.sessions}/links`, {});
    await make(`/v1/datasets/${ids.datasets}/import`, { runs: [ids.runs] });
    ids.experiments = (await make("/v1/experiments", { dataset_id: ids.datasets, agent_id, scorers })).id;
    ids.replays = (await make("/v1/replays", { runs: [ids.runs], with: {} })).id;
    for (const path of [`/v1/experiments/${ids.experiments}`, `/v1/replays/${ids.replays}`]) {
      const status = async () => (await server.call("GET", path, undefined, acme)).body.status;
      await vi.waitFor(async () => expect(await status()).toBe("done"), { timeout: 30_000 });
    }
  }

  /** Every row of Acme's, as the database has it. */
  async function rowsOfAcme(): Promise<Record<string, unknown>> {
    const { pool } = server.services.database;
    const { rows: tables } = await pool.query<{ name: string }>(
      "select relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'organisation_acme' and relkind = 'r' order by 1",
    );
    const all: Record<string, unknown> = {};
    for (const { name } of tables)
      if (!RESTLESS.has(name))
        all[name] = (await pool.query(`select * from organisation_acme."${name}" order by 1::text`)).rows;
    return all;
  }

  const operations = async () => operationsOf((await server.call("GET", "/openapi.json")).body);

  test("every route, asked by another organisation's admin and by the server's own user with Acme's ids, shows and changes nothing of it", {
    timeout: 240_000,
  }, async () => {
    const before = await rowsOfAcme();
    const wrong: string[] = [];
    let found404 = 0;
    for (const { method, path, hasBody } of await operations()) {
      if (/\/(events|stream)$/.test(path) || path === "/v1/coding-agents/doctor") continue; // they do not end
      const at = filled(path);
      for (const who of [beta, {}]) {
        const sent = await server.call(method, at, hasBody ? bodyFor(path) : undefined, who);
        // A refusal repeats the address, or its last word.
        const repeated = [at, at.split("/").at(-1) ?? at].map((words) => JSON.stringify(words).slice(1, -1));
        const text = repeated.reduce((rest, words) => rest.replaceAll(words, ""), JSON.stringify(sent.body));
        const isNamed = path.includes("{") && ids[wordOf(path)] !== undefined;
        if (text.includes(MARK)) wrong.push(`${method} ${path} shows it`);
        if (isNamed && sent.status < 400 && method !== "PUT") wrong.push(`${method} ${path}: ${sent.status}`);
        if (isNamed && sent.status === 404) found404++;
      }
    }
    expect(wrong).toEqual([]);
    expect(found404).toBeGreaterThan(160);
    expect(await rowsOfAcme()).toEqual(before);
  });

  test("everything that a path can name is Acme's in this test, or is listed with a reason", async () => {
    const words = (await operations()).filter(({ path }) => /^\/v1\/[^/]+\/.*\{/.test(path));
    const missing = new Set(words.map(({ path }) => wordOf(path)).filter((word) => ids[word] === undefined));
    expect([...missing].filter((word) => !word.startsWith("{")).sort()).toEqual(
      Object.keys(WITHOUT_ID).sort(),
    );
  });

  test("its own admin sees all of it", async () => {
    for (const path of ["agents", "sessions", "runs", "approvals", "budgets", "monitors", "replays"])
      expect((await server.call("GET", `/v1/${path}/${ids[path]}`, undefined, acme)).status, path).toBe(200);
    const search = await server.call("GET", `/v1/sessions/search?q=${MARK}`, undefined, acme);
    expect(search.body.items).toHaveLength(1);
  });

  const wordOf = (path: string) => path.split("/")[2] ?? "";
  function filled(path: string): string {
    const id = ids[wordOf(path)] ?? UNUSED;
    return path
      .replace(/\{id\}/, id)
      .replace("{path}", "diary.txt")
      .replace("{route}", "nowhere")
      .replace(/\{agent\w*\}/, ids.agents ?? "")
      .replace(/\{run\w*\}/, ids.runs ?? "")
      .replace(/\{\w+\}/g, UNUSED);
  }
  const bodyFor = (path: string) =>
    path.endsWith("/messages")
      ? { content: "hello" }
      : path.startsWith("/v1/approvals/")
        ? { decision: "approve" }
        : {};

  test("a key of one is nothing in another: not with its header, not with another's name in it", async () => {
    const key = acme.authorization?.slice("Bearer ".length) ?? "";
    const status = async (headers: Headers) =>
      (await server.call("GET", "/v1/agents", undefined, headers)).status;
    expect(await status(acme)).toBe(200);
    expect(await status({ ...acme, "capstan-organisation": "acme" })).toBe(200);
    expect(await status({ ...acme, "capstan-organisation": "beta" })).toBe(400);
    expect(await status({ ...acme, "capstan-organisation": "default" })).toBe(400);
    expect(await status({ authorization: `Bearer ${key.replace("acme", "beta")}` })).toBe(401);
    expect(await status({ authorization: `Bearer ${key.replace("acme.", "")}` })).toBe(401);
    expect(await status({ authorization: `Bearer ${key.replace("acme", "nobody")}` })).toBe(401);
    expect(await status({ "capstan-organisation": "nobody" })).toBe(401);
    expect(await status({ "capstan-organisation": "acme; beta" })).toBe(401);
  });

  test("the server's own user enters one by its name, by a header or the studio's cookie", async () => {
    const names = async (headers: Headers) =>
      (await server.call("GET", "/v1/agents", undefined, headers)).body.items.map(
        (each: { name: string }) => each.name,
      );
    expect(await names({ "capstan-organisation": "acme" })).toEqual([`Clerk ${MARK}`]);
    expect(await names({ cookie: "capstan-organisation=acme" })).toEqual([`Clerk ${MARK}`]);
    expect(await names({ cookie: "capstan-organisation=beta" })).toEqual([]);
    expect(await names({})).toEqual([]);
    const chosen = await server.call("POST", "/v1/me/organisation", { organisation: "acme" });
    expect(chosen.status).toBe(204);
    expect(chosen.headers.get("set-cookie")).toMatch(
      /^capstan-organisation=acme; Path=\/; HttpOnly; SameSite=Lax/,
    );
    expect((await server.call("POST", "/v1/me/organisation", { organisation: "beta" }, acme)).status).toBe(
      422,
    );
    expect((await server.call("GET", "/v1/me")).body).toMatchObject({
      organisation: "default",
      organisations: [{ id: "default" }, { id: "acme" }, { id: "beta" }],
    });
  });

  test("tokens of agents and runs belong to one: over MCP a name from another is a name of nobody", async () => {
    const { token } = await make(`/v1/agents/${ids.agents}/tokens`, { name: "mcp" });
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const ask = (authorization: string) =>
      server.call("POST", "/mcp", list, {
        authorization: `Bearer ${authorization}`,
        accept: "application/json, text/event-stream",
      });
    expect((await ask(token)).status).toBe(200);
    expect((await ask(token.replace("acme", "beta"))).status).toBe(401);
    expect((await ask(token.replace("acme.", ""))).status).toBe(401);
  });

  test("only admins of the first make, bound and delete organisations; each manages its own members", async () => {
    const ask = async (method: string, path: string, who: Headers, body?: unknown) =>
      (await server.call(method, `/v1/organisations${path}`, body, who)).status;
    expect(await ask("POST", "", acme, { id: "mine", name: "Mine" })).toBe(403);
    expect(await ask("PATCH", "/beta", acme, { name: "Mine" })).toBe(403);
    expect(await ask("PATCH", "/acme", acme, { requests_per_minute: null })).toBe(403);
    expect(await ask("DELETE", "/beta", acme)).toBe(403);
    expect(await ask("GET", "/beta/members", acme)).toBe(404);
    expect(await ask("PUT", "/beta/members/eve@example.com", acme, { role: "admin" })).toBe(404);
    expect(await ask("PUT", "/acme/members/eve@example.com", acme, { role: "read" })).toBe(200);
    expect(await ask("DELETE", "/acme/members/eve@example.com", acme)).toBe(204);
    const seen = (await server.call("GET", "/v1/organisations", undefined, acme)).body.items;
    expect(seen.map(({ id }: { id: string }) => id)).toEqual(["acme"]);
    expect(await ask("POST", "", {}, { id: "acme", name: "Again" })).toBe(409);
    expect(await ask("POST", "", {}, { id: "default", name: "First" })).toBe(409);
  });

  test("what runs with the machine's rights stays with the first organisation", async () => {
    for (const [path, body] of [
      ["/v1/packages", { source: "/tmp" }],
      ["/v1/services/x/start", {}],
      ["/v1/coding-agents/claude/runs", { prompt: "hello" }],
    ] as const)
      expect(await server.call("POST", path, body, acme), path).toMatchObject({
        status: 403,
        body: { code: "organisation_of_operator" },
      });
  });

  test("the operator bounds one by requests and by cost; its own admins cannot lift that", async () => {
    const capped = await newOrganisation("capped");
    const limits = { requests_per_minute: 5, cost_usd_per_month: 0.000001, weight: 0.5 };
    expect((await server.call("PATCH", "/v1/organisations/capped", limits)).body).toMatchObject(limits);
    const [budget] = (await server.call("GET", "/v1/budgets", undefined, capped)).body.items;
    const path = `/v1/budgets/${budget.id}`;
    expect((await server.call("PATCH", "/v1/organisations/capped", { weight: 100 }, capped)).status).toBe(
      403,
    );
    expect((await server.call("PATCH", "/v1/organisations/capped", { weight: 0 })).status).toBe(422);
    expect((await server.call("PATCH", path, { limit: 1000 }, capped)).body.code).toBe(
      "organisation_of_operator",
    );
    expect((await server.call("DELETE", path, undefined, capped)).status).toBe(403);
    for (let at = 0; at < 5; at++) await server.call("GET", "/v1/agents", undefined, capped);
    const limited = await server.call("GET", "/v1/agents", undefined, capped);
    expect(limited).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(limited.body.message).toContain('The organisation "capped"');
    expect((await server.call("GET", "/v1/agents", undefined, acme)).status).toBe(200);
  });

  test("one that is disabled answers nobody, goes on where it was, and leaves nothing when it is deleted", async () => {
    const passing = await newOrganisation("passing");
    const status = async () => (await server.call("GET", "/v1/agents", undefined, passing)).status;
    const change = (body: unknown) => server.call("PATCH", "/v1/organisations/passing", body);
    expect((await server.call("DELETE", "/v1/organisations/passing")).status).toBe(409);
    expect((await change({ disabled: true })).status).toBe(200);
    expect(await status()).toBe(401);
    expect((await change({ disabled: false })).status).toBe(200);
    expect(await status()).toBe(200);
    await change({ disabled: true });
    expect((await server.call("DELETE", "/v1/organisations/passing")).status).toBe(204);
    expect(await status()).toBe(401);
    const { rows } = await server.services.database.pool.query(
      "select nspname from pg_namespace where nspname = 'organisation_passing'",
    );
    expect(rows).toEqual([]);
  });

  test("what one sealed, another cannot open, and each has an audit log of its own", async () => {
    const keyOf = async (who: Headers) =>
      (await server.call("GET", "/v1/webhook-key", undefined, who)).body.key;
    expect(new Set([await keyOf(acme), await keyOf(beta), await keyOf({})]).size).toBe(3);
    const log = async (who: Headers) =>
      JSON.stringify((await server.call("GET", "/v1/audit", undefined, who)).body);
    expect(await log(acme)).toContain("agent.created");
    expect(await log(beta)).not.toContain("agent.created");
    expect(await log({})).not.toContain("agent.created");
    expect((await server.call("GET", "/v1/audit/verification", undefined, acme)).body).toMatchObject({
      intact: true,
    });
  });
});
