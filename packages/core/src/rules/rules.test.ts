import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ruleFaults } from "./check-rule.ts";
import { narrowestRule } from "./narrow-rule.ts";
import type { Rule, RuleCall, RuleCondition, RuleEffect } from "./rule.ts";
import { ruleSentence } from "./rule-sentence.ts";
import { createRuleSet } from "./rule-set.ts";

const NOW = new Date("2026-11-16T09:00:00Z");
const broken = () => {
  throw new Error("not understood");
};
const call = (args: unknown, more: Partial<RuleCall> = {}): RuleCall => ({
  tool: "write_file",
  ownName: "write_file",
  capabilityId: "session_file_system",
  risk: "write",
  flow: { reads: [], writes: ["internal"], usesSecrets: false, reachesAnyAddress: false },
  args,
  user: "ada@example.com",
  agentId: "a1",
  path: "loop",
  seen: [],
  now: NOW,
  ...more,
});
let made = 0;
const rule = (effect: RuleEffect, when: RuleCondition[] = [], more: Partial<Rule> = {}): Rule => ({
  id: `r${++made}`,
  name: `rule ${made}`,
  tools: ["write_file"],
  when,
  effect,
  ...more,
});
const decide = (rules: Rule[], asked: RuleCall, compile = () => () => true): string | undefined =>
  createRuleSet(rules, compile).decide(asked)?.effect;

describe("a condition on an argument", () => {
  test.each<[string, RuleCondition, unknown, boolean]>([
    [
      "a path in the folder",
      { arg: "path", op: "under", value: "/reports" },
      { path: "/reports/a.md" },
      true,
    ],
    ["the folder itself", { arg: "path", op: "under", value: "/reports" }, { path: "/reports" }, true],
    [
      "a folder with a longer name",
      { arg: "path", op: "under", value: "/reports" },
      { path: "/reports2/a" },
      false,
    ],
    [
      "a path that climbs out",
      { arg: "path", op: "under", value: "/reports" },
      { path: "/reports/../etc" },
      false,
    ],
    [
      "a path that climbs out, denied",
      { arg: "path", op: "not_under", value: "/reports" },
      { path: "/reports/../etc" },
      true,
    ],
    ["a sum above", { arg: "amount", op: "above", value: 100 }, { amount: 100.01 }, true],
    ["a sum that is not", { arg: "amount", op: "above", value: 100 }, { amount: 100 }, false],
    ["a sum at most", { arg: "amount", op: "at_most", value: 100 }, { amount: 100 }, true],
    ["one of a list", { arg: "currency", op: "in", value: ["EUR", "USD"] }, { currency: "EUR" }, true],
    ["none of a list", { arg: "currency", op: "not_in", value: ["EUR"] }, { currency: "GBP" }, true],
    [
      "the end of an address",
      { arg: "to", op: "ends_with", value: "@example.com" },
      { to: "Bob@EXAMPLE.com" },
      true,
    ],
    ["a nested field", { arg: "order.total", op: "at_least", value: 5 }, { order: { total: 5 } }, true],
    ["a field that is given", { arg: "note", op: "exists" }, { note: "x" }, true],
    ["a field that is not", { arg: "note", op: "missing" }, {}, true],
  ])("knows %s", (_what, condition, args, holds) => {
    expect(decide([rule("ask", [condition])], call(args))).toBe(holds ? "ask" : undefined);
  });

  test("for a list, `allow` needs every item and `ask` any", () => {
    const inside: RuleCondition = { arg: "to", op: "ends_with", value: "@x.com" };
    const outside: RuleCondition = { arg: "to", op: "not_ends_with", value: "@x.com" };
    const mixed = call({ to: ["a@x.com", "b@evil.example"] });
    expect(decide([rule("allow", [inside])], mixed)).toBeUndefined();
    expect(decide([rule("ask", [outside])], mixed)).toBe("ask");
  });

  test("a missing argument meets ask and deny, and never allow", () => {
    const above: RuleCondition = { arg: "amount", op: "above", value: 100 };
    expect(decide([rule("deny", [above])], call({}))).toBe("deny");
    expect(decide([rule("allow", [above])], call({}))).toBeUndefined();
  });
});

