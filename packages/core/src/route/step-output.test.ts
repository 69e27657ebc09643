import { expect, test } from "vitest";
import { z } from "zod";
import { zodSchema } from "../schema.ts";
import { valueFor } from "./step-output.ts";

const schema = zodSchema(
  z.object({
    path: z.string(),
    text: z.string(),
    amount: z.number(),
    id: z.string(),
    names: z.array(z.string()),
  }),
).jsonSchema;

test.each([
  ["a field of the same name", "id", { id: "a1" }, "a1"],
  ["a path for a path", "path", { output: "/b.md", size: 3 }, "/b.md"],
  ["a text for a text", "text", { translation: "bonjour" }, "bonjour"],
  ["the whole output when it is a text", "text", "bonjour", "bonjour"],
  ["a number for a number", "amount", { result: 42 }, 42],
  ["the only value as a text", "text", { metres: 42 }, "42"],
  [
    "a record without a text whole, as JSON",
    "text",
    { at: "Rome", celsius: 5 },
    '{\n  "at": "Rome",\n  "celsius": 5\n}',
  ],
  ["no text for a path", "path", "bonjour", undefined],
  ["no text for an id", "id", { text: "bonjour" }, undefined],
  ["no value of another type", "names", { names: "Ann" }, undefined],
  ["nothing from nothing", "text", undefined, undefined],
])("a step takes %s", (_, input, output, expected) => {
  expect(valueFor(input, schema, output)).toEqual(expected);
});
