import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blankGroup, fieldsOf, filled, type Json } from "./schema-fields.ts";

describe("a form built from a JSON Schema", () => {
  test.each<[string, Json, object]>([
    ["a text", { type: "string" }, { kind: "text", multiline: false }],
    [
      "a number with bounds",
      { type: "number", minimum: 1, maximum: 9 },
      { kind: "number", integer: false, min: 1, max: 9 },
    ],
    ["an integer", { type: "integer", maximum: Number.MAX_SAFE_INTEGER }, { kind: "number", integer: true }],
    ["a choice", { enum: ["a", "b"] }, { kind: "choice", options: ["a", "b"] }],
    ["a choice of constants", { anyOf: [{ const: 1 }, { const: 2 }] }, { kind: "choice", options: [1, 2] }],
    ["a yes or no", { type: "boolean" }, { kind: "toggle" }],
    ["a text that may be null", { type: ["string", "null"] }, { kind: "text", multiline: false }],
    [
      "a list of texts",
      { type: "array", items: { type: "string" } },
      { kind: "list", item: { kind: "text", multiline: false } },
    ],
    ["shapes to choose from", { anyOf: [{ type: "string" }, { type: "number" }] }, { kind: "json" }],
    ["a free object", { type: "object", additionalProperties: true }, { kind: "json" }],
    ["nothing said", {}, { kind: "json" }],
  ])("shows %s as its field", (_, property, kind) => {
    expect(fieldsOf({ type: "object", properties: { x: property } })).toEqual([
      { name: "x", required: false, kind },
    ]);
  });

  test("follows references and keeps descriptions next to them", () => {
    const schema = {
      $defs: { City: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } },
      properties: { city: { $ref: "#/$defs/City", description: "Where to" } },
    };
    expect(fieldsOf(schema)).toMatchObject([
      { name: "city", hint: "Where to", kind: { kind: "group", fields: [{ name: "name", required: true }] } },
    ]);
  });

  test.each<[string, Json]>([
    ["itself", { $defs: { A: { $ref: "#/$defs/A" } }, properties: { a: { $ref: "#/$defs/A" } } }],
    ["its own parent", { properties: { child: { $ref: "#" } } }],
  ])("ends where a schema refers to %s", (_, schema) => {
    expect(fieldsOf(schema)).toHaveLength(1);
  });

  test("takes any JSON for a schema", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (properties) => {
        const fields = fieldsOf({ type: "object", properties });
        expect(fields?.map(({ name }) => name)).toEqual(Object.keys(properties));
        expect(() => filled(fields ?? [], blankGroup(fields ?? []))).not.toThrow();
      }),
    );
  });

  test("starts with defaults and required fields, and does not send empty optional fields", () => {
    const fields =
      fieldsOf({
        properties: { a: { type: "string" }, b: { type: "string" }, c: { type: "number", default: 3 } },
        required: ["a"],
      }) ?? [];
    const start = blankGroup(fields);
    expect(start).toEqual({ a: "", c: 3 });
    expect(filled(fields, { ...start, b: "" })).toEqual({ a: "", c: 3 });
  });
});
