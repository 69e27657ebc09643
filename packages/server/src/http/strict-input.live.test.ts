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
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly readOnly?: boolean;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}
interface Operation {
  readonly parameters?: readonly Parameter[];
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
  /** A name that the refusal must quote. */
  readonly unknown?: string;
}

/** Where a protocol requires that unknown fields are ignored. */
const TOLERANT = new Set([
  "POST /v1/agents/{id}/ag-ui",
  "POST /v1/agents/{id}/a2a",
  "POST /v1/agents/{id}/ai-sdk",
  "GET /v1/agents/{id}/ai-sdk/{chat}/stream",
  "GET /v1/agents/{id}/a2a/agent-card.json",
]);
/** Bodies that are documents or a package's own: their loader refuses what it does not know. */
const OPEN_BODIES = ["POST /v1/capabilities", "POST /api/{route}"];
/** Objects inside bodies whose names are the caller's own. */
const OPEN_OBJECTS = [
  "PATCH /v1/agents/{id} capabilities[].config",
  "PATCH /v1/agents/{id} metadata",
  "PATCH /v1/agents/{id} tool_policies",
  "PATCH /v1/schedules/{id} payload",
  "PATCH /v1/sessions/{id} metadata",
  "PATCH /v1/sessions/{id} state",
  "POST /api/execute-task context",
  "POST /v1/agents capabilities[].config",
  "POST /v1/agents metadata",
  "POST /v1/agents tool_policies",
  "POST /v1/agents/preview capabilities[].config",
  "POST /v1/agents/preview metadata",
  "POST /v1/agents/preview tool_policies",
  "POST /v1/approvals/{id} edited_args",
  "POST /v1/capabilities/{id}/tools/{tool} config",
  "POST /v1/capabilities/{id}/tools/{tool} input",
  "POST /v1/client-logins request",
  "POST /v1/client-logins/review request",
  "POST /v1/coding-agents/{name}/runs mcpServers[].env",
  "POST /v1/coding-agents/{name}/runs mcpServers[].headers",
  "POST /v1/coding-agents/{name}/runs outputSchema",
  "POST /v1/coding-agents/{name}/runs thinkingOverride",
  "POST /v1/coding-agents/{name}/runs/{run}/commands input",
  "POST /v1/datasets/{id}/items items[].expected",
  "POST /v1/datasets/{id}/items items[].history[].calls[].edited",
  "POST /v1/datasets/{id}/items items[].history[].calls[].input",
  "POST /v1/datasets/{id}/items items[].history[].calls[].output",
  "POST /v1/datasets/{id}/items items[].scorers[].calls[].input",
  "POST /v1/datasets/{id}/items items[].scorers[].equals",
  "POST /v1/datasets/{id}/items items[].scorers[].schema",
  "POST /v1/datasets/{id}/items items[].scorers[].value",
  "POST /v1/datasets/{id}/items items[].stubs[].edited",
  "POST /v1/datasets/{id}/items items[].stubs[].input",
  "POST /v1/datasets/{id}/items items[].stubs[].output",
  "POST /v1/experiments scorers[].calls[].input",
  "POST /v1/experiments scorers[].equals",
  "POST /v1/experiments scorers[].schema",
  "POST /v1/experiments scorers[].value",
  "POST /v1/experiments variants[].capabilities[].config",
  "POST /v1/monitors scorers[].calls[].input",
  "POST /v1/monitors scorers[].equals",
  "POST /v1/monitors scorers[].schema",
  "POST /v1/monitors scorers[].value",
  "POST /v1/replays stand_ins[].output",
  "POST /v1/replays with.capabilities[].config",
  "POST /v1/rules/check input",
  "POST /v1/schedules payload",
  "POST /v1/sessions metadata",
  "POST /v1/sessions state",
  "POST /v1/sessions/{id}/messages output_schema",
  "POST /v1/sessions/{id}/tool-results results[].output",
  "PUT /v1/users/{email} preferences",
];

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
    [
      422,
      'unknown field "promt", did you mean "prompt"?',
      ["POST", "/v1/capabilities", { id: "x", name: "X", description: "An x.", version: "1.0.0", promt: "" }],
    ],
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

  /** Each of these was once accepted, and did what nobody had asked for. */
  test.each<[said: string, path: string, body: object]>([
    ['"editedArgs", use "edited_args"', "/v1/approvals/x", { decision: "approve", editedArgs: { a: 1 } }],
    ["edited_args is only allowed", "/v1/approvals/x", { decision: "deny", edited_args: { a: 1 } }],
    ['"dry_run", use "dryRun"', "/api/execute-task", { task: "add 1 and 2", dry_run: true }],
    ['"hour", did you mean "hours"', "/v1/grants", { subject: "user:a@b.co", scope: "Mail.Read", hour: 1 }],
    ['"maxCalls", use "max_calls"', "/v1/agents/{agents}/tokens", { expires_in: 60, maxCalls: 1 }],
    ['"perMinute", use "per_minute"', "/v1/keys", { name: "k", right: ["read"], perMinute: 5 }],
    [
      '"time_zone", use "timezone"',
      "/v1/schedules",
      { capability: "noop", cron: "0 5 * * *", time_zone: "UTC" },
    ],
    [
      'unknown field "timezone"',
      "/v1/capabilities/current_time/tools/get_current_time",
      { timezone: "Asia/Tokyo", input: {} },
    ],
    ['"max_step", did you mean "max_steps"', "/v1/agents", { name: "A", limits: { max_step: 3 } }],
    ['"nope"', "/v1/agents", { name: "A", capabilities: ["noop"], tool_policies: { nope: "auto" } }],
  ])("422 %s, and nothing changed", async (said, path, body) => {
    const before = await everything();
    const answer = await server.call("POST", path.replace("{agents}", ids.agents ?? ""), body);
    expect(answer).toMatchObject({ status: 422, body: { message: expect.stringContaining(said) } });
    expect(await everything()).toEqual(before);
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
    .filter(({ method, path }) => !TOLERANT.has(`${method} ${path}`));

const bodyOf = ({ requestBody }: Operation): Schema | undefined =>
  requestBody?.content?.["application/json"]?.schema;

describe("every input of /v1 and /api", () => {
  test("refuses a field that is misspelt, in the wrong case or of another type, and changes nothing", async () => {
    const before = await everything();
    const accepted: string[] = [];
    let tried = 0;
    for (const route of routes()) {
      const schema = bodyOf(route);
      if (!schema || OPEN_BODIES.includes(`${route.method} ${route.path}`)) continue;
      for (const { what, body, unknown } of attempts(schema)) {
        const answer = await server.call(route.method, placed(route.path), body);
        tried += 1;
        const isNamed = unknown === undefined || String(answer.body?.message).includes(`"${unknown}"`);
        if (answer.status !== 422 || !isNamed)
          accepted.push(`${route.method} ${route.path} ${what}: ${answer.status} ${answer.body?.message}`);
      }
    }
    expect(accepted).toEqual([]);
    expect(tried).toBeGreaterThan(400);
    expect(await everything()).toEqual(before);
  });

  test("is closed: only these bodies, and these objects in bodies, take names of the caller's own", () => {
    const named = routes().flatMap((route) => {
      const schema = bodyOf(route);
      return schema ? [{ name: `${route.method} ${route.path}`, schema }] : [];
    });
    const open = (schema: Schema) => optionsOf(schema).some(isOpen);
    expect(named.filter(({ schema }) => open(schema)).map(({ name }) => name)).toEqual(OPEN_BODIES);
    const inside = named.flatMap(({ name, schema }) => openIn(schema).map((place) => `${name} ${place}`));
    expect([...new Set(inside)].sort()).toEqual(OPEN_OBJECTS);
  });

  test("refuses a query parameter that is unknown, misspelt, repeated or of another type", async () => {
    const before = await everything();
    const accepted: string[] = [];
    let tried = 0;
    for (const route of routes()) {
      const schema = bodyOf(route);
      for (const { query, status: expected } of queriesOf(route)) {
        const { status } = await server.call(
          route.method,
          `${placed(route.path)}?${query}`,
          schema && sample(schema),
        );
        tried += 1;
        if (status !== expected) accepted.push(`${route.method} ${route.path}?${query}: ${status}`);
      }
    }
    expect(accepted.filter((line) => !line.startsWith("POST /api/{route}"))).toEqual([]);
    expect(tried).toBeGreaterThan(300);
    expect(await everything()).toEqual(before);
  });

  test.each([
    ["a body of ours", "/v1/grants", '{"subject":"user:a@b.co","scope":"X","hours":1,"hours":999}', "hours"],
    [
      "a nested object",
      "/v1/agents",
      '{"name":"A","limits":{"max_steps":1,"max_steps":9}}',
      "limits.max_steps",
    ],
    ["a protocol's body", "/v1/agents/{agents}/ag-ui", '{"resume":[{"a":1,"a":2}]}', "resume.0.a"],
    [
      "MCP",
      "/mcp?agent={agents}",
      '{"params":{"arguments":{"path":"/a","path":"/b"}}}',
      "params.arguments.path",
    ],
    ["a prototype", "/v1/sessions", '{"metadata":{"__proto__":{"admin":true}}}', "metadata.__proto__"],
  ])("refuses a key that is given twice, or that is a prototype: %s", async (_what, path, body, key) => {
    const before = await everything();
    const headers = { "content-type": "application/json" };
    const url = server.url + path.replace("{agents}", ids.agents ?? "");
    const answer = await fetch(url, { method: "POST", headers, body });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      code: "body_invalid",
      message: expect.stringContaining(`"${key}"`),
    });
    expect(await everything()).toEqual(before);
  });
});

