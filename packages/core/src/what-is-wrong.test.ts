import { expect, test } from "vitest";
import { z } from "zod";
import { whatIsWrong } from "./what-is-wrong.ts";

const call = z.strictObject({ a: z.number(), b: z.number(), rights: z.array(z.enum(["read", "run"])) });

test.each([
  [{ a: "one", b: 2, rights: [] }, "a: expected number, received string"],
  [{ a: 1, rights: [] }, "b: missing, expected number"],
  [{ a: 1, b: 2, rights: ["admin"] }, 'rights[0]: expected one of "read"|"run"'],
  [{ a: 1, b: 2, rights: [], c: 3 }, 'Unrecognized key: "c"'],
  [[], "expected object, received array"],
  [{ rights: [] }, "a: missing, expected number; b: missing, expected number"],
])("%j: %s", (value, said) => {
  const parsed = call.safeParse(value);
  expect(parsed.error && whatIsWrong(parsed.error)).toBe(said);
});
