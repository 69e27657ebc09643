import { expect, test } from "vitest";
import { z } from "zod";
import { zodSchema } from "./schema.ts";
import { defineTool } from "./tool.ts";

const INPUT = z.object({ path: z.string() });
const declared = () =>
  defineTool({
    name: "read",
    description: "Read.",
    input: INPUT,
    output: INPUT,
    run: () => ({ ok: true, value: { path: "" } }),
  });

test("a tool that is declared anew for each turn derives its schema once", () => {
  expect(declared().input.jsonSchema).toBe(declared().input.jsonSchema);
});

test("the same type is one schema as input, which is closed, and another as output", () => {
  const { input, output } = declared();
  expect(input.parse({ path: "a", more: 1 }).ok).toBe(false);
  expect(output?.parse({ path: "a", more: 1 }).ok).toBe(true);
});

test("what is not a zod 4 schema has a fault each time", () => {
  const foreign = { parse: () => 1 } as never;
  expect([zodSchema(foreign).fault, zodSchema(foreign).fault]).toEqual([
    "is not a zod 4 schema",
    "is not a zod 4 schema",
  ]);
  expect(zodSchema(undefined as never).fault).toBe("is not a zod 4 schema");
});
