/**
 * Nothing a client sends is ignored. By the server's own OpenAPI document: each field of each body, nested ones too,
 * misspelt, in the wrong case or of another type is refused, and so is each unknown query parameter, and nothing changes.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runInput } from "../../../../tools/ag-ui-wire.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}
interface Operation {
  readonly tags?: readonly string[];
  readonly requestBody?: { content?: Record<string, { schema?: Schema }> };
}
interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, Schema> };
}
interface Route extends Operation {
  readonly method: string;
  readonly path: string;
}
interface Attempt {
  readonly what: string;
  readonly body: unknown;
}

/** Where a protocol requires that unknown fields are ignored, and where a package's own schema decides. */
const TOLERANT = new Set(["ag-ui", "mcp", "a2a", "openai", "ai sdk", "ai-sdk"]);
const OPEN_BODIES = new Set(["POST /v1/capabilities", "POST /api/{route}"]);

let server: TestServer;
let document: Document;
const ids: Record<string, string> = {};

beforeAll(async () => {
  server = await testServer(await freshPglite());
  document = (await server.call("GET", "/openapi.json")).body;
  ids.agents = (await server.call("POST", "/v1/agents", { name: "Strict", capabilities: ["noop"] })).body.id;
  ids.sessions = (await server.call("POST", "/v1/sessions", { agent_id: ids.agents })).body.id;
});
afterAll(async () => server?.stop());

/** What is said of faults that people met: a path, a body, and the words that must be there, or must not. */
describe("a refusal says what is wrong in words that help", () => {
  const agUi = (forwardedProps: object): [string, string, unknown] => [
    "POST",
    "/v1/agents/{agents}/ag-ui",
    runInput({ forwardedProps }),
  ];
  test.each<[status: number, said: string, request: [method: string, path: string, body?: unknown]]>([
    [422, "metadata: expected object, received string", ["POST", "/v1/sessions", { metadata: "x" }]],
    [
      422,
      'unknown field "descripton", did you mean "description"?',
      ["POST", "/v1/agents", { name: "A", descripton: "B" }],
    ],
    [
      422,
      'unknown field "systemPrompt", use "system_prompt"',
      ["POST", "/v1/agents", { name: "A", systemPrompt: "" }],
    ],
    [
      422,
      "expected a URL with http: or https:",
      ["POST", "/v1/agents", { name: "A", documentation_url: "ftp://a.example" }],
    ],
    [
      422,
      "webhook.url: expected a URL with http: or https:",
      ["POST", "/v1/sessions/{sessions}/messages", { content: "x", webhook: { url: "ftp://a.example" } }],
    ],
    [404, '"devide"', ["POST", "/v1/capabilities/test_math/tools/devide", { input: {} }]],
    [
      404,
      'There is no capability "test_mth"',
      ["POST", "/v1/capabilities/test_mth/tools/add", { input: {} }],
    ],
    [404, 'There is no capability "test_mth"', ["GET", "/v1/capabilities/test_mth"]],
    [405, "GET, POST", ["PUT", "/v1/agents", {}]],
    [404, "/v1/agent", ["GET", "/v1/agent"]],
    [422, 'unknown field "on_disconnect", use "onDisconnect"', agUi({ on_disconnect: "cancel" })],
    [422, 'webhook: unknown field "method"', agUi({ webhook: { url: "https://a.example", method: "PUT" } })],
    [
      422,
      'sampling: unknown field "temprature", did you mean "temperature"?',
      agUi({ sampling: { temprature: 0 } }),
    ],
    [422, "reasoning: expected one of", agUi({ reasoning: "hard" })],
  ])("%i %s", async (status, said, [method, path, body]) => {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? "");
    const answer = await server.call(method, filled, body);
    expect(answer.status).toBe(status);
    const text = `${answer.body.message} ${answer.body.nextStep} ${answer.headers.get("allow")}`;
    expect(text).toContain(said);
    expect(text).not.toMatch(/expected record|Unrecognized key|Invalid URL|listed tools/);
  });

  test("what other libraries put into forwardedProps is passed over", async () => {
    const [method, path, body] = agUi({ copilotKit: { a: 1 }, model: "gpt-4" });
    const answer = await server.call(method, path.replace("{agents}", ids.agents ?? ""), body);
    expect(answer.status).toBe(200);
  });

  test("a client's tool with the name of an agent's tool is told a next step that is possible", async () => {
    const { body: agent } = await server.call("POST", "/v1/agents", {
      name: "M",
      capabilities: ["test_math"],
    });
    const tools = [{ name: "add", description: "", parameters: { type: "object", properties: {} } }];
    const answer = await server.call("POST", `/v1/agents/${agent.id}/ag-ui`, runInput({ tools }));
    expect(answer).toMatchObject({ status: 422, body: { code: "client_tool_conflict" } });
    expect(answer.body.nextStep).toContain('another name, such as "client_add"');
  });
});

const routes = (): Route[] =>
  Object.entries(document.paths)
    .filter(([path]) => /^\/(v1|api)\//.test(path))
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({
        ...operation,
        path,
        method: method.toUpperCase(),
      })),
    )
    .filter(({ tags = [] }) => !tags.some((tag) => TOLERANT.has(tag)));

