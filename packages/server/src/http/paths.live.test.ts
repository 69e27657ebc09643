/** Unknown paths and methods, and bodies of another type: to a program always a problem, never the studio's page. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtStudio } from "../../../../tools/browser.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  await builtStudio(); // or there would be no page to answer with by mistake
  server = await testServer(await freshPglite());
});
afterAll(async () => server?.stop());

const problemOf = async (method: string, path: string, init: RequestInit = {}) => {
  const response = await fetch(server.url + path, { method, headers: { accept: "*/*" }, ...init });
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  return { status: response.status, allow: response.headers.get("allow"), body: await response.json() };
};

test("the studio's page is there, for browsers", async () => {
  const page = await fetch(`${server.url}/`, { headers: { accept: "text/html" } });
  expect(page.headers.get("content-type")).toContain("text/html");
});

describe("an unknown path", () => {
  test.each([
    "/.well-known/openid-configuration",
    "/.well-known/nothing",
    "/nothing",
    "/v1",
    "/v1/nothing",
    "/mcp/nothing",
    "/nothing/at/all",
  ])("GET %s is a problem", async (path) => {
    expect(await problemOf("GET", path)).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  test("POST /nothing is a problem", async () => {
    expect(await problemOf("POST", "/nothing", { body: "{}" })).toMatchObject({ status: 404 });
  });

  test.each(["/v1/nothing", "/mcp/nothing", "/.well-known/nothing"])(
    "GET %s, which programs read, is a problem in a browser, too",
    async (path) => {
      const headers = { accept: "text/html" };
      expect(await problemOf("GET", path, { headers })).toMatchObject({ status: 404 });
    },
  );
});

describe("a method that a path does not support", () => {
  test.each([
    ["PUT", "/v1/agents", "GET, POST"],
    ["DELETE", "/v1/agents", "GET, POST"],
    ["POST", "/v1/status", "GET"],
    ["GET", "/v1/route", "POST"],
    ["PATCH", "/v1/approvals/abc", "GET, POST"],
  ])("%s %s is 405, and lists the allowed methods", async (method, path, allow) => {
    expect(await problemOf(method, path)).toMatchObject({
      status: 405,
      allow,
      body: { code: "method_not_allowed" },
    });
  });
});

describe("a body", () => {
  test("that is not JSON is 400", async () => {
    const headers = { "content-type": "application/json" };
    expect(await problemOf("POST", "/v1/agents", { headers, body: "{" })).toMatchObject({
      status: 400,
      body: { code: "body_invalid" },
    });
  });

  test("of another type is 415, and names the expected type", async () => {
    const headers = { "content-type": "text/plain" };
    expect(await problemOf("POST", "/v1/agents", { headers, body: '{"name": "A"}' })).toMatchObject({
      status: 415,
      body: { code: "media_type_unsupported", message: expect.stringContaining("text/plain") },
    });
  });

  test.each([
    ["POST", "/v1/triggers/x/retry", { run: 1 }],
    ["DELETE", "/v1/agents/x", { force: true }],
  ])("that %s %s does not accept is refused", async (method, path, body) => {
    expect(await server.call(method, path, body)).toMatchObject({ status: 422 });
  });
});

describe("an id that is not there", () => {
  /** PUT makes what its path names; a stream that nobody writes is 204 in AI SDK; a run of a program may have just ended. */
  const OTHERS = [
    "get /v1/agents/{id}/ai-sdk/{chat}/stream",
    "post /v1/coding-agents/{name}/runs/{run}/commands",
    "post /v1/sessions/{id}/comparisons",
    "get /v1/sessions/{id}/compatibility",
    "post /v1/coding-agents/{name}/runs",
    "post /v1/datasets/{id}/import", // a body with what is required and nothing else is refused
    "post /v1/agents/{id}/labels", // as is this one
  ];

  test.each(["nope", "%00", "0190d3a0-0000-7000-8000-00000000000f"])(
    "%s is 404 on every route whose path names one",
    async (id) => {
      const { paths, components } = (await server.call("GET", "/openapi.json")).body;
      const others: string[] = [];
      let tried = 0;
      for (const [path, operations] of Object.entries<Record<string, OpenApiOperation>>(paths))
        for (const [method, { requestBody }] of Object.entries(operations)) {
          const name = `${method} ${path}`;
          if (!path.includes("{") || method === "put" || OTHERS.includes(name)) continue;
          const schema = requestBody?.content?.["application/json"]?.schema;
          const body = schema && smallest(schema, components.schemas);
          const verb = path.includes("services") ? "start" : "retry";
          const filled = path.replace("{verb}", verb).replaceAll(/\{[^}]+\}/g, id);
          const { status } = await server.call(method.toUpperCase(), filled, body);
          tried += 1;
          if (status !== 404) others.push(`${name}: ${status}`);
        }
      expect(others).toEqual([]);
      expect(tried).toBeGreaterThan(50);
    },
  );
});

describe("an id in a body that is not there is a fault of the body", () => {
  const NONE = "0190d3a0-0000-7000-8000-00000000000f";
  const budget = { name: "x", measure: "calls", limit: 5, period: "day" };
  const rule = { name: "x", tools: ["add"], then: "deny" };
  const check = { name: "x", find: { words: ["x"] }, then: "mask" };
  test.each<[path: string, body: object, code?: string]>([
    ["/v1/sessions", { agent_id: NONE }],
    ["/v1/budgets", { ...budget, agent_id: NONE }],
    ["/v1/budgets", { ...budget, capability_id: "nope" }, "capability_unknown"],
    ["/v1/rules", { ...rule, agent_id: NONE }],
    ["/v1/rules/check", { agent_id: NONE, tool: "add" }],
    ["/v1/text-checks", { ...check, agent_id: NONE }],
    ["/v1/memories", { text: "x", scope: "agent", agent_id: NONE }],
    ["/v1/experiments", { dataset_id: NONE, agent_id: NONE, scorers: [{ type: "exact" }] }],
    ["/v1/replays", { runs: [NONE], with: {} }],
    ["/v1/schedules", { capability: "nope", cron: "0 5 * * *" }, "capability_unknown"],
    ["/v1/grants", { subject: `agent:${NONE}`, scope: "Mail.Read" }],
    ["/v1/connections", { provider: "nope" }],
    ["/v1/me/organisation", { organisation: "nope" }],
    ["/v1/agents", { name: "x", capabilities: ["nope"] }, "capability_unknown"],
    ["/v1/agents", { name: "x", harness: "nope" }, "coding_agent_unknown"],
    ["/v1/agents", { name: "x", model: "nope/x" }, "provider_unknown"],
    ["/v1/capabilities/test_math/tools/add", { input: { a: 1, b: 2 }, agent_id: NONE }],
    ["/v1/capabilities/test_math/tools/add", { input: { a: 1, b: 2 }, session_id: NONE }],
  ])("POST %s %j", async (path, body, code = "not_found") => {
    expect(await server.call("POST", path, body)).toMatchObject({ status: 422, body: { code } });
  });

  test("users are addresses: anything else could never match", async () => {
    for (const [path, body] of [
      ["/v1/budgets", { ...budget, user: "ann" }],
      ["/v1/rules", { ...rule, user: "ann" }],
      ["/v1/grants", { subject: "user:ann", scope: "Mail.Read" }],
      ["/v1/grants", { subject: "agent:ann", scope: "Mail.Read" }],
    ] as const)
      expect(await server.call("POST", path, body)).toMatchObject({
        status: 422,
        body: { code: "input_invalid" },
      });
  });
});

interface OpenApiOperation {
  readonly requestBody?: { readonly content?: Record<string, { readonly schema?: BodySchema }> };
}

interface BodySchema {
  readonly $ref?: string;
  readonly anyOf?: readonly BodySchema[];
  readonly oneOf?: readonly BodySchema[];
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly required?: readonly string[];
  readonly properties?: Record<string, BodySchema>;
  readonly items?: BodySchema;
  readonly minItems?: number;
}

/** A body with what is required and nothing else. */
function smallest(schema: BodySchema, named: Record<string, BodySchema>): unknown {
  if (schema.$ref) return smallest(named[schema.$ref.split("/").at(-1) ?? ""] ?? {}, named);
  const [option] = schema.anyOf ?? schema.oneOf ?? [];
  if (option) return smallest(option, named);
  const { type, required = [], properties = {} } = schema;
  if (type === "object")
    return Object.fromEntries(required.map((name) => [name, smallest(properties[name] ?? {}, named)]));
  if (type === "array") return schema.minItems ? [smallest(schema.items ?? {}, named)] : [];
  return schema.const ?? schema.enum?.[0] ?? SAMPLES[schema.format ?? type ?? ""] ?? "x";
}

const SAMPLES: Record<string, unknown> = {
  integer: 1,
  number: 1,
  boolean: true,
  uuid: "0190d3a0-0000-7000-8000-000000000000",
  email: "a@b.co",
};
