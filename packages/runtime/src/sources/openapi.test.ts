import { type Capability, CapabilityRegistry } from "@capstan/core";
import { describe, expect, test } from "vitest";
import { PETS } from "./fixtures/pet-store.ts";
import { loadOpenApi, type OpenApiOptions } from "./openapi.ts";

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

  test("merges parameters and body into one schema, with unique names and without read-only fields", () => {
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

  test("turns security schemes in use into settings and scopes", () => {
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

  test("may be YAML, and may be limited to some operations", () => {
    const yaml =
      "openapi: 3.1.0\ninfo: {title: Ünï Côde!, version: '2024-01-02'}\nservers: [{url: 'https://x.example'}]\npaths: {/a: {get: {}}, /b: {get: {tags: [b]}}}";
    expect(load(yaml)).toMatchObject({ id: "uni_code", version: "2024.1.2" });
    expect(load(yaml).tools.map(({ name }) => name)).toEqual(["get_a", "get_b"]);
    expect(load(yaml, { only: ["b"] }).tools.map(({ name }) => name)).toEqual(["get_b"]);
  });

  test("gives every tool a legal and unique name, stable across loads", () => {
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
    [{ openapi: "4.0.0", paths: {} }, "3.0 or 3.1 is required"],
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
      "circular references",
      { paths: { "/a": { $ref: "#/paths/~1b" }, "/b": { $ref: "#/paths/~1a" }, "/c": { get: {} } } },
    ],
    [
      "references to nothing",
      { paths: { "/c": { get: { parameters: [{ $ref: "#/none" }], requestBody: { $ref: "#/none" } } } } },
    ],
    [
      "external references",
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
