import { describe, expect, test } from "vitest";
import { foreignSchema } from "./json-schema.ts";

describe("a foreign schema", () => {
  test.each([
    [{ type: "object", properties: { n: { type: "integer" } }, required: ["n"] }, { n: 1 }, { n: "1" }],
    [{ type: "string", format: "email" }, "a@b.cd", "nobody"],
    [{ type: "string", format: "uuid" }, "123e4567-e89b-42d3-a456-426614174000", "x"],
    [{ type: "string", format: "date-time" }, "2026-01-02T03:04:05Z", "yesterday"],
    [{ type: "string", pattern: "^[a-z]+$" }, "abc", "ABC"],
    [{ $ref: "#/$defs/name", $defs: { name: { type: "string" } } }, "x", 1],
    [{ type: "object", properties: { next: { $ref: "#" } } }, { next: { next: {} } }, { next: { next: 1 } }],
    [{ type: "array", prefixItems: [{ type: "string" }] }, ["a"], [1]],
    [{ $schema: "http://json-schema.org/draft-07/schema#", items: [{ type: "string" }] }, ["a"], [1]],
    [{ items: [{ type: "string" }] }, ["a"], [1]],
    [{ enum: ["a", "b"] }, "a", "c"],
    [{ type: "object", additionalProperties: false, properties: { a: {} } }, { a: 1 }, { b: 1 }],
    [
      { type: "array", uniqueItems: true },
      [{ a: 1, b: 2 }, 1, "1"],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ],
    [{ type: ["string", "null"] }, null, 1],
    [{ dependentRequired: { a: ["b"] } }, { a: 1, b: 1 }, { a: 1 }],
  ])("%j accepts %j and not %j", (json, good, bad) => {
    const schema = load(json);
    expect(schema.parse(good)).toEqual({ ok: true, value: good });
    expect(schema.parse(bad)).toMatchObject({ ok: false, where: expect.any(String) });
  });

  test("keeps several patterns separate", () => {
    const schema = load({ properties: { a: { pattern: "^a" }, b: { pattern: "^b" } } });
    expect(schema.parse({ a: "a", b: "b" }).ok).toBe(true);
    expect(schema.parse({ a: "b" }).ok).toBe(false);
    expect(schema.parse({ b: "a" }).ok).toBe(false);
  });

  test("reports where a value is wrong, and what is allowed", () => {
    const schema = load({ type: "object", properties: { a: { properties: { b: { enum: ["x", "y"] } } } } });
    const parsed = schema.parse({ a: { b: "z" } });
    expect(parsed).toEqual({
      ok: false,
      where: '/a/b must be equal to one of the allowed values: ["x","y"]',
    });
  });

  test("follows recursive references", () => {
    const tree = {
      $ref: "#/$defs/node",
      $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } }, required: ["id"] } },
    };
    const schema = load(tree);
    expect(schema.parse({ id: 1, next: { id: 2, next: { id: 3 } } }).ok).toBe(true);
    expect(schema.parse({ id: 1, next: { next: { id: 3 } } }).ok).toBe(false);
  });

  test("applies defaults only on request, in a copy", () => {
    const json = { type: "object", properties: { a: { type: "integer", default: 5 } } };
    const given = {};
    expect(load(json).parse(given)).toEqual({ ok: true, value: {} });
    expect(load(json, { defaults: true }).parse(given)).toEqual({ ok: true, value: { a: 5 } });
    expect(given).toEqual({});
  });

  test("shows models the schema without ids and without our own keyword", () => {
    const json = {
      $schema: "x",
      $id: "https://example.com/s",
      $ref: "#/$defs/a",
      $defs: { a: { type: "null" } },
    };
    expect(load(json).jsonSchema).toEqual({ $ref: "#/$defs/a", $defs: { a: { type: "null" } } });
  });
});

describe("a hostile schema", () => {
  test.each([
    ["a remote reference", { $ref: "https://example.com/schema.json" }, "outside itself"],
    ["a file reference", { properties: { a: { $ref: "file:///etc/passwd" } } }, "outside itself"],
    ["a __proto__ name", JSON.parse('{"properties": {"__proto__": {"type": "string"}}}'), "__proto__"],
    ["endless depth", nested(150), "levels deep"],
    ["too many parts", { enum: Array.from({ length: 60_000 }, (_, at) => at) }, "parts"],
    ["a slow pattern for names", { patternProperties: { "^(?=a)": {} } }, "linear time"],
    ["not a schema", "string", "an object"],
    ["null", null, "an object"],
  ])("with %s is refused", (_, json, why) => {
    const result = foreignSchema(json);
    expect(result).toMatchObject({ ok: false, failure: { code: "schema_refused" } });
    expect(result.ok ? "" : result.failure.message).toContain(why);
  });

  test.each([
    ["an unknown type", { type: "strung" }],
    ["a reference to nothing", { $ref: "#/$defs/none" }],
  ])("with %s is refused at load, or at the first value", (_, json) => {
    expect(foreignSchema(json, { compileNow: true })).toMatchObject({ failure: { code: "schema_refused" } });
    expect(load(json).parse("x")).toMatchObject({
      ok: false,
      where: expect.stringContaining("cannot be used"),
    });
  });

  test("cannot waste time with a pattern", () => {
    const schema = load({ type: "string", pattern: "^(a+)+$" });
    expect(schema.parse(`${"a".repeat(50_000)}!`).ok).toBe(false);
  });

  test("a pattern that RE2 cannot run is left to the service", () => {
    const schema = load({ type: "string", pattern: "^(?!admin)" });
    expect(schema.jsonSchema).toMatchObject({ pattern: "^(?!admin)" });
    expect(schema.parse("admin").ok).toBe(true);
  });

  test.each([
    ["refers directly to itself", { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } }],
    ["branches into itself", branching()],
  ])("that %s ends", (_, json) => {
    const deep = Array.from({ length: 60 }).reduce<unknown>((inner) => ({ x: inner }), "wrong");
    expect(load(json).parse(deep)).toMatchObject({
      ok: false,
      where: expect.stringContaining("without end"),
    });
  });

  test("does not accept inherited members as given ones", () => {
    const schema = load({ type: "object", required: ["constructor", "toString"] });
    expect(schema.parse({}).ok).toBe(false);
  });

  test("cannot change what other objects inherit", () => {
    const json = JSON.parse('{"type": "object", "properties": {"a": {"default": {"x": 1}}}}');
    load(json, { defaults: true }).parse(JSON.parse('{"__proto__": {"polluted": 1}}'));
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test("cannot slow down a check with many equal items", () => {
    const items = Array.from({ length: 20_000 }, (_, at) => ({ at }));
    expect(load({ uniqueItems: true }).parse(items).ok).toBe(true);
  });
});

function load(json: unknown, options = {}) {
  const result = foreignSchema(json, options);
  if (!result.ok) throw new Error(result.failure.message);
  return result.value;
}

function nested(levels: number): unknown {
  return Array.from({ length: levels }).reduce<unknown>((inner) => ({ not: inner }), {});
}

function branching() {
  const again = { properties: { x: { $ref: "#/$defs/a" } } };
  return { $ref: "#/$defs/a", $defs: { a: { type: "object", anyOf: [again, again, again] } } };
}
