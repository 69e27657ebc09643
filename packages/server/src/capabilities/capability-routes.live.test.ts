import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

describe("capabilities over REST", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await testServer(await freshPglite());
  });
  afterAll(() => server.stop());

  test("the nine of the specification and memory are the built-in ones", async () => {
    const { body } = await server.call("GET", "/v1/capabilities?source=builtin");
    expect(body.total).toBe(10);
    expect(body.items.map(({ id }: { id: string }) => id).sort()).toEqual([
      "current_time",
      "memory",
      "noop",
      "research",
      "sandbox",
      "session_file_system",
      "stateless_todo_list",
      "test_math",
      "test_weather",
      "web_fetch",
    ]);
  });

  test.each([
    [
      "current_time",
      "Current Time",
      "Tool to get current date and time in various formats and timezones.",
      "clock",
      "Utilities",
    ],
    [
      "web_fetch",
      "Web Fetch",
      "Fetch content from URLs and convert HTML responses to markdown or plain text.",
      "globe",
      "Network",
    ],
    [
      "stateless_todo_list",
      "Task Management",
      "Enables agents to create and manage structured task lists for tracking multi-step work progress. State is maintained in conversation history.",
      "list-checks",
      "Productivity",
    ],
  ])("%s matches the specification", async (id, name, description, icon, category) => {
    const { body } = await server.call("GET", `/v1/capabilities?q=${id}`);
    expect(body.items).toContainEqual(
      expect.objectContaining({ id, name, description, icon, category, status: "available" }),
    );
  });

  test("a capability without icon and category has neither field", async () => {
    const plain = {
      id: "plain",
      name: "Plain",
      description: "Has no icon and no category.",
      prompt: "Be plain.",
    };
    expect((await server.call("POST", "/v1/capabilities", plain)).status).toBe(201);
    const { body } = await server.call("GET", "/v1/capabilities/plain");
    expect(body).toMatchObject({ id: "plain", status: "available" });
    expect(Object.keys(body)).not.toContain("icon");
    expect(Object.keys(body)).not.toContain("category");
    await server.call("DELETE", "/v1/capabilities/plain");
  });

  test.each<[string, (capability: Record<string, unknown>) => boolean, number]>([
    ["status=available", ({ status }) => status === "available", 9],
    ["status=coming_soon", ({ status }) => status === "coming_soon", 0],
    ["category=testing", ({ category }) => category === "Testing", 2],
    ["q=weather", ({ id }) => id === "test_weather", 1],
  ])("filters by %s", async (query, fits, atLeast) => {
    const { body: all } = await server.call("GET", "/v1/capabilities");
    const { body } = await server.call("GET", `/v1/capabilities?${query}`);
    expect(body.items).toEqual(all.items.filter(fits));
    expect(body.total).toBe(body.items.length);
    expect(body.total).toBeGreaterThanOrEqual(atLeast);
  });

  test("a capability includes its tools and their schemas", async () => {
    const { body } = await server.call("GET", "/v1/capabilities/test_math");
    expect(body.system_prompt).toBe(
      "You have access to math tools. Use them for calculations: add, subtract, multiply, divide.",
    );
    expect(body.tools.map(({ name }: { name: string }) => name)).toEqual([
      "add",
      "subtract",
      "multiply",
      "divide",
    ]);
    expect(body.tools[0].input_schema).toMatchObject({ type: "object", required: ["a", "b"] });
  });

  test("an unknown one is 404 with the nearest id", async () => {
    const answer = await server.call("GET", "/v1/capabilities/web_fech");
    expect(answer.status).toBe(404);
    expect(answer.body.nextStep).toContain("web_fetch");
  });

  test("a single tool is called through the gate", async () => {
    const answer = await server.call("POST", "/v1/capabilities/test_math/tools/add", {
      input: { a: 2, b: 40 },
    });
    expect(answer).toMatchObject({ status: 200, body: { output: { result: 42 } } });
  });

  test.each<[string, string, object, number, string]>([
    ["bad arguments", "test_math/tools/add", { input: { a: "two" } }, 422, "tool_input_invalid"],
    ["an unknown tool", "test_math/tools/ad", { input: {} }, 404, "tool_unknown"],
    [
      "a session tool without a session",
      "session_file_system/tools/read_file",
      { input: { path: "/a" } },
      422,
      "session_required",
    ],
    [
      "a session that does not exist",
      "session_file_system/tools/read_file",
      { input: { path: "/a" }, session_id: "nope" },
      422,
      "not_found",
    ],
  ])("refuses %s", async (_what, path, body, status, code) => {
    expect(await server.call("POST", `/v1/capabilities/${path}`, body)).toMatchObject({
      status,
      body: { code },
    });
  });

  test("session tools see only their own session's files", async () => {
    const [mine, theirs] = await Promise.all([
      server.call("POST", "/v1/sessions", {}),
      server.call("POST", "/v1/sessions", {}),
    ]);
    const run = (tool: string, session_id: string, input: object) =>
      server.call("POST", `/v1/capabilities/session_file_system/tools/${tool}`, { session_id, input });
    await run("write_file", mine.body.id, { path: "/a/notes.txt", content: "hello" });
    expect(await run("read_file", mine.body.id, { path: "/a/notes.txt" })).toMatchObject({
      body: { output: { content: "hello" } },
    });
    expect(await run("read_file", theirs.body.id, { path: "/a/notes.txt" })).toMatchObject({ status: 404 });
  });
});
