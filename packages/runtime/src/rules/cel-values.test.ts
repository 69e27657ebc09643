import type { RuleCall } from "@capstan/core/internal";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileByLibrary, compileCel } from "./cel.ts";

const RUNS = 5_000;

const CALL: RuleCall = {
  tool: "send_mail",
  ownName: "send_mail",
  capabilityId: "mail",
  risk: "write",
  args: {},
  user: "ada@example.com",
  agentId: "agent",
  path: "loop",
  flow: { reads: [], writes: [], usesSecrets: false, reachesAnyAddress: false },
  scopes: ["Mail.Send"],
  connections: [],
  seen: ["untrusted"],
  groups: ["staff", "finance"],
  counts: new Map(),
  now: new Date("2026-11-18T23:30:00Z"),
};

const words = fc.constantFrom(
  "a",
  "b",
  "ada@example.com",
  "@example.com",
  "/reports",
  "",
  "Ä",
  "💶x",
  "staff",
);
const integers = fc.constantFrom("0", "1", "2", "3", "-1", "100", "9223372036854775807", "9007199254740993");
const doubles = fc.constantFrom("0.0", "1.0", "2.5", "-1.5", "1e300");
const literals = fc.oneof(
  words.map((word) => JSON.stringify(word)),
  integers,
  doubles,
  fc.constantFrom("true", "false", "null", "2u", 'b"x"'),
);
const lists = fc.array(literals, { maxLength: 3 }).map((items) => `[${items.join(", ")}]`);
const fields = fc.constantFrom("args.s", "args.n", "args.b", "args.l", "args.m", "args.m.s", "args.m.l");
const variables = fc.constantFrom(
  "user",
  "tool",
  "risk",
  "groups",
  "seen",
  "connections",
  "now",
  "args",
  "x",
);
const places = fc.constantFrom(
  'args["s"]',
  'args["l"][0]',
  "args.l[1]",
  "args.l[-1]",
  "groups[0]",
  "args.none",
);

/** Any text of this grammar; most do not type-check, which is the same for both ways. */
const { expression } = fc.letrec((tie) => {
  const part = tie("expression");
  const join = (op: string) => fc.tuple(part, part).map(([left, right]) => `(${left} ${op} ${right})`);
  const method = (name: string) => fc.tuple(part, part).map(([on, other]) => `${on}.${name}(${other})`);
  const plain = (name: string) => part.map((on) => `${on}.${name}()`);
  const loop = (name: string) => fc.tuple(part, part).map(([over, body]) => `${over}.${name}(x, ${body})`);
  const compares = fc.constantFrom("==", "!=", "<", "<=", ">", ">=", "in").chain(join);
  return {
    expression: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      { weight: 4, arbitrary: fields },
      { weight: 3, arbitrary: literals },
      { weight: 2, arbitrary: variables },
      { weight: 1, arbitrary: places },
      { weight: 1, arbitrary: lists },
      { weight: 5, arbitrary: compares },
      { weight: 3, arbitrary: fc.constantFrom("&&", "||").chain(join) },
      { weight: 2, arbitrary: fc.constantFrom("+", "-", "*", "/", "%").chain(join) },
      {
        weight: 3,
        arbitrary: fc.constantFrom("startsWith", "endsWith", "contains", "indexOf").chain(method),
      },
      { weight: 2, arbitrary: fc.constantFrom("size", "lowerAscii", "trim", "upperAscii").chain(plain) },
      { weight: 1, arbitrary: fc.constantFrom("now.getHours()", 'now.getHours("Asia/Tokyo")', "now") },
      { weight: 1, arbitrary: fields.map((field) => `has(${field})`) },
      { weight: 1, arbitrary: part.map((of) => `!${of}`) },
      { weight: 1, arbitrary: part.map((of) => `-${of}`) },
      { weight: 1, arbitrary: part.map((of) => `size(${of})`) },
      { weight: 1, arbitrary: part.map((of) => `string(${of})`) },
      { weight: 1, arbitrary: fc.tuple(part, part, part).map(([a, b, c]) => `(${a} ? ${b} : ${c})`) },
      { weight: 3, arbitrary: fc.constantFrom("all", "exists", "filter", "map", "exists_one").chain(loop) },
    ),
  };
});

