import {
  type Capability,
  CapabilityRegistry,
  type GuardedFetchOptions,
  memoryFileStore,
  ok,
  type Result,
  type ToolContext,
} from "@capstan/core";
import { describe, expect, test } from "vitest";
import { loadOpenApi, type OpenApiOptions } from "./openapi.ts";

const PETS = {
  openapi: "3.0.3",
  info: { title: "Pet Store", version: "v2.1", description: "All our pets." },
  servers: [
    {
      url: "https://{region}.pets.example/v2",
      variables: { region: { default: "eu", enum: ["eu", "us"], description: "Where." } },
    },
  ],
  tags: [{ name: "pets" }],
  security: [{ key: [] }],
  paths: {
    "/pets/{petId}": {
      parameters: [{ $ref: "#/components/parameters/PetId" }],
      get: { operationId: "pets/get-one", summary: "One pet", tags: ["pets"] },
      delete: { operationId: "pets/delete", security: [{ oauth: ["pets:write"] }, { key: [] }] },
      put: {
        operationId: "pets/replace",
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } },
        },
      },
    },
    "/pets": {
      get: {
        operationId: "pets/list",
        security: [],
        parameters: [
          { name: "tag", in: "query", schema: { type: "array", items: { type: "string" } } },
          { name: "filter", in: "query", style: "deepObject", explode: true, schema: { type: "object" } },
          { name: "X-Trace", in: "header", schema: { type: "string" } },
          { name: "Authorization", in: "header", schema: { type: "string" } },
        ],
      },
      post: {
        requestBody: {
          content: {
            "application/x-www-form-urlencoded": { schema: { $ref: "#/components/schemas/NewPet" } },
          },
        },
      },
    },
    "/pets/{petId}/photo": {
      post: {
        operationId: "photo",
        requestBody: {
          content: {
            "multipart/form-data": {
              schema: {
                type: "object",
                properties: { picture: { type: "string", format: "binary" }, note: { type: "string" } },
                required: ["picture"],
              },
            },
          },
        },
      },
    },
    "/choice": {
      post: {
        operationId: "choice",
        requestBody: {
          content: { "application/json": { schema: { oneOf: [{ type: "string" }, { type: "object" }] } } },
        },
      },
    },
  },
  components: {
    parameters: {
      PetId: {
        name: "petId",
        in: "path",
        required: true,
        schema: { type: "integer" },
        description: "Which.",
      },
    },
    schemas: {
      Pet: {
        type: "object",
        required: ["id", "name"],
        properties: {
          id: { type: "integer", readOnly: true },
          name: { type: "string", minLength: 1 },
          age: { type: "integer", minimum: 0, exclusiveMinimum: true, nullable: true },
          petId: { type: "string", description: "Collides with the path." },
          parent: { $ref: "#/components/schemas/Pet" },
        },
      },
      NewPet: { type: "object", properties: { name: { type: "string" }, owner: { type: "object" } } },
    },
    securitySchemes: {
      key: { type: "apiKey", in: "header", name: "X-Api-Key" },
      oauth: { type: "oauth2", flows: {} },
      unused: { type: "http", scheme: "basic" },
    },
  },
};

