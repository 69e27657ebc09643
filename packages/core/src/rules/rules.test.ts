import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ruleFaults } from "./check-rule.ts";
import type { Rule, RuleCall, RuleCondition, SavedEffect } from "./rule.ts";
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
  scopes: [],
  connections: [],
  groups: [],
  counts: new Map(),
  now: NOW,
  ...more,
});
let made = 0;
const rule = (effect: SavedEffect, when: RuleCondition[] = [], more: Partial<Rule> = {}): Rule => ({
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
  test.each<[string, RuleCondition, unknown]>([
    [
      "a path that climbs out of the folder",
      { arg: "path", op: "under", value: "/reports" },
      { path: "/reports/../etc" },
    ],
    [
      "a path that climbs into the folder",
      { arg: "path", op: "under", value: "/etc" },
      { path: "/reports/../etc/x" },
    ],
    ["a path that climbs anywhere", { arg: "path", op: "not_under", value: "/etc" }, { path: "/a/../etc/x" }],
    ["a sum in words", { arg: "amount", op: "above", value: 100 }, { amount: "5000" }],
    ["a sum in words, below", { arg: "amount", op: "below", value: 100 }, { amount: "5" }],
    ["a text that is none", { arg: "to", op: "not_ends_with", value: "@x.com" }, { to: { mail: "a@y.com" } }],
    [
      "a text that is none, contained",
      { arg: "to", op: "contains", value: "y" },
      { to: { mail: "a@y.com" } },
    ],
  ])("meets what is strict, and nothing that allows: %s", (_what, condition, args) => {
    expect(decide([rule("deny", [condition])], call(args))).toBe("deny");
    expect(decide([rule("ask", [condition])], call(args))).toBe("ask");
    expect(decide([rule("allow", [condition])], call(args))).toBeUndefined();
  });

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
    ["until the day is over", { when: [{ time: { from: "08:00", to: "24:00", days: ["mon"] } }] }, {}, true],
    ["never", { when: [{ time: { from: "09:00", to: "09:00" } }] }, {}, false],
    [
      "in the night that began the day before",
      { when: [{ time: { from: "22:00", to: "10:00", days: ["sun"] } }] },
      {},
      true,
    ],
    [
      "in the night that begins on this day",
      { when: [{ time: { from: "22:00", to: "10:00", days: ["mon"] } }] },
      {},
      false,
    ],
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
    [
      rule("limit", [{ not_group: "finance" }], {
        limit: { calls: 5, per: "hour", each: "user", over: "ask" },
      }),
      "Ask before more than 5 calls an hour for each user of write_file when the user is not in finance.",
    ],
    [
      rule("deny", [{ often: { op: "above", calls: 1, per: "day" } }], { tools: ["connection:google"] }),
      "Deny every tool that uses a google account when it is more than 1 call a day.",
    ],
    [
      rule("deny", [{ connection: "google" }, { scope: "Mail.Send" }]),
      "Deny write_file when the tool uses an account at google and the tool needs the scope Mail.Send.",
    ],
  ])("reads as a sentence", (given, sentence) => {
    expect(ruleSentence(given)).toBe(sentence);
  });
});

