import { describe, expect, test } from "vitest";
import { z } from "zod";
import { toolArguments } from "./tool-arguments.ts";

const schema = z.toJSONSchema(
  z.object({
    seconds: z.string(),
    count: z.number(),
    whole: z.int(),
    loud: z.boolean(),
    tags: z.array(z.string()),
    place: z.object({ city: z.string() }),
    either: z.union([z.string(), z.number()]),
    maybe: z.number().nullable(),
    unit: z.enum(["metre", "33"]),
    level: z.union([z.literal(1), z.literal(2)]),
  }),
  { io: "input" },
);
const read = (...words: string[]) => toolArguments(words, schema, "usage");

describe("arguments of a tool on the command line", () => {
  test.each<[string, Record<string, unknown>]>([
    ["seconds=33", { seconds: "33" }],
    ["seconds=true", { seconds: "true" }],
    ["seconds=", { seconds: "" }],
    ['seconds={"a": 1}', { seconds: '{"a": 1}' }],
    ["count=2.5", { count: 2.5 }],
    ["whole=-3", { whole: -3 }],
    ["loud=true", { loud: true }],
    ['tags=["a","b"]', { tags: ["a", "b"] }],
    ['place={"city":"Rome"}', { place: { city: "Rome" } }],
    ["either=12", { either: 12 }],
    ["either=noon", { either: "noon" }],
    ["maybe=null", { maybe: null }],
    ["unit=33", { unit: "33" }],
    ["level=2", { level: 2 }],
    ["nobody=12", { nobody: 12 }],
    ["nobody=x=y", { nobody: "x=y" }],
  ])("%s is parsed by the schema", (word, input) => {
    expect(read(word)).toEqual({ ok: true, value: input });
  });

  test.each([
    ["count=many", 'count: expected number, received "many"'],
    ["loud=yes", "loud: expected boolean"],
    ["whole=2.5", "whole: expected integer"],
    ["tags=a", "tags: expected array"],
    ["count", '"count" is not key=value'],
    ["{ no json", "the arguments are not JSON"],
    ['{"count": 1, "count": 2}', '"count" is given twice'],
  ])("%s is refused", (word, why) => {
    const refused = read(word);
    expect(refused.ok ? "" : refused.failure.message).toContain(why);
  });

  test.each<[string, Record<string, unknown>]>([
    ["code=007", { code: "007" }],
    ["code=33", { code: "33" }],
    ["size=33", { size: 33 }],
    ["part=33", { part: "33" }],
    ["loop=33", { loop: 33 }],
  ])("%s is parsed by a schema with references, also to itself", (word, input) => {
    const written = {
      properties: {
        code: { allOf: [{ $ref: "#/$defs/Code" }], default: "1" },
        size: { allOf: [{ $ref: "#/$defs/Size" }] },
        part: { $ref: "#/$defs/a~1b" },
        loop: { $ref: "#/$defs/Loop" },
      },
      $defs: {
        Code: { type: "string" },
        Size: { type: "integer" },
        "a/b": { type: "string" },
        Loop: { anyOf: [{ $ref: "#/$defs/Loop" }, { type: "number" }] },
      },
    };
    expect(toolArguments([word], written, "usage")).toEqual({ ok: true, value: input });
  });

  test("one that is given twice is refused", () => {
    expect(read("count=1", "count=2").ok).toBe(false);
  });

  test("one JSON object is passed unchanged", () => {
    expect(read('{"a": 2, "b": [40]}')).toEqual({ ok: true, value: { a: 2, b: [40] } });
  });
});
