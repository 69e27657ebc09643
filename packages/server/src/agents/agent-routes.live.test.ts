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

  test("the specification's Research Assistant is created as it is written there", async () => {
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

  test("options come back in their place, and a capability without any as its id", async () => {
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
    ["a provider nobody knows", { model: "nobody/model" }, 422, "provider_unknown"],
    ["a model nobody knows", { model: "anthropic/claude-nothing" }, 422, "model_unknown"],
    ["a model without a key", { model: "anthropic/claude-sonnet-5-5" }, 422, "provider_key_missing"],
    ["capabilities that are no list", { capabilities: "noop" }, 422, "input_invalid"],
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

  test("a body that is not JSON is 400, and nothing is made", async () => {
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

  test("paging neither skips nor repeats while agents are made", async () => {
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

  test("what was changed is in the audit log, with who did it", async () => {
    const { body } = await create({ name: "Audited" });
    const log = await server.call("GET", "/v1/audit?limit=500");
    expect(log.body.items).toContainEqual(
      expect.objectContaining({ action: "agent.created", subject: body.id, actor: "local@localhost" }),
    );
  });
});
