/** The history of an agent on a real server: what was saved, by whom and why, what is live, and who may say so. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

describe.each(STORES)("revisions on $name", ({ fresh }) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await testServer(await fresh());
  });
  afterAll(() => server?.stop());

  const agentWith = async (body: object = {}) =>
    (
      await server.call("POST", "/v1/agents", {
        name: "Clerk",
        system_prompt: "Be kind.\nBe brief.",
        capabilities: ["test_math"],
        ...body,
      })
    ).body;
  const patch = (id: string, body: object) => server.call("PATCH", `/v1/agents/${id}`, body);
  const revisions = async (id: string) => (await server.call("GET", `/v1/agents/${id}/revisions`)).body;
  const label = (id: string, body: object) => server.call("POST", `/v1/agents/${id}/labels`, body);
  const run = async (agentId: string, content: string, session: object = {}) => {
    const made = await server.call("POST", "/v1/sessions", { agent_id: agentId, ...session });
    expect(made).toMatchObject({ status: 201 });
    const sent = await server.call("POST", `/v1/sessions/${made.body.id}/messages`, { content });
    const status = async () => (await server.call("GET", `/v1/runs/${sent.body.run_id}`)).body.status;
    await expect.poll(status, { timeout: 20_000 }).toMatch(/done|failed|waiting/);
    const { trace } = (await server.call("GET", `/v1/runs/${sent.body.run_id}`)).body;
    const { prompt_id } = trace.find((span: { prompt_id?: string }) => span.prompt_id !== undefined);
    const sentPrompt = await server.call("GET", `/v1/runs/${sent.body.run_id}/prompts/${prompt_id}`);
    return { session: made.body, prompt: JSON.stringify(sentPrompt.body) };
  };

  test("every change is a revision, newest first, with who, when and why", async () => {
    const agent = await agentWith();
    await patch(agent.id, { system_prompt: "Be kind.", why: "Shorter answers were cut." });
    const { items, total } = await revisions(agent.id);
    expect(total).toBe(2);
    expect(items).toEqual([
      {
        number: 2,
        by: expect.any(String),
        at: expect.any(String),
        why: "Shorter answers were cut.",
        label: "live",
      },
      { number: 1, by: expect.any(String), at: expect.any(String), why: "" },
    ]);
  });

  test("a revision names the versions of its capabilities, its price, and how it differs from the one before", async () => {
    const agent = await agentWith();
    await patch(agent.id, { system_prompt: "Be kind.", granted_scopes: ["mail"], model: "capstan/offline" });
    const { body } = await server.call("GET", `/v1/agents/${agent.id}/revisions/2`);
    expect(body.capabilities).toEqual([{ id: "test_math", version: "1.0.0" }]);
    expect(body.tokens.total).toBeGreaterThan(0);
    expect(body.agent).toMatchObject({ name: "Clerk", system_prompt: "Be kind." });
    expect(body.diff).toMatchObject({
      against: 1,
      prompt: [
        { op: "same", text: "Be kind." },
        { op: "removed", text: "Be brief." },
      ],
      rights: { gained: ["granted_scopes: mail"], lost: [] },
    });
    expect(body.diff.fields.map(({ field }: { field: string }) => field).sort()).toEqual([
      "granted_scopes",
      "model",
    ]);
    const back = await server.call("GET", `/v1/agents/${agent.id}/revisions/1?against=2`);
    expect(back.body.diff).toMatchObject({
      against: 2,
      rights: { gained: [], lost: ["granted_scopes: mail"] },
    });
    expect(await server.call("GET", `/v1/agents/${agent.id}/revisions/9`)).toMatchObject({ status: 404 });
  });

  test("restoring makes a new revision with the old content, and it is live", async () => {
    const agent = await agentWith();
    await patch(agent.id, { system_prompt: "Be rude." });
    const restored = await server.call("POST", `/v1/agents/${agent.id}/revisions/1/restore`, {
      why: "It was rude.",
    });
    expect(restored).toMatchObject({
      status: 200,
      body: { version: 3, system_prompt: "Be kind.\nBe brief." },
    });
    expect((await revisions(agent.id)).items[0]).toMatchObject({
      number: 3,
      why: "It was rude.",
      label: "live",
    });
  });

  test("a draft is stored and not used until it is promoted", async () => {
    const agent = await agentWith();
    const drafted = await patch(agent.id, { system_prompt: "Be a pirate.", save_as: "draft" });
    expect(drafted.body).toMatchObject({ version: 2, system_prompt: "Be a pirate." });
    expect((await server.call("GET", `/v1/agents/${agent.id}`)).body).toMatchObject({ version: 1 });
    expect((await run(agent.id, "hello")).prompt).not.toContain("pirate");
    expect((await run(agent.id, "hello", { follows: { label: "draft" } })).prompt).toContain("pirate");
    const promoted = await label(agent.id, { label: "live", revision: 2 });
    expect(promoted).toMatchObject({ status: 200 });
    expect((await server.call("GET", `/v1/agents/${agent.id}`)).body).toMatchObject({
      version: 2,
      system_prompt: "Be a pirate.",
    });
    await expect.poll(async () => (await run(agent.id, "hello")).prompt).toContain("pirate"); // within a second
    const audit = await server.call("GET", "/v1/audit?limit=50");
    expect(JSON.stringify(audit.body)).toMatch(/agent\.promoted/);
  });

  test("an agent may save every change as a draft", async () => {
    const agent = await agentWith({ saves_as: "draft" });
    await patch(agent.id, { system_prompt: "Be a pirate." });
    expect((await revisions(agent.id)).items[0]).toMatchObject({ number: 2, label: "draft" });
    expect((await server.call("GET", `/v1/agents/${agent.id}`)).body).toMatchObject({ version: 1 });
  });

  test("a session that pins a revision stays on it, and one without follows what is live", async () => {
    const agent = await agentWith();
    await patch(agent.id, { system_prompt: "Be a pirate." });
    const pinned = await run(agent.id, "hello", { follows: { revision: 1 } });
    expect(pinned.session).toMatchObject({ follows: { revision: 1 } });
    expect(pinned.prompt).not.toContain("pirate");
    expect((await run(agent.id, "hello")).prompt).toContain("pirate");
    const missing = { agent_id: agent.id, follows: { revision: 7 } };
    expect(await server.call("POST", "/v1/sessions", missing)).toMatchObject({ status: 422 });
  });

  test("a canary gets its share of new sessions, and its figures are shown beside the live ones", async () => {
    const agent = await agentWith();
    await patch(agent.id, { system_prompt: "Be a pirate.", save_as: "draft" });
    await label(agent.id, { label: "canary", revision: 2, share: 100 });
    const { session, prompt } = await run(agent.id, "hello");
    expect(session).toMatchObject({ follows: { label: "canary" } });
    expect(prompt).toContain("pirate");
    await label(agent.id, { label: "canary", revision: 2, share: 0 });
    expect((await run(agent.id, "hello")).session).toMatchObject({ follows: null });
    const { body } = await server.call("GET", `/v1/agents/${agent.id}/labels`);
    expect(body.items).toMatchObject([
      { label: "live", revision: 1, share: 100, figures: { sessions: 1, runs: 1, done: 1 } },
      { label: "canary", revision: 2, share: 0, figures: { sessions: 1, runs: 1, done: 1 } },
    ]);
    expect(await label(agent.id, { label: "canary", revision: 1 })).toMatchObject({ status: 409 });
  });

  test("a revision with more rights goes live only with a confirmation that names them", async () => {
    const agent = await agentWith();
    await patch(agent.id, { capabilities: ["test_math", "web_fetch"], save_as: "draft" });
    const refused = await label(agent.id, { label: "live", revision: 2 });
    expect(refused).toMatchObject({ status: 409, body: { code: "rights_grow" } });
    expect(refused.body.message).toContain("web_fetch");
    expect(await label(agent.id, { label: "canary", revision: 2 })).toMatchObject({ status: 409 });
    expect(await label(agent.id, { label: "live", revision: 2, yes: true })).toMatchObject({ status: 200 });
    expect(await label(agent.id, { label: "live", revision: 1 })).toMatchObject({ status: 200 });
    const restored = await server.call("POST", `/v1/agents/${agent.id}/revisions/2/restore`, {});
    expect(restored).toMatchObject({ status: 409, body: { code: "rights_grow" } });
  });

  test("something is always live", async () => {
    const agent = await agentWith();
    expect(await label(agent.id, { label: "live", revision: null })).toMatchObject({ status: 422 });
    expect(await label(agent.id, { label: "live", revision: 5 })).toMatchObject({ status: 422 });
  });

  test("without the right to change an agent, nobody chooses its revisions", async () => {
    const agent = await agentWith();
    const made = await server.call("POST", "/v1/keys", {
      name: "author",
      owner: "author@example.com",
      rights: ["author"],
    });
    const headers = { authorization: `Bearer ${made.body.key}` };
    const asked: [string, string, object][] = [
      ["POST", `/v1/agents/${agent.id}/labels`, { label: "live", revision: 1 }],
      ["POST", `/v1/agents/${agent.id}/revisions/1/restore`, {}],
      ["POST", "/v1/sessions", { agent_id: agent.id, follows: { revision: 1 } }],
      ["POST", `/v1/agents/${agent.id}/tokens`, { name: "t", follows: { label: "draft" } }],
    ];
    for (const [method, path, body] of asked)
      expect(await server.call(method, path, body, headers)).toMatchObject({ status: 403 });
  });
});
