import { describe, expect, test } from "vitest";
import { z } from "zod";
import { closedObjects } from "./closed-objects.ts";

const inner = z.object({ max: z.number().optional() });

describe("a schema whose objects are closed", () => {
  test.each([
    ["an object", z.object({ a: z.string() }), { a: "x" }, { a: "x", b: 1 }],
    ["an object in an object", z.object({ a: inner }), { a: { max: 1 } }, { a: { mx: 1 } }],
    [
      "optional, nullable and default ones",
      z.object({ a: inner.nullish().default({}) }),
      {},
      { a: { mx: 1 } },
    ],
    ["those of an array", z.array(inner), [{}, { max: 1 }], [{ mx: 1 }]],
    ["those of a record", z.record(z.string(), inner), { x: {} }, { x: { mx: 1 } }],
    ["those of a tuple", z.tuple([inner], inner), [{}, {}], [{}, { mx: 1 }]],
    ["those of a union", z.union([z.string(), inner]), { max: 2 }, { mx: 2 }],
    ["what is transformed later", inner.transform(({ max }) => max), { max: 2 }, { mx: 2 }],
  ])("refuses unknown fields of %s", (_, schema: z.ZodType, good, bad) => {
    expect(schema.safeParse(bad).success).toBe(true);
    expect(closedObjects(schema).safeParse(good).success).toBe(true);
    expect(closedObjects(schema).safeParse(bad).success).toBe(false);
  });

  test("follows a recursive one to any depth", () => {
    type Tree = { name: string; children?: Tree[] | undefined };
    const Tree: z.ZodType<Tree> = z.object({
      name: z.string(),
      children: z.lazy(() => z.array(Tree)).optional(),
    });
    const tree = closedObjects(Tree);
    expect(tree.safeParse({ name: "a", children: [{ name: "b", children: [] }] }).success).toBe(true);
    expect(tree.safeParse({ name: "a", children: [{ name: "b", nme: "c" }] }).success).toBe(false);
  });

  test("leaves a loose object, refinements and descriptions as they are", () => {
    const schema = z.object({
      any: z.looseObject({}).describe("Whatever you like."),
      even: z.number().refine((value) => value % 2 === 0),
    });
    const made = closedObjects(schema);
    expect(made.safeParse({ any: { x: 1 }, even: 2 }).data).toEqual({ any: { x: 1 }, even: 2 });
    expect(made.safeParse({ any: {}, even: 1 }).success).toBe(false);
    expect(z.toJSONSchema(made)).toMatchObject({
      additionalProperties: false,
      properties: { any: { description: "Whatever you like.", additionalProperties: {} } },
    });
  });

  test("keeps checks on the whole object", () => {
    const schema = z
      .object({ a: z.number().optional(), b: z.number().optional() })
      .refine(({ a, b }) => a !== b);
    expect(closedObjects(schema).safeParse({ a: 1, b: 1 }).success).toBe(false);
  });
});
