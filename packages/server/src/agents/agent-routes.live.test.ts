import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

describe.each(STORES)("agents over REST on $name", ({ fresh }) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await testServer(await fresh());
  });
  afterAll(() => server.stop());

  const create = (body: object) => server.call("POST", "/v1/agents", { name: "Test", ...body });

  test("the specification's Research Assistant is created exactly as written there", async () => {
    const made = await server.call("POST", "/v1/agents", {
      name: "Research Assistant",
      system_prompt: "You are a helpful research assistant.",
      capabilities: ["current_time", "test_math"],
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      name: "Research Assistant",
      system_prompt: "You are a helpful research assistant.",
      capabilities: ["current_time", "test_math"],
      status: "active",
    });
    const changed = await server.call("PATCH", `/v1/agents/${made.body.id}`, {
      capabilities: ["current_time", "web_fetch", "session_file_system"],
    });
    expect(changed.body).toMatchObject({
      name: "Research Assistant",
      system_prompt: "You are a helpful research assistant.",
      capabilities: ["current_time", "web_fetch", "session_file_system"],
      version: 2,
    });
    const read = await server.call("GET", `/v1/agents/${made.body.id}`);
    expect(read.body).toEqual(changed.body);
  });

  test("the array's order is the order of the prompt", async () => {
    const { body } = await create({ capabilities: ["test_weather", "test_math"], system_prompt: "Mine." });
    const preview = await server.call("GET", `/v1/agents/${body.id}/preview`);
    expect(preview.body.system_prompt).toMatch(/weather tools[\s\S]*math tools[\s\S]*Mine\.$/);
    expect(preview.body.capabilities.map(({ id }: { id: string }) => id)).toEqual([
      "test_weather",
      "test_math",
    ]);
    expect(preview.body.tokens.total).toBeGreaterThan(100);
  });

  test("the response of GET creates an equal agent, and changes nothing when sent back", async () => {
    const { body: made } = await create({
      capabilities: [{ id: "test_math", prefix: "m_" }, "noop"],
      model: "capstan/offline",
      tool_policies: { m_add: "approve", m_divide: "deny" },
      limits: { max_steps: 9, max_cost_usd: 0.5 },
      approval_expiry: { policy: "expire", after_seconds: 60 },
      metadata: { team: { name: "harbour" } },
    });
    const { body: read } = await server.call("GET", `/v1/agents/${made.id}`);
    const copy = await server.call("POST", "/v1/agents", read);
    expect(copy.status).toBe(201);
    expect(settable(copy.body)).toEqual(settable(read));
    const same = await server.call("PATCH", `/v1/agents/${made.id}`, read);
    expect(same).toMatchObject({ status: 200, body: { version: 1, updated_at: read.updated_at } });
  });

  test("a patch merges maps, and null removes an entry", async () => {
    const { body: made } = await create({
      capabilities: ["test_math"],
      tool_policies: { divide: "deny" },
      limits: { max_steps: 3, max_cost_usd: 0.5 },
      metadata: { a: { b: 1, c: 2 } },
    });
    const patch = (body: object) => server.call("PATCH", `/v1/agents/${made.id}`, body);
    const merged = await patch({
      tool_policies: { add: "auto" },
      limits: { max_steps: 9 },
      metadata: { a: { b: null } },
    });
    expect(merged.body).toMatchObject({
      tool_policies: { divide: "deny", add: "auto" },
      limits: { max_steps: 9, max_cost_usd: 0.5 },
      version: 2,
    });
    expect(merged.body.metadata).toEqual({ a: { c: 2 } });
    const removed = await patch({ tool_policies: { divide: null }, limits: { max_cost_usd: null } });
    expect(removed.body.tool_policies).toEqual({ add: "auto" });
    expect(removed.body.limits).toEqual({ max_steps: 9 });
  });

  test("a patch of an older version is refused, and so is one of read-only fields", async () => {
    const { body: made } = await create({});
    await server.call("PATCH", `/v1/agents/${made.id}`, { description: "newer" });
    const patch = (body: object) => server.call("PATCH", `/v1/agents/${made.id}`, body);
    expect(await patch(made)).toMatchObject({ status: 409, body: { code: "conflict" } });
    expect(await patch({ owner: "eve@example.com" })).toMatchObject({ status: 422 });
  });

  test("a policy for a tool that the agent does not have is refused with a suggestion", async () => {
    const refused = await create({ capabilities: ["test_math"], tool_policies: { divid: "deny" } });
    expect(refused.status).toBe(422);
    expect(refused.body.message).toContain('did you mean "divide"');
  });

  test("an agent that others delegate to is only deleted by force, which lists the broken agents", async () => {
    const { body: helper } = await create({ name: "Helper" });
    const { body: lead } = await create({ name: "Lead", capabilities: [`agent.${helper.id}`] });
    const refused = await server.call("DELETE", `/v1/agents/${helper.id}`);
    expect(refused).toMatchObject({ status: 409, body: { code: "agent_in_use" } });
    expect(refused.body.message).toContain("Lead");
    expect((await server.call("GET", `/v1/agents/${helper.id}`)).status).toBe(200);
    expect(await server.call("DELETE", `/v1/agents/${helper.id}?force=true`)).toMatchObject({
      status: 200,
      body: { id: helper.id, broken: [{ id: lead.id, name: "Lead" }] },
    });
  });

  test("an invalid cursor is 400, and text and capability find agents", async () => {
    expect(await server.call("GET", "/v1/agents?cursor=nonsense")).toMatchObject({
      status: 400,
      body: { code: "cursor_invalid" },
    });
    await create({ name: "Needle in the hay", capabilities: ["noop"] });
    const found = await server.call("GET", "/v1/agents?q=NEEDLE&capability=noop");
    expect(found.body).toMatchObject({ total: 1, items: [{ name: "Needle in the hay" }] });
    expect((await server.call("GET", "/v1/agents?q=needle&capability=test_math")).body.total).toBe(0);
  });

  test("options are returned in place, and a capability without any as its id", async () => {
    const { body } = await create({
      capabilities: [{ id: "test_math", prefix: "m_", version: "^1.0.0" }, "noop"],
    });
    expect(body.capabilities).toEqual([{ id: "test_math", prefix: "m_", version: "^1.0.0" }, "noop"]);
  });

  test.each<[string, object, number, string]>([
    ["an unknown capability", { capabilities: ["curent_time"] }, 422, "capability_unknown"],
    ["a capability listed twice", { capabilities: ["noop", "noop"] }, 422, "capability_repeated"],
    [
      "a pin that does not fit",
      { capabilities: [{ id: "noop", version: "9.0.0" }] },
      422,
      "capability_version_mismatch",
    ],
    ["an empty name", { name: " " }, 422, "input_invalid"],
    ["an unknown provider", { model: "nobody/model" }, 422, "provider_unknown"],
    ["an unknown model", { model: "anthropic/claude-nothing" }, 422, "model_unknown"],
    ["a model without a key", { model: "anthropic/claude-sonnet-5-5" }, 422, "provider_key_missing"],
    ["capabilities that are not a list", { capabilities: "noop" }, 422, "input_invalid"],
  ])("refuses %s with a next step", async (_what, body, status, code) => {
    const answer = await create(body);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toContain("application/problem+json");
    expect(answer.body).toMatchObject({
      code,
      status,
      message: expect.stringMatching(/.+/),
      nextStep: expect.stringMatching(/.+/),
    });
  });

  test("a body that is not JSON is 400, and nothing is created", async () => {
    const before = (await server.call("GET", "/v1/agents")).body.total;
    const response = await fetch(`${server.url}/v1/agents`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{",
    });
    expect(response.status).toBe(400);
    expect((await server.call("GET", "/v1/agents")).body.total).toBe(before);
  });

  test("a deleted agent is gone", async () => {
    const { body } = await create({});
    expect((await server.call("DELETE", `/v1/agents/${body.id}`)).status).toBe(204);
    expect((await server.call("GET", `/v1/agents/${body.id}`)).status).toBe(404);
    expect((await server.call("DELETE", `/v1/agents/${body.id}`)).status).toBe(404);
  });

  test("paging neither skips nor repeats while agents are created", async () => {
    const marker = `paged ${Math.random()}`;
    const made = new Set<string>();
    for (let i = 0; i < 7; i++) made.add((await create({ description: marker })).body.id);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { body } = await server.call("GET", `/v1/agents?limit=2${cursor ? `&cursor=${cursor}` : ""}`);
      seen.push(
        ...body.items
          .filter((item: { description: string }) => item.description === marker)
          .map(({ id }: { id: string }) => id),
      );
      cursor = body.next_cursor;
      await create({ description: "made in between" });
    } while (cursor);
    expect(seen).toHaveLength(7);
    expect(new Set(seen)).toEqual(made);
  });

  test("changes are in the audit log, with the user", async () => {
    const { body } = await create({ name: "Audited" });
    const log = await server.call("GET", "/v1/audit?limit=500");
    expect(log.body.items).toContainEqual(
      expect.objectContaining({ action: "agent.created", subject: body.id, actor: "local@localhost" }),
    );
  });
});

/** An agent without the fields added by the server. */
function settable(agent: Record<string, unknown>): Record<string, unknown> {
  const { id, version, status, owner, created_at, updated_at, ...fields } = agent;
  return fields;
}