describe("a rule", () => {
  test.each<[string, Partial<Rule>, Partial<RuleCall>, boolean]>([
    ["of another agent", { agentId: "a2" }, {}, false],
    ["of this agent", { agentId: "a1" }, {}, true],
    ["for every tool", { tools: ["*"] }, { tool: "anything", ownName: "anything" }, true],
    ["for a capability", { tools: ["capability:session_file_system"] }, {}, true],
    ["for a risk", { tools: ["risk:irreversible"] }, {}, false],
    ["by the start of a name", { tools: ["write_*"] }, {}, true],
    ["by the tool's own name behind a prefix", {}, { tool: "my_write_file" }, true],
    ["that expired", { expiresAt: NOW }, {}, false],
    ["that expires later", { expiresAt: new Date(NOW.getTime() + 1) }, {}, true],
    ["for another user", { when: [{ user: "bob@example.com" }] }, {}, false],
    ["for a user, in other case", { when: [{ user: ["ADA@example.com"] }] }, {}, true],
    ["for calls by MCP", { when: [{ path: ["mcp", "rest"] }] }, { path: "mcp" }, true],
    ["for calls by MCP, of the loop", { when: [{ path: "mcp" }] }, {}, false],
    ["in office hours", { when: [{ time: { from: "08:00", to: "18:00" } }] }, {}, true],
    ["until just now", { when: [{ time: { from: "08:00", to: "09:00" } }] }, {}, false],
    ["over midnight", { when: [{ time: { from: "22:00", to: "10:00" } }] }, {}, true],
    ["in another zone", { when: [{ time: { from: "08:00", to: "18:00", zone: "Asia/Tokyo" } }] }, {}, false],
    ["on a weekday", { when: [{ time: { from: "00:00", to: "23:59", days: ["mon"] } }] }, {}, true],
    ["at the weekend", { when: [{ time: { from: "00:00", to: "23:59", days: ["sat", "sun"] } }] }, {}, false],
    [
      "in a zone that does not exist",
      { when: [{ time: { from: "08:00", to: "18:00", zone: "Mars" } }] },
      {},
      true,
    ],
    ["after untrusted data", { when: [{ seen: "untrusted" }] }, { seen: ["untrusted"] }, true],
    ["after untrusted data that was not read", { when: [{ seen: "untrusted" }] }, {}, false],
  ])("%s", (_what, given, asked, holds) => {
    expect(decide([rule("deny", [], given)], call({}, asked))).toBe(holds ? "deny" : undefined);
  });

  test("that cannot be read, or breaks, denies, also when it was meant to allow", () => {
    const expr = [{ expr: "x" }];
    expect(decide([rule("allow", expr)], call({}), broken)).toBe("deny");
    expect(decide([rule("allow", expr)], call({}), () => broken)).toBe("deny");
    expect(decide([rule("ask"), rule("allow", expr)], call({}), () => broken)).toBe("deny");
  });

  test("that asks somebody by name counts before one that asks the user, in whatever order", () => {
    const [anybody, bob] = [rule("ask"), rule("ask", [], { ask: { whom: "bob@example.com" } })];
    for (const rules of [
      [anybody, bob],
      [bob, anybody],
    ])
      expect(createRuleSet(rules, () => () => true).decide(call({}))?.rule.ask?.whom).toBe("bob@example.com");
  });

  test.each<[Pick<Rule, "tools" | "when" | "effect" | "ask">, string]>([
    [
      rule("deny", [{ arg: "path", op: "not_under", value: "/reports" }]),
      'Deny write_file when path is not under "/reports".',
    ],
    [
      rule("ask", [{ arg: "amount", op: "above", value: 100 }, { seen: "untrusted" }], {
        tools: ["pay", "refund"],
      }),
      "Ask before pay or refund when amount is above 100 and the conversation has read untrusted data.",
    ],
    [rule("allow", [], { tools: ["*"] }), "Allow every tool."],
    [
      rule(
        "ask",
        [{ time: { from: "18:00", to: "08:00", days: ["sat"], zone: "Europe/Berlin" } }, { path: "mcp" }],
        { ask: { whom: "admin" } },
      ),
      "Ask an admin before write_file when it is 18:00 to 08:00 on sat in Europe/Berlin and the call comes by mcp.",
    ],
  ])("reads as a sentence", (given, sentence) => {
    expect(ruleSentence(given)).toBe(sentence);
  });
});