interface WrongQuery {
  readonly query: string;
  readonly status: number;
}

/** Wrong queries of a route, with the status each must get. */
const queriesOf = ({ parameters = [] }: Route): WrongQuery[] => [
  { query: "nonsense=1", status: 422 },
  ...parameters
    .filter((parameter) => parameter.in === "query")
    .flatMap((parameter) => wrongQueries(parameter, requiredOf(parameters))),
];

/** What else must be there, so that only the tested parameter is wrong. */
const requiredOf = (parameters: readonly Parameter[]): string =>
  parameters
    .filter((parameter) => parameter.in === "query" && parameter.required)
    .map(({ name, schema = {} }) => `${name}=${encodeURIComponent(String(sample(schema)))}&`)
    .join("");

function wrongQueries({ name, schema = {} }: Parameter, required: string): WrongQuery[] {
  const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const misspelt = [`${name}x`, camel].filter((other) => other !== name);
  const unknown = misspelt.map((other) => ({ query: `${other}=1`, status: 422 }));
  if (name === "cursor") return [...unknown, { query: `${required}cursor=garbage`, status: 400 }];
  const valid = `${name}=${encodeURIComponent(String(sample(schema)))}`;
  const wrongType = isAnyText(schema) ? [] : [{ query: `${name}=~`, status: 422 }];
  return [...unknown, { query: `${valid}&${valid}`, status: 422 }, ...wrongType];
}