describe("an OpenAPI document", () => {
  test("is one capability with one tool per operation", () => {
    const pets = load(PETS);
    expect(pets).toMatchObject({
      id: "pet_store",
      name: "Pet Store",
      description: "All our pets.",
      version: "2.1.0",
      source: "http",
      risk: "medium",
      routing: { tags: ["pets"], allow: { hosts: ["eu.pets.example"] } },
    });
    expect(pets.tools.map(({ name, policy, idempotent }) => [name, policy, idempotent])).toEqual([
      ["pets_get-one", "auto", true],
      ["pets_replace", "approve", true],
      ["pets_delete", "approve", true],
      ["pets_list", "auto", true],
      ["post_pets", "approve", false],
      ["photo", "approve", false],
      ["choice", "approve", false],
    ]);
    expect(CapabilityRegistry.of([pets]).list()).toHaveLength(1);
  });

  test("merges parameters and body into one schema, names told apart, what the service sets left out", () => {
    expect(tool("pets_replace").input.jsonSchema).toEqual({
      type: "object",
      properties: {
        petId: { type: "integer", description: "Which." },
        name: { type: "string", minLength: 1 },
        age: { type: ["integer", "null"], minimum: 0, exclusiveMinimum: 0 },
        body_petId: { type: "string", description: "Collides with the path." },
        parent: { $ref: "#/$defs/Pet" },
      },
      required: ["petId", "name"],
      additionalProperties: false,
      $defs: {
        Pet: {
          type: "object",
          required: ["name"],
          properties: {
            name: { type: "string", minLength: 1 },
            age: { type: ["integer", "null"], minimum: 0, exclusiveMinimum: 0 },
            petId: { type: "string", description: "Collides with the path." },
            parent: { $ref: "#/$defs/Pet" },
          },
        },
      },
    });
  });

  test.each([
    [{ petId: 1, name: "Tom", parent: { name: "Ann", parent: { name: "Bea" } } }, true],
    [{ petId: 1, name: "Tom", parent: { parent: { name: "Bea" } } }, false],
    [{ petId: "one", name: "Tom" }, false],
    [{ petId: 1, name: "Tom", age: 0 }, false],
    [{ petId: 1, name: "Tom", age: null }, true],
    [{ petId: 1, name: "Tom", colour: "red" }, false],
  ])("checks %j: %j", (input, valid) => {
    expect(tool("pets_replace").input.parse(input).ok).toBe(valid);
  });

  test("turns security schemes into settings and scopes, those in use only", () => {
    const pets = load(PETS);
    expect(pets.config?.jsonSchema).toMatchObject({
      properties: {
        KEY: { writeOnly: true, format: "password" },
        OAUTH: { writeOnly: true },
        region: { default: "eu", enum: ["eu", "us"] },
      },
    });
    expect(JSON.stringify(pets.config?.jsonSchema)).not.toContain("UNUSED");
    expect(tool("pets_delete").scopes).toEqual(["pets:write"]);
    expect(tool("pets_get-one").scopes).toEqual([]);
  });

  test("may be YAML, and may be cut to some operations", () => {
    const yaml =
      "openapi: 3.1.0\ninfo: {title: Ünï Côde!, version: '2024-01-02'}\nservers: [{url: 'https://x.example'}]\npaths: {/a: {get: {}}, /b: {get: {tags: [b]}}}";
    expect(load(yaml)).toMatchObject({ id: "uni_code", version: "2024.1.2" });
    expect(load(yaml).tools.map(({ name }) => name)).toEqual(["get_a", "get_b"]);
    expect(load(yaml, { only: ["b"] }).tools.map(({ name }) => name)).toEqual(["get_b"]);
  });

  test("gives every tool a legal and unique name, the same at every load", () => {
    const paths = Object.fromEntries(
      ["a".repeat(100), `${"a".repeat(100)}b`, "a.b", "a/b", "a b", "", "日本"].map((operationId, at) => [
        `/${at}`,
        { get: { operationId } },
      ]),
    );
    const names = () => load({ ...PETS, paths }).tools.map(({ name }) => name);
    expect(names()).toEqual(names());
    expect(new Set(names()).size).toBe(7);
    for (const name of names()) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  });

  test.each([
    [{ swagger: "2.0", paths: {} }, "Swagger 2.0"],
    [{ openapi: "4.0.0", paths: {} }, "3.0 or 3.1 is needed"],
    [{ openapi: "3.0.0" }, "no paths"],
    [{ openapi: "3.0.0", paths: {} }, "no operations"],
    ["[]", "not an object"],
    ["{", "not JSON"],
  ])("%j is refused", (document, why) => {
    const result = loadOpenApi(typeof document === "string" ? document : JSON.stringify(document));
    expect(result).toMatchObject({ ok: false, failure: { code: expect.stringMatching(/invalid/) } });
    expect(result.ok ? "" : result.failure.message).toContain(why);
  });

  test("of any size gives schemas of bounded size, cut from below", () => {
    const fields = (prefix: string) =>
      Object.fromEntries(
        Array.from({ length: 30 }, (_, at) => [`${prefix}_${at}`, { $ref: `#/components/schemas/S${at}` }]),
      );
    const schemas = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [
        `S${at}`,
        {
          type: "object",
          properties: { ...fields(`f${at}`), text: { type: "string", description: "x".repeat(2000) } },
        },
      ]),
    );
    const big = {
      ...PETS,
      paths: {
        "/big": {
          post: {
            operationId: "big",
            requestBody: {
              required: true,
              content: { "application/json": { schema: { type: "object", properties: fields("top") } } },
            },
          },
        },
      },
      components: { schemas },
    };
    const found = load(big).tools[0]?.input;
    expect(JSON.stringify(found?.jsonSchema).length).toBeLessThan(60_000);
    expect(Object.keys((found?.jsonSchema.properties ?? {}) as object)).toHaveLength(30);
    expect(found?.parse({ top_0: {} }).ok).toBe(true);
  });

  test.each([
    [
      "references in a circle",
      { paths: { "/a": { $ref: "#/paths/~1b" }, "/b": { $ref: "#/paths/~1a" }, "/c": { get: {} } } },
    ],
    [
      "references to nothing",
      { paths: { "/c": { get: { parameters: [{ $ref: "#/none" }], requestBody: { $ref: "#/none" } } } } },
    ],
    [
      "references to elsewhere",
      {
        paths: {
          "/c": {
            post: {
              requestBody: {
                content: { "application/json": { schema: { $ref: "https://x.example/s.json" } } },
              },
            },
          },
        },
      },
    ],
    [
      "nonsense everywhere",
      {
        servers: 5,
        tags: "x",
        security: "no",
        paths: { "/c": { parameters: 7, get: { parameters: [null, 3, {}], requestBody: 1, security: [1] } } },
        components: 3,
      },
    ],
    [
      "names of the prototype",
      JSON.parse(
        '{"paths": {"/c": {"post": {"requestBody": {"required": true, "content": {"application/json": {"schema": {"properties": {"__proto__": {"type": "string"}, "constructor": {"type": "string"}}}}}}}}}}',
      ),
    ],
  ])("with %s still gives what it has", (_, parts) => {
    const [only] = load({ ...PETS, ...parts }).tools.filter(({ description }) => description.includes("/c"));
    expect(only?.input.parse({})).toMatchObject({ ok: true });
  });
});