describe("rules together", () => {
  interface Drawn {
    readonly effect: SavedEffect;
    readonly amount: number;
    readonly breaks: boolean;
    readonly isOwn: boolean;
  }
  const effects = fc.array(
    fc.record<Drawn>({
      effect: fc.constantFrom<SavedEffect>("allow", "ask", "deny", "limit"),
      amount: fc.integer({ min: 0, max: 20 }),
      breaks: fc.boolean(),
      isOwn: fc.boolean(),
    }),
    { maxLength: 12 },
  );
  const toRule = ({ effect, amount, breaks, isOwn }: Drawn) =>
    rule(
      effect,
      breaks && amount > 15 ? [{ expr: "x" }] : [{ arg: "amount", op: "at_least", value: amount }],
      {
        ...(effect === "limit" && { limit: { calls: 1 + (amount % 3), per: "hour", over: "ask" } }),
        ...(isOwn && effect !== "allow" && { owner: "ada@example.com" }),
      },
    );
  const strictness = (effect: string | undefined) => ["allow", undefined, "ask", "deny"].indexOf(effect);
  /** Two calls were made before. */
  const rank = (rules: Rule[], amount: number) =>
    decide(rules, call({ amount }, { counts: new Map(rules.map(({ id }) => [id, 2])) }), () => broken);

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

describe("a user's own rule", () => {
  const own = (effect: SavedEffect, when: RuleCondition[] = []) =>
    rule(effect, when, { owner: "ada@example.com" });

  test("is for their calls only", () => {
    expect(decide([own("deny")], call({}))).toBe("deny");
    expect(decide([own("deny")], call({}, { user: "bob@example.com" }))).toBeUndefined();
  });

  test("never allows, also when it was stored so, and takes no default's place", () => {
    expect(decide([own("allow")], call({}))).toBe("deny");
    const sent = call(
      {},
      {
        seen: ["untrusted", "private"],
        flow: { reads: [], writes: ["external"], usesSecrets: false, reachesAnyAddress: false },
      },
    );
    const labels: RuleCondition[] = [{ seen: "untrusted" }, { seen: "private" }];
    expect(decide([own("ask", labels)], sent)).toBe("deny");
    expect(decide([rule("ask", labels)], sent)).toBe("ask");
  });

  test("asks after one for everybody, whose words and deadline count", () => {
    const everybodys = rule("ask", [], { words: "everybody's" });
    const set = createRuleSet([own("ask"), everybodys, own("ask")], broken);
    expect(set.decide(call({}))?.why).toBe("everybody's");
  });
});

describe("a rule that counts", () => {
  const limit = { calls: 2, per: "hour" as const };

  test("denies when its calls were not counted", () => {
    expect(decide([rule("limit", [], { limit: { ...limit, over: "ask" } })], call({}))).toBe("deny");
  });

  test.each<[string, Partial<Rule>, number, string | undefined]>([
    ["limit, below", { effect: "limit", limit }, 1, undefined],
    ["limit, reached", { effect: "limit", limit }, 2, "deny"],
    ["limit that asks", { effect: "limit", limit: { ...limit, over: "ask" } }, 2, "ask"],
    ["allow up to", { effect: "allow", when: [{ often: { op: "at_most", ...limit } }] }, 1, "allow"],
    ["allow no more", { effect: "allow", when: [{ often: { op: "at_most", ...limit } }] }, 2, undefined],
    ["ask above", { effect: "ask", when: [{ often: { op: "above", ...limit } }] }, 2, "ask"],
  ])("%s", (_, fields, before, expected) => {
    const counting = { ...rule("deny"), ...fields };
    expect(decide([counting], call({}, { counts: new Map([[counting.id, before]]) }))).toBe(expected);
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
      scopes: ["Bank.Pay"],
      connections: ["bank"],
      inputSchema: {
        type: "object",
        required: ["to"],
        properties: {
          amount: { type: "number" },
          to: { type: "array", items: { type: "string" } },
          kind: { anyOf: [{ enum: ["wire"] }, { const: "card" }] },
          order: { type: "object", properties: { total: { type: "integer" } } },
        },
      },
    },
  ];
  const OFTEN = { op: "above", calls: 1, per: "day" } as const;
  const readable = (text: string) => (text === "broken" ? broken() : () => true);
  const faults = (when: RuleCondition[], named = ["pay"]) =>
    ruleFaults({ tools: named, when, effect: "ask" }, tools, readable).map(
      ({ path, message }) => `${path}: ${message}`,
    );

  test.each([
    ["pya", 'no tool is called "pya"; did you mean pay?'],
    ["scope:Bank.Pya", 'no tool is called "scope:Bank.Pya"; did you mean scope:Bank.Pay?'],
    ["connection:bnak", 'no tool is called "connection:bnak"; did you mean connection:bank?'],
    [
      "writes:extrenal",
      'no tool is called "writes:extrenal"; did you mean writes:external or writes:internal?',
    ],
  ])("the tools %j are refused with what was meant", (pattern, message) => {
    expect(faults([], [pattern])).toEqual([`tools[0]: ${message}`]);
  });

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
    [[{ arg: "kind", op: "is_not", value: "wire" }], []],
    [
      [{ arg: "kind", op: "is", value: "wrie" }],
      ['when[0].value: "wrie" is no value of it; did you mean wire?'],
    ],
    [[{ arg: "to", op: "in", value: [] }], ["when[0].value: an empty list never matches"]],
    [[{ arg: "to", op: "contains", value: "" }], ["when[0].value: an empty text is part of every text"]],
    [
      [{ arg: "to", op: "under", value: "../x" }],
      [`when[0].value: "../x" is not a path in the session: '..' is not allowed`],
    ],
    [
      [{ time: { from: "08:00", to: "08:00" } }],
      ["when[0].time: no time is between 08:00 and 08:00; a whole day is 00:00 to 24:00"],
    ],
    [[{ time: { from: "00:00", to: "24:00", days: ["sun"] } }], []],
    [[{ arg: "amount", op: "exists", value: 1 }], ['when[0].value: "exists" takes no value']],
    [[{ expr: "broken" }], ["when[0].expr: not understood"]],
    [[{ seen: "untrusted" }], []],
    [[{ connection: "bank" }, { scope: "Bank.Pay" }, { group: "finance" }], []],
    [[{ connection: "bnk" }], ['when[0].connection: none of its tools uses "bnk"; did you mean bank?']],
    [[{ often: OFTEN }, { often: OFTEN }], ["when[1].often: a rule may count only once"]],
  ])("%j: %j", (when, expected) => {
    expect(faults(when)).toEqual(expected);
  });

  test("an unknown tool is refused with the nearest", () => {
    expect(faults([], ["pai"])).toEqual(['tools[0]: no tool is called "pai"; did you mean pay?']);
  });
});