const isAnyText = (schema: Schema): boolean =>
  optionsOf(schema).some((option) => option.type === "string" && !option.enum && !option.format);

const isOpen = (schema: Schema): boolean =>
  [schema.type].flat().includes("object") && schema.additionalProperties !== false;

/** Where a body takes names of the caller's own, as paths. */
function openIn(schema: Schema, place = ""): string[] {
  return optionsOf(schema).flatMap((option) => {
    const settable = Object.entries(option.properties ?? {}).filter(([, { readOnly }]) => readOnly !== true);
    const inside = settable.flatMap(([name, part]) => openIn(part, place === "" ? name : `${place}.${name}`));
    const items = option.items ? openIn(option.items, `${place}[]`) : [];
    return [...(place !== "" && isOpen(option) ? [place] : []), ...inside, ...items];
  });
}

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
    "rules",
    "triggers",
    "runs",
    "memories",
    "budgets",
    "text-checks",
    "connections",
    "connection-providers",
    "tokens",
    "logins",
    "roles",
    "replays",
    "secrets",
    "datasets",
    "experiments",
    "organisations",
  ];
  const all = await Promise.all(lists.map((list) => server.call("GET", `/v1/${list}`)));
  return all.map(({ body }) => body);
}

const placed = (path: string): string =>
  path
    .replace(/^\/v1\/(agents|sessions)\/\{id\}/, (_, kind: string) => `/v1/${kind}/${ids[kind]}`)
    .replace("{verb}", path.includes("services") ? "start" : "retry")
    .replace("{provider}", "openai")
    .replace("{number}", "1")
    .replace("/v1/secrets/{capability}/{name}", "/v1/secrets/test_math/NAME")
    .replace("{email}", "a@b.co")
    .replace("{number}", "1")
    .replace("secrets/{capability}/{name}", "secrets/noop/TOKEN")
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
      ...attempts(part, `${place}${name}.`).map((attempt) => ({
        ...attempt,
        body: { ...whole, [name]: attempt.body },
      })),
    ]);
  });
}

const listAttempts = ({ items }: Schema, place: string): Attempt[] =>
  items ? attempts(items, `${place}0.`).map((attempt) => ({ ...attempt, body: [attempt.body] })) : [];

function renamed(whole: Record<string, unknown>, name: string, place: string): Attempt[] {
  const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return [`${name}x`, camel, snake]
    .filter((other) => other !== name)
    .map((other) => ({
      what: `${place}${other}`,
      body: { ...whole, [other]: whole[name] },
      unknown: other,
    }));
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