describe("an operation", () => {
  test("is called with arguments in their places and the key in its header", async () => {
    const { seen, result } = await call("pets_list", {
      tag: ["a", "b"],
      filter: { size: "big" },
      "X-Trace": "t",
    });
    expect(seen?.url).toBe("https://eu.pets.example/v2/pets?tag=a&tag=b&filter%5Bsize%5D=big");
    expect(seen?.headers).toMatchObject({ "x-trace": "t" });
    expect(seen?.headers).not.toHaveProperty("x-api-key");
    expect(result).toEqual(ok({ status: 200, body: { fine: true } }));
    const one = await call("pets_get-one", { petId: 7 }, { KEY: "secret-key", region: "us" });
    expect(one.seen).toMatchObject({
      url: "https://us.pets.example/v2/pets/7",
      headers: { "x-api-key": "secret-key" },
    });
  });

  test("uses the first way in whose secrets are set, and says what is missing", async () => {
    const second = await call("pets_delete", { petId: 1 }, { KEY: "secret-key" });
    expect(second.seen?.headers).toMatchObject({ "x-api-key": "secret-key" });
    const first = await call("pets_delete", { petId: 1 }, { KEY: "secret-key", OAUTH: "token-1" });
    expect(first.seen?.headers).toMatchObject({ authorization: "Bearer token-1" });
    expect(first.seen?.headers).not.toHaveProperty("x-api-key");
    const none = await call("pets_delete", { petId: 1 }, {});
    expect(none.seen).toBeUndefined();
    expect(none.result).toMatchObject({ failure: { code: "secret_missing" } });
  });

  test("sends JSON, forms, files and whole bodies", async () => {
    const config = { KEY: "secret-key" };
    const put = await call("pets_replace", { petId: 1, name: "Tom", body_petId: "x" }, config);
    expect(put.seen).toMatchObject({ method: "PUT", body: '{"name":"Tom","petId":"x"}' });
    const form = await call("post_pets", { name: "Tom & Co", owner: { name: "Ann" } }, config);
    expect(form.seen).toMatchObject({
      body: "name=Tom+%26+Co&owner%5Bname%5D=Ann",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    const file = await call("photo", { petId: "1", picture: "/pictures/tom.png", note: "him" }, config);
    const sent = Buffer.from(file.seen?.body as Uint8Array).toString();
    expect(sent).toContain('name="picture"; filename="tom.png"\r\n\r\nPNG');
    expect(sent).toContain('name="note"\r\n\r\nhim');
    const whole = await call("choice", { body: "text" }, config);
    expect(whole.seen).toMatchObject({ body: '"text"', headers: { "content-type": "application/json" } });
  });

  test.each([
    ["https://user:pw@evil.example", "url_invalid"],
    ["eu.evil.example/x", "server_value_missing"],
    ["eu@evil.example", "server_value_missing"],
  ])("cannot be sent elsewhere by a server value such as %j", async (region, code) => {
    const servers = region.startsWith("http")
      ? [{ url: "{region}" }]
      : [{ url: "https://{region}.pets.example" }];
    const { seen, result } = await call("pets_list", {}, { region }, { ...PETS, servers });
    expect(seen).toBeUndefined();
    expect(result).toMatchObject({ failure: { code } });
  });

  test.each([
    ["/v3", { origin: "https://docs.pets.example/openapi.json" }, {}, "https://docs.pets.example/v3/pets"],
    ["/v3", {}, { BASE_URL: "https://own.example/api/" }, "https://own.example/api/pets"],
    ["https://x.example", { server: "https://staging.example" }, {}, "https://staging.example/pets"],
  ])("with the server %j, options %j and config %j calls %s", async (url, options, config, expected) => {
    const { seen } = await call("pets_list", {}, config, { ...PETS, servers: [{ url }] }, options);
    expect(seen?.url).toBe(expected);
  });

  test("of a document that says nothing of keys can still be given the header", async () => {
    const open = {
      ...PETS,
      security: undefined,
      components: { parameters: PETS.components.parameters, schemas: PETS.components.schemas },
    };
    const without = await call("pets_list", {}, {}, open);
    expect(without.seen?.headers).not.toHaveProperty("authorization");
    const given = await call("pets_list", {}, { AUTHORIZATION: "Bearer abc-def" }, open);
    expect(given.seen?.headers).toMatchObject({ authorization: "Bearer abc-def" });
  });
});

function load(document: unknown, options?: OpenApiOptions): Capability {
  const result = loadOpenApi(typeof document === "string" ? document : JSON.stringify(document), options);
  if (!result.ok) throw new Error(result.failure.message);
  return result.value;
}

function tool(name: string, document: unknown = PETS, options?: OpenApiOptions) {
  const found = load(document, options).tools.find((candidate) => candidate.name === name);
  if (!found) throw new Error(`no tool ${name}`);
  return found;
}

async function call(
  name: string,
  input: Record<string, unknown>,
  config: Record<string, unknown> = {},
  document: unknown = PETS,
  options?: OpenApiOptions,
) {
  let seen: ({ url: string } & GuardedFetchOptions) | undefined;
  const found = tool(name, document, options);
  const parsed = found.input.parse(input);
  if (!parsed.ok) throw new Error(parsed.where);
  const fileStore = memoryFileStore();
  await fileStore.write("/pictures/tom.png", Buffer.from("PNG"));
  const context = {
    config: { region: "eu", ...config },
    fileStore,
    idempotencyKey: "call-1",
    signal: new AbortController().signal,
    async fetch(url: string, fetchOptions: GuardedFetchOptions = {}) {
      seen = { url, ...fetchOptions };
      return ok(Response.json({ fine: true }));
    },
  } as unknown as ToolContext;
  const result: Result<unknown> = await found.run(parsed.value, context);
  return { seen, result };
}