describe("every input of /v1 and /api", () => {
  test("refuses a field that is misspelt, in the wrong case or of another type, and changes nothing", async () => {
    const before = await everything();
    const accepted: string[] = [];
    let tried = 0;
    for (const route of routes()) {
      const schema = route.requestBody?.content?.["application/json"]?.schema;
      if (!schema || OPEN_BODIES.has(`${route.method} ${route.path}`)) continue;
      for (const { what, body } of attempts(schema)) {
        const { status } = await server.call(route.method, placed(route.path), body);
        tried += 1;
        if (status !== 422) accepted.push(`${route.method} ${route.path} ${what}: ${status}`);
      }
    }
    expect(accepted).toEqual([]);
    expect(tried).toBeGreaterThan(400);
    expect(await everything()).toEqual(before);
  });

  test("refuses an unknown query parameter", async () => {
    const before = await everything();
    const accepted: string[] = [];
    for (const { method, path, requestBody } of routes()) {
      const schema = requestBody?.content?.["application/json"]?.schema;
      const body = schema && sample(schema);
      const { status } = await server.call(method, `${placed(path)}?nonsense=1`, body);
      if (status !== 422) accepted.push(`${method} ${path}: ${status}`);
    }
    expect(accepted.filter((line) => !line.startsWith("POST /api/{route}"))).toEqual([]);
    expect(await everything()).toEqual(before);
  });
});

/** Reading it again afterwards shows that nothing was created, changed or removed. */
async function everything(): Promise<unknown> {
  const lists = [
    "agents",
    "sessions",
    "keys",
    "grants",
    "users",
    "schedules",
    "packages",
    "approvals",
    "providers",
  ];
  const all = await Promise.all(lists.map((list) => server.call("GET", `/v1/${list}`)));
  return all.map(({ body }) => body);
}

const placed = (path: string): string =>
  path
    .replace(/^\/v1\/(agents|sessions)\/\{id\}/, (_, kind: string) => `/v1/${kind}/${ids[kind]}`)
    .replace("{verb}", path.includes("services") ? "start" : "retry")
    .replace("{provider}", "openai")
    .replace("{email}", "a@b.co")
    .replaceAll(/\{[^}]+\}/g, "0190d3a0-0000-7000-8000-000000000000");

const resolved = (schema: Schema): Schema =>
  schema.$ref ? resolved(document.components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}) : schema;

const optionsOf = (schema: Schema): Schema[] => {
  const { anyOf, oneOf } = resolved(schema);
  const options = anyOf ?? oneOf;
  return options ? options.flatMap(optionsOf) : [resolved(schema)];
};

/** A valid body, so that only the tested change can be wrong. */
function sample(schema: Schema): unknown {
  const [first = {}] = optionsOf(schema);
  if (first.const !== undefined) return first.const;
  if (first.enum) return first.enum[0];
  const kind = [first.type].flat()[0];
  if (kind === "object")
    return Object.fromEntries(
      Object.entries(first.properties ?? {}).map(([name, part]) => [name, sample(part)]),
    );
  if (kind === "array") return [sample(first.items ?? {})];
  return kind === "integer" || kind === "number" ? 1 : kind === "boolean" ? true : "x";
}

function attempts(schema: Schema, place = ""): Attempt[] {
  return optionsOf(schema).flatMap((option) => {
    const { properties } = option;
    if (!properties || option.additionalProperties !== false) return listAttempts(option, place);
    const whole = sample(option) as Record<string, unknown>;
    return Object.entries(properties).flatMap(([name, part]) => [
      ...renamed(whole, name, place),
      ...retyped(whole, name, part, place),
      ...attempts(part, `${place}${name}.`).map(({ what, body }) => ({
        what,
        body: { ...whole, [name]: body },
      })),
    ]);
  });
}

const listAttempts = ({ items }: Schema, place: string): Attempt[] =>
  items ? attempts(items, `${place}0.`).map(({ what, body }) => ({ what, body: [body] })) : [];

function renamed(whole: Record<string, unknown>, name: string, place: string): Attempt[] {
  const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return [`${name}x`, camel, snake]
    .filter((other) => other !== name)
    .map((other) => ({ what: `${place}${other}`, body: { ...whole, [other]: whole[name] } }));
}

function retyped(whole: Record<string, unknown>, name: string, part: Schema, place: string): Attempt[] {
  const kinds = optionsOf(part).flatMap(({ type, enum: values, const: one }) =>
    type ? [type].flat() : values || one !== undefined ? ["string"] : [],
  );
  if (kinds.length === 0) return [];
  const others = { object: { nobody: { knows: 1 } }, boolean: true, string: "\u0000?", array: [[[]]] };
  const wrong = Object.entries(others).find(([kind]) => !kinds.includes(kind));
  return wrong ? [{ what: `${place}${name} as ${wrong[0]}`, body: { ...whole, [name]: wrong[1] } }] : [];
}