describe("rules together", () => {
  const effects = fc.array(
    fc.record({
      effect: fc.constantFrom<RuleEffect>("allow", "ask", "deny"),
      amount: fc.integer({ min: 0, max: 20 }),
      breaks: fc.boolean(),
    }),
    { maxLength: 12 },
  );
  const toRule = ({ effect, amount, breaks }: { effect: RuleEffect; amount: number; breaks: boolean }) =>
    rule(
      effect,
      breaks && amount > 15 ? [{ expr: "x" }] : [{ arg: "amount", op: "at_least", value: amount }],
    );
  const strictness = (effect: string | undefined) => ["allow", undefined, "ask", "deny"].indexOf(effect);
  const rank = (rules: Rule[], amount: number) => decide(rules, call({ amount }), () => broken);

  test("their order does not matter", () => {
    fc.assert(
      fc.property(effects, fc.integer({ min: 0, max: 20 }), fc.integer(), (given, amount, seed) => {
        const rules = given.map(toRule);
        const shuffled = [...rules].sort((a, b) => (a.id + seed > b.id + seed ? 1 : -1)).reverse();
        expect(rank(shuffled, amount)).toBe(rank(rules, amount));
      }),
    );
  });

  test("one more never allows more than the strictest of them", () => {
    fc.assert(
      fc.property(effects, effects, fc.integer({ min: 0, max: 20 }), (some, more, amount) => {
        const before = rank(some.map(toRule), amount);
        const after = rank([...some, ...more].map(toRule), amount);
        if (before === "ask" || before === "deny")
          expect(strictness(after)).toBeGreaterThanOrEqual(strictness(before));
      }),
    );
  });
});

describe("before a rule is saved", () => {
  const tools = [
    {
      name: "pay",
      ownName: "pay",
      capabilityId: "bank",
      risk: "irreversible",
      flow: { reads: [], writes: ["external"] as const, usesSecrets: true, reachesAnyAddress: false },
      inputSchema: {
        type: "object",
        required: ["to"],
        properties: {
          amount: { type: "number" },
          to: { type: "array", items: { type: "string" } },
          order: { type: "object", properties: { total: { type: "integer" } } },
        },
      },
    },
  ];
  const readable = (text: string) => (text === "broken" ? broken() : () => true);
  const faults = (when: RuleCondition[], named = ["pay"]) =>
    ruleFaults({ tools: named, when, effect: "ask" }, tools, readable).map(
      ({ path, message }) => `${path}: ${message}`,
    );

  test.each<[RuleCondition[], string[]]>([
    [[{ arg: "amount", op: "above", value: 100 }], []],
    [[{ arg: "to", op: "ends_with", value: "@x.com" }], []],
    [[{ arg: "order.total", op: "at_least", value: 5 }], []],
    [
      [{ arg: "amunt", op: "above", value: 100 }],
      ['when[0].arg: no such argument "amunt"; did you mean amount?'],
    ],
    [
      [{ arg: "amount", op: "under", value: "/x" }],
      ['when[0].op: "under" does not fit amount, which is a number'],
    ],
    [
      [{ arg: "amount", op: "above", value: "100" }],
      ["when[0].value: expected a number, as the argument is"],
    ],
    [[{ arg: "amount", op: "above" }], ["when[0].value: missing"]],
    [[{ arg: "amount", op: "exists", value: 1 }], ['when[0].value: "exists" takes no value']],
    [
      [{ expr: "args.amount > 1" }],
      ["when[0].expr: args.amount may be missing in a call of pay; write has(args.amount) && ..."],
    ],
    [[{ expr: "has(args.amount) && args.amount > 1 && size(args.to) > 1" }], []],
    [[{ expr: "broken" }], ["when[0].expr: not understood"]],
    [[{ seen: "untrusted" }], []],
  ])("%j: %j", (when, expected) => {
    expect(faults(when)).toEqual(expected);
  });

  test("an unknown tool is refused with the nearest", () => {
    expect(faults([], ["pai"])).toEqual(['tools[0]: no tool is called "pai"; did you mean pay?']);
  });
});

test("the narrowest rule allows its own call, and no other folder, sum or recipient", () => {
  const schema = {
    type: "object",
    properties: { path: { type: "string", description: "Path of the file" } },
  };
  const args = { path: "/reports/q3/a.md", amount: 50, to: ["a@x.com"], urgent: true, body: "long\ntext" };
  const { when, open, effect, tools } = narrowestRule("write_file", args, schema);
  expect(open).toEqual(["body"]);
  const set = createRuleSet([{ id: "r", name: "n", tools, when, effect }], broken);
  const decided = (more: object) => set.decide(call({ ...args, ...more }))?.effect;
  expect(decided({})).toBe("allow");
  for (const other of [
    { path: "/reports/b.md" },
    { amount: 51 },
    { to: ["b@x.com"] },
    { to: ["a@x.com", "b@x.com"] },
    { urgent: false },
  ])
    expect(decided(other)).toBeUndefined();
});
