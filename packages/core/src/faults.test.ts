import { expect, test } from "vitest";
import { z } from "zod";
import { faultsText, readInput } from "./faults.ts";

const call = z.strictObject({
  a: z.number(),
  b: z.number(),
  edited_args: z.record(z.string(), z.unknown()).optional(),
  limits: z.strictObject({ max_steps: z.int().optional() }).optional(),
  rights: z
    .array(z.enum(["read", "run"]))
    .max(2)
    .optional(),
  name: z.string().min(1).max(5).optional(),
  count: z.int().min(1).lt(10).optional(),
  id: z.uuid().optional(),
  link: z.url({ protocol: /^https?$/ }).optional(),
  expiry: z
    .discriminatedUnion("policy", [
      z.strictObject({ policy: z.literal("wait") }),
      z.strictObject({ policy: z.literal("expire"), after: z.number() }),
    ])
    .optional(),
  find: z
    .union([
      z.strictObject({ pattern: z.string() }),
      z.strictObject({ words: z.array(z.string()) }),
      z.strictObject({ from: z.string(), to: z.string() }),
      z.strictObject({ time: z.strictObject({ hour: z.number(), minute: z.number() }) }),
    ])
    .optional(),
  when: z.union([z.strictObject({ tool: z.string() }), z.strictObject({ label: z.string() })]).optional(),
  choice: z
    .union([
      z.literal("auto"),
      z.literal("none"),
      z.strictObject({ tool: z.string() }),
      z.strictObject({ kind: z.literal("call"), call: z.strictObject({ tool: z.string() }) }),
    ])
    .optional(),
  silent: z
    .unknown()
    .refine((value) => value !== null && value !== 3)
    .optional(),
  entry: z.union([z.string(), z.strictObject({ id: z.string(), prefix: z.string().optional() })]).optional(),
});

test.each([
  [{ a: "one", b: 2 }, "a: expected number, received string"],
  [{ a: 1 }, "b: missing, expected number"],
  [{}, "a: missing, expected number; b: missing, expected number"],
  [[], "expected object, received array"],
  [{ a: 1, b: 2, edited_args: [] }, "edited_args: expected object, received array"],
  [{ a: 1, b: 2, editedArgs: {} }, 'unknown field "editedArgs", use "edited_args"'],
  [{ a: 1, b: 2, right: [] }, 'unknown field "right", did you mean "rights"?'],
  [{ a: 1, b: 2, limits: { max_step: 3 } }, 'limits: unknown field "max_step", did you mean "max_steps"?'],
  [{ a: 1, b: 2, limits: { colour: 3 } }, 'limits: unknown field "colour", allowed: "max_steps"'],
  [{ a: 1, b: 2, rights: ["admin"] }, 'rights[0]: expected one of "read", "run"'],
  [{ a: 1, b: 2, rights: ["reads"] }, 'rights[0]: expected one of "read", "run"; did you mean "read"?'],
  [{ a: 1, b: 2, name: "" }, "name must not be empty"],
  [{ a: 1, b: 2, name: "toolong" }, "name must have at most 5 characters"],
  [{ a: 1, b: 2, count: 0 }, "count must be at least 1"],
  [{ a: 1, b: 2, count: 10 }, "count must be less than 10"],
  [{ a: 1, b: 2, rights: ["read", "run", "run"] }, "rights must have at most 2 entries"],
  [{ a: 1, b: 2, id: "x" }, "id must be a UUID"],
  [{ a: 1, b: 2, link: "ftp://x.org" }, "link: expected a URL with http: or https:"],
  [
    { a: 1, b: 2, expiry: { policy: "expires" } },
    'expiry.policy: expected one of "wait", "expire"; did you mean "expire"?',
  ],
  [
    { a: 1, b: 2, find: { word: ["x"] } },
    'find.words: missing, expected array; find: unknown field "word", did you mean "words"?',
  ],
  [{ a: 1, b: 2, find: { from: "x" } }, "find.to: missing, expected string"],
  [
    { a: 1, b: 2, find: { time: { hour: "x", minute: "y" } } },
    "find.time.hour: expected number, received string; find.time.minute: expected number, received string",
  ],
  [
    { a: 1, b: 2, find: {} },
    'find: expected an object with "pattern", or "words", or "from" and "to", or "time"',
  ],
  [
    { a: 1, b: 2, when: { colour: 1 } },
    'when: unknown field "colour"; expected an object with "tool", or "label"',
  ],
  [
    { a: 1, b: 2, expiry: { Policy: "wait", aftr: 1 } },
    'expiry.policy: missing, expected one of "wait", "expire"; unknown field "Policy", use "policy"; unknown field "aftr", did you mean "after"?',
  ],
  [{ a: 1, b: 2, choice: "add" }, 'choice: expected "auto", "none" or object'],
  [{ a: 1, b: 2, choice: "nona" }, 'choice: expected "none"; did you mean "none"?'],
  [{ a: 1, b: 2, choice: null }, 'choice: expected "auto", "none" or object'],
  [
    { a: 1, b: 2, choice: { tol: "x" } },
    'choice.tool: missing, expected string; choice: unknown field "tol", did you mean "tool"?',
  ],
  [
    { a: 1, b: 2, choice: { kind: "call", call: { tool: 3 } } },
    "choice.call.tool: expected string, received number",
  ],
  [{ a: 1, b: 2, silent: null }, "silent must not be null"],
  [{ a: 1, b: 2, silent: 3 }, "silent is not valid"],
  [{ a: 1, b: 2, entry: 3 }, "entry: expected string or object"],
  [{ a: 1, b: 2, entry: { id: "x", prefx: "y" } }, 'entry: unknown field "prefx", did you mean "prefix"?'],
])("%j: %s", (value, said) => {
  const read = readInput(call, value);
  expect(read.ok ? "" : read.where).toBe(said);
});

test.each([
  [{ path: "", message: "is not JSON" }, "it is not JSON"],
  [{ path: "base_url", message: "is required by the tools" }, "base_url is required by the tools"],
  [{ path: "", message: 'unknown field "nope"' }, 'unknown field "nope"'],
  [{ path: "name", message: "missing, expected string" }, "name: missing, expected string"],
])("%j is said as %j", (fault, said) => {
  expect(faultsText([fault])).toBe(said);
});