/** Expressions that mostly pass the check, as people write them: conditions over texts, numbers and lists. */
const { condition } = fc.letrec((tie) => {
  const [text, number, list, bool] = ["text", "number", "list", "bool"].map((name) => tie(name)) as [
    fc.Arbitrary<unknown>,
    fc.Arbitrary<unknown>,
    fc.Arbitrary<unknown>,
    fc.Arbitrary<unknown>,
  ];
  const quoted = words.map((word) => JSON.stringify(word));
  const pair = (left: fc.Arbitrary<unknown>, ops: readonly string[], right: fc.Arbitrary<unknown>) =>
    fc.tuple(left, fc.constantFrom(...ops), right).map(([a, op, b]) => `(${a} ${op} ${b})`);
  const ORDER = ["==", "!=", "<", "<=", ">", ">="];
  const tests = fc.constantFrom("startsWith", "endsWith", "contains");
  return {
    text: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom(
        "args.s",
        "args.s",
        "args.m.s",
        "user",
        "tool",
        'args["s"]',
        "x",
        "args.l[0]",
        "args.n",
      ),
      quoted,
      text.map((of) => `${of}.lowerAscii()`),
      pair(text, ["+"], text),
    ),
    number: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom("args.n", "args.n", "args.m.n", "args.s", "x"),
      integers,
      doubles,
      fc.oneof(text, list).map((of) => `${of}.size()`),
      fc.oneof(text, list).map((of) => `size(${of})`),
      fc.constant('now.getHours("Asia/Tokyo")'),
      pair(number, ["+", "-", "*", "/", "%"], number),
    ),
    list: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom("args.l", "args.l", "args.m.l", "groups", "seen", "connections", "args.s", "args.m"),
      fc.array(quoted, { minLength: 1, maxLength: 3 }).map((all) => `[${all.join(", ")}]`),
      fc.array(integers, { minLength: 1, maxLength: 3 }).map((all) => `[${all.join(", ")}]`),
    ),
    bool: fc.oneof(
      { depthSize: "small" },
      fields.map((field) => `has(${field})`),
      pair(text, ORDER, text),
      pair(number, ORDER, number),
      pair(fc.oneof(text, number), ["in"], list),
      fc.tuple(text, tests, text).map(([a, name, b]) => `${a}.${name}(${b})`),
      pair(bool, ["&&", "||"], bool),
      bool.map((of) => `!(${of})`),
      fc.tuple(bool, bool, bool).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
      fc.constantFrom("args.b", "args.m.b"),
    ),
    condition: fc.oneof(
      bool,
      fc
        .tuple(list, fc.constantFrom("all", "exists", "exists_one"), bool)
        .map(([over, name, body]) => `${over}.${name}(x, ${body})`),
      fc.tuple(list, bool).map(([over, body]) => `${over}.filter(x, ${body}).size() > 0`),
    ),
  };
});

const numbers = fc.constantFrom(0, 1, 2, 3, 100, 2.5, -1, -1.5, 2 ** 53);
const json = fc.oneof(words, fc.constantFrom(0, 1, 2.5, -1, 100, 2 ** 53), fc.boolean(), fc.constant(null));
const values = fc.oneof(json, fc.array(json, { maxLength: 3 }), fc.array(words, { maxLength: 3 }));
const objects = fc.dictionary(
  fc.constantFrom("s", "n", "n", "b", "l", "m", "constructor", "__proto__"),
  values,
);
const usual = fc.record({
  s: words,
  n: fc.oneof(numbers, fc.double()),
  b: fc.boolean(),
  l: fc.array(words),
  m: objects,
});
const args = fc.oneof(objects, usual, usual, fc.dictionary(fc.constantFrom("s", "m"), objects));

const outcome = (run: () => boolean): string => {
  try {
    return String(run());
  } catch (error) {
    return `broke: ${error instanceof Error ? error.message : String(error)}`;
  }
};

/** What both ways say of the same expression and calls; nothing where it is refused. */
function compare(text: string, calls: readonly RuleCall[]): void {
  const library = attempt(() => compileByLibrary(text));
  const quick = attempt(() => compileCel(text));
  expect(typeof quick, text).toBe(typeof library);
  if (typeof quick !== "function" || typeof library !== "function") return void expect(quick).toBe(library);
  for (const call of calls) {
    const expected = outcome(() => library(call));
    expect(
      outcome(() => quick(call)),
      `${text} of ${JSON.stringify(call.args)}`,
    ).toBe(expected);
    const decision = Math.random();
    for (let time = 0; time < 2; time++)
      expect(
        outcome(() => quick(call, decision)),
        text,
      ).toBe(expected);
  }
}

const attempt = <T>(make: () => T): T | string => {
  try {
    return make();
  } catch (error) {
    return String(error);
  }
};

describe("an expression of a rule", () => {
  test("over a variable that does not exist is refused with the one that was meant", () => {
    expect(() => compileCel('"finance" in group')).toThrow("Unknown variable: group; did you mean groups?");
  });

  test.each([
    ["any expression", expression],
    ["any condition that people write", condition],
  ])("says what the library says, errors included: %s over any arguments", (_, texts) => {
    fc.assert(
      fc.property(texts, fc.array(args, { minLength: 1, maxLength: 3 }), (text, all) =>
        compare(
          String(text),
          all.map((each) => ({ ...CALL, args: each })),
        ),
      ),
      { numRuns: RUNS },
    );
  });

  test.each([
    "args.n == args.l.size()",
    "args.n != args.l.size() || args.l.size() % 2 == 0",
    "args.n in [1, 2, 3]",
    '"s" in args && args.l.exists(x, x in groups)',
    "args.none == 1",
    "args.none == 1 || args.n == 2",
    "args.l.all(x, x.none)",
    "9223372036854775807 + args.l.size() > 0",
  ])("says what the library says: %s", (text) => {
    compare(text, [
      { ...CALL, args: { s: "a", n: 2, l: ["staff", "b"] } },
      { ...CALL, args: { n: 3, l: [] } },
    ]);
  });
});
