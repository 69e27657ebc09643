/** The OpenAPI document is complete: generators produce a client that compiles. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

interface Operation {
  operationId?: string;
  security?: object[];
  responses?: Record<string, { content?: Record<string, { schema?: { $ref?: string } }> }>;
  requestBody?: { required?: boolean; content?: Record<string, { schema?: object }> };
}

let server: TestServer;
let operations: [name: string, operation: Operation][];
let document: { paths: Record<string, Record<string, Operation>>; servers: object[]; components: never };

beforeAll(async () => {
  server = await testServer(await freshPglite());
  document = (await server.call("GET", "/openapi.json")).body;
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method} ${path}`,
      operation,
    ]),
  );
});
afterAll(async () => server?.stop());

test("each operation has a unique id", () => {
  const ids = operations.map(([, { operationId }]) => operationId);
  expect(ids.length).toBeGreaterThan(80);
  expect(ids.filter((id) => !/^[a-z][a-zA-Z0-9]+$/.test(id ?? ""))).toEqual([]);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

test("each says who may call it and that a refusal is a problem", () => {
  const without = operations.filter(
    ([name, { security, responses }]) =>
      !name.includes("/openai/") && // its errors are those of the protocol
      (!security || refusalOf(responses) !== "#/components/schemas/Problem"),
  );
  expect(without.map(([name]) => name)).toEqual([]);
  expect(document).toMatchObject({
    servers: [{ url: "/" }],
    components: { securitySchemes: { key: { type: "http", scheme: "bearer" } } },
  });
});

test("each of our responses and bodies is described", () => {
  const bare = operations
    .filter(([name]) => /^\w+ \/(v1|api)\//.test(name) && !/ag-ui|a2a|ai-sdk|\/api\/\{route\}/.test(name))
    .flatMap(([name, { responses = {}, requestBody }]) => [
      ...Object.entries(responses).map(([status, { content }]) => [`${name} ${status}`, content] as const),
      [`${name} body`, requestBody?.content] as const,
    ])
    .filter(([, content]) => Object.values(content ?? {}).some(({ schema }) => !schema || isEmpty(schema)));
  expect(bare.map(([name]) => name)).toEqual([]);
});

test("each pattern means the same to every reader: no flags and no escapes that only JavaScript has", () => {
  const patterns = [...JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)];
  const read = patterns.map(([, text = '""']): string => JSON.parse(text));
  expect(read.length).toBeGreaterThan(20);
  expect(read.filter((pattern) => /\\\/|\(\?|[$]\/[a-z]+$/.test(pattern))).toEqual([]);
});

test("no field of our own has an unknown type, which generators would make unknown and optional", () => {
  const ours = Object.entries(document.paths).filter(([path]) => /^\/(v1|api)\//.test(path));
  const schemas = [document.components, ...ours.filter(([path]) => !/ag-ui$|a2a|ai-sdk/.test(path))];
  expect(schemas.flatMap((schema) => untypedFields(schema))).toEqual([]);
});

test("a body that an operation cannot do without is required", () => {
  const optional = operations.filter(
    ([, { requestBody }]) => requestBody !== undefined && requestBody.required !== true,
  );
  expect(optional.map(([name]) => name)).toEqual([]);
});

test("no two fields that differ in case only have types without a name, which generators would call the same", () => {
  const alike = objectsIn(document).flatMap(({ properties = {} }) =>
    Object.entries(properties).filter(([name, schema]) => {
      const isAlike = Object.keys(properties).some(
        (other) => other !== name && other.toLowerCase() === name.toLowerCase(),
      );
      return isAlike && /"properties"|"enum"/.test(JSON.stringify(schema));
    }),
  );
  expect(alike.map(([name]) => name)).toEqual([]);
});

function objectsIn(value: unknown): { readonly properties?: Readonly<Record<string, object>> }[] {
  return typeof value === "object" && value !== null
    ? [value, ...Object.values(value).flatMap(objectsIn)]
    : [];
}

function untypedFields(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [];
  const { properties = {} } = value as { properties?: Record<string, object> };
  const own = Object.entries(properties)
    .filter(([, schema]) => isEmpty(schema))
    .map(([name]) => `${path}/${name}`);
  return [...own, ...Object.entries(value).flatMap(([key, inner]) => untypedFields(inner, `${path}/${key}`))];
}

const isEmpty = (schema: object): boolean => Object.keys(schema).length === 0;

const refusalOf = (responses: Operation["responses"]): string | undefined =>
  responses?.default?.content?.["application/problem+json"]?.schema?.$ref;

test("an unknown id is 404 on every route that reads or deletes one thing", async () => {
  const asked = operations
    .map(([name]) => name.split(" "))
    .filter(([method, path = ""]) => /^(?:get|delete)$/.test(method ?? "") && /^\/v1\/.*\{/.test(path))
    .filter(([, path = ""]) => !/compatibility$|ai-sdk|users/.test(path)); // asks for more; as its protocol says; any address is a user
  expect(asked.length).toBeGreaterThan(20);
  const UNKNOWN_ID = "00000000-0000-7000-8000-000000000000";
  const UNKNOWN: Record<string, string> = {
    email: "nobody@example.com",
    provider: "nobody",
    capability: "nothing",
    name: "NOTHING",
  };
  const others: string[] = [];
  for (const [method = "", path = ""] of asked) {
    const url = path.replaceAll(/\{([^}]+)\}/g, (_, name) => UNKNOWN[name] ?? UNKNOWN_ID);
    const { status } = await server.call(method.toUpperCase(), url);
    if (status !== 404) others.push(`${method} ${path} ${status}`);
  }
  expect(others).toEqual([]);
});
