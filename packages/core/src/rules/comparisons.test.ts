/** What looks like something else than it is: no spelling helps a call past a rule that asks or denies, or into one that allows. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ArgumentCondition, RuleCall, RuleEffect } from "./rule.ts";
import { createRuleSet } from "./rule-set.ts";

const call = (args: unknown): RuleCall => ({
  tool: "send",
  ownName: "send",
  capabilityId: "mail",
  risk: "write",
  flow: { reads: [], writes: [], usesSecrets: false, reachesAnyAddress: false },
  args,
  user: "ada@example.com",
  agentId: "a1",
  path: "loop",
  seen: [],
  scopes: [],
  connections: [],
  groups: [],
  counts: new Map(),
  now: new Date("2026-11-16T09:00:00Z"),
});
const meets = (
  effect: RuleEffect,
  op: ArgumentCondition["op"],
  value: ArgumentCondition["value"],
  x: unknown,
) =>
  createRuleSet(
    [{ id: "r", name: "n", tools: ["send"], when: [{ arg: "x", op, value }], effect }],
    () => () => true,
  ).decide(call({ x })) !== undefined;

type Op = ArgumentCondition["op"];
const OPPOSITE: Partial<Record<Op, Op>> = {
  is: "is_not",
  in: "not_in",
  under: "not_under",
  contains: "not_contains",
  starts_with: "not_starts_with",
  ends_with: "not_ends_with",
};

describe.each<[Op, ArgumentCondition["value"], unknown[]]>([
  [
    "ends_with",
    "@example.com",
    [
      "eve@evil.test,ada@example.com",
      "ada@example.com; eve@evil.test",
      "eve@evil.test\nada@example.com",
      "eve@evil.test ada@example.com",
      "eve@evil.test (ada@example.com",
      '"eve@evil.test" <ada@example.com>',
      "<eve@evil.test> @example.com",
      "evil.test!eve@example.com",
      "eve%evil.test@example.com",
      "mailto:ada@example.com?cc=eve@evil.test",
    ],
  ],
  [
    "is",
    "ada@example.com",
    ["Ada@Example.com", "Ada <ada@example.com>", " ada@example.com", "ada+x@example.com", "ada@example.com."],
  ],
  ["in", ["EUR", "USD"], ["eur", " EUR", "ＥＵＲ", "E\u200bUR", { code: "EUR" }]],
  ["is", 666, ["666", "666.0", "+666", "6.66e2"]],
  ["is", "7", [7, "07"]],
  [
    "is",
    "/data/ledger.csv",
    [
      "/data//ledger.csv",
      "/data/./ledger.csv",
      "data/ledger.csv",
      "/data/Ledger.csv",
      "/data/x/../ledger.csv",
      "/data/ledger.csv.",
      "\\data\\ledger.csv",
      "file:///data/ledger.csv",
    ],
  ],
  [
    "under",
    "/etc",
    ["/ETC/x", "file:///etc/x", "/%65tc/x", "/eｔc/x", "/etc\u200b/x", "C:/etc", "~/../etc", "\\etc\\x"],
  ],
  [
    "under",
    "/etc",
    ["", "/%2565tc/x", "/etc./x", "/etc /x", "/etc;/x", "/proc/self/root/etc/x", "//?/C:/etc", "/%c0%afetc"],
  ],
  [
    "under",
    "/reports",
    ["/reports/%2e%2e/etc", "/reports\u200b/x", "~/reports", "/reports/%252e%252e/etc", "/reports/..;/etc"],
  ],
  ["under", "/reports", ["/reports/.. /etc", "/reports/.../etc", "/reports/．．/etc", "/reports/‥/etc"]],
  ["ends_with", ".env", ["/a/.env/", "/a/.env/.", "/a/.env ", "/a/.ｅnv", "/a/.env.", "/a/.env::$DATA"]],
  [
    "starts_with",
    "/etc/",
    ["/x/../etc/y", "file:///etc/x", "\\etc\\x", "/etc/../x", "/etc/%2e%2e/x", "/etc/..%2fx"],
  ],
  ["is", "https://evil.test/x", ["https://a@evil.test/x", "https://evil.test/x#a", "https://evil.test/x?"]],
  [
    "starts_with",
    "https://example.com/docs/",
    [
      "https://example.com/docs/../x",
      "https://example.com/docs/..%2fx",
      "https://example.com/docs/..%5cx",
      "https://example.com/docs/%252e%252e/x",
      "https://example.com/docs/..;/x",
      "https://a:b@example.com/docs/x",
      "ht\ntps://example.com/docs/x",
    ],
  ],
  [
    "contains",
    "drop table",
    ["drop\ttable x", "drop\n table", "dr\u200bop table", "drop%20table", "drop%252520table"],
  ],
  ["contains", "evil.test", ["eve@evil。test", "evil.\ntest"]],
  [
    "contains",
    "pastebin.com",
    ["https://ｐastebin.com", "https://paste\tbin.com", "https://pastebin。com", "https://pastebin%2Ecom"],
  ],
  [
    "starts_with",
    "https://api.example.com",
    [
      "https://api.example.com.evil.test/",
      "https://api.example.com@evil.test/",
      "https://api.example.com\\@evil.test/",
      "https:\\\\api.example.com/x",
      "https:/api.example.com/x",
      " https://api.example.com/x",
    ],
  ],
])("%s %j", (op, value, unclear) => {
  test.each(unclear.map((each) => [each]))("cannot be compared with %j", (given) => {
    for (const each of [op, OPPOSITE[op] ?? op]) {
      expect(meets("deny", each, value, given)).toBe(true);
      expect(meets("allow", each, value, given)).toBe(false);
    }
  });
});

test.each<[Op, ArgumentCondition["value"], unknown, boolean]>([
  ["ends_with", "@example.com", "Ada Lovelace <ada@example.com>", true],
  ["ends_with", "@example.com", '"Smith, Ada" <ada@example.com>', true],
  ["under", "/logs", "/logs/2026-11-19T10:30.txt", true],
  ["under", "/etc", "/a.b/.config/...c", false],
  ["starts_with", "/deploy", "Let us go.", false],
  ["starts_with", "https://münchen.de", "https://xn--mnchen-3ya.de/x", true],
  ["ends_with", "@example.com", "ada@example.com, Bob <bob@EXAMPLE.com.>;", true],
  ["ends_with", "@example.com", "ada+news@example.com", true],
  ["ends_with", "@example.com", "ada@exаmple.com", false],
  ["ends_with", "@example.com", "ada@sub.example.com", false],
  ["ends_with", "@evil.test", "eve＠evil。test", true],
  ["ends_with", "@here", "hello @here", true],
  ["is", "ada@example.com", "bob@example.com", false],
  ["is_not", "ada@example.com", "the team", true],
  ["in", ["EUR", "USD"], "GBP", false],
  ["is", "Müller", "Mu\u0308ller2", false],
  ["under", "/reports", "/reports/My%20File.md", true],
  ["under", "/", "/anything", true],
  ["not_under", "/etc", "/app/routes/$id.tsx", true],
  ["starts_with", "https://api.example.com", "https://api.example.com", true],
  ["starts_with", "https://api.example.com", "https://API.example.com/x?y#z", true],
  ["starts_with", "https://api.example.com/", "https://api.example.com/a//b", true],
  ["contains", "geheim", "Das ist geheim, größer\nund länger", true],
])("%s %j is compared with %j", (op, value, given, holds) => {
  expect([meets("deny", op, value, given), meets("allow", op, value, given)]).toEqual([holds, holds]);
});

test.each<[Op, ArgumentCondition["value"]]>([
  ["is", "a"],
  ["above", 1],
  ["under", "/a"],
  ["ends_with", "@example.com"],
])("an empty list, or one with nothing in it, never helps a call: %s %j", (op, value) => {
  for (const given of [[], [null], [[]]]) {
    expect(meets("deny", op, value, given)).toBe(true);
    expect(meets("allow", op, value, given)).toBe(false);
  }
});

test("an item of a list without the field never helps a call", () => {
  const items = [{ amount: 5 }, {}];
  const of = (effect: RuleEffect, op: Op, value?: number) =>
    createRuleSet(
      [{ id: "r", name: "n", tools: ["send"], when: [{ arg: "items.amount", op, value }], effect }],
      () => () => true,
    );
  for (const rest of [{}, { amount: null }, "text", null]) {
    const args = { items: [items[0], rest] };
    expect(of("allow", "at_most", 100).decide(call(args))).toBeUndefined();
    expect(of("allow", "exists").decide(call(args))).toBeUndefined();
    expect(of("allow", "missing").decide(call(args))).toBeUndefined();
    expect(of("ask", "above", 100).decide(call(args))).toBeDefined();
    expect(of("deny", "exists").decide(call(args))).toBeDefined();
    expect(of("deny", "missing").decide(call(args))).toBeDefined();
  }
  expect(of("allow", "at_most", 100).decide(call({ items: [items[0]] }))).toBeDefined();
  expect(of("allow", "exists").decide(call({ items: [items[0]] }))).toBeDefined();
  expect(of("ask", "above", 100).decide(call({ items: [items[0]] }))).toBeUndefined();
});

test("items of lists in lists are compared, too", () => {
  expect(meets("deny", "is", "secret", [["a"], [["secret"]]])).toBe(true);
  expect(meets("allow", "is", "a", [["a"], ["b"]])).toBe(false);
  expect(meets("allow", "is", "a", [["a"], ["a"]])).toBe(true);
});

test("what an operator allows, its opposite denies, whatever the text", () => {
  const piece = fc.constantFrom(
    "a",
    "@",
    ".",
    "/",
    "..",
    " ",
    ",",
    "<",
    ">",
    "%2e",
    "\u200b",
    "Ａ",
    "https:",
    "com",
    "\n",
  );
  const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(text, text, fc.constantFrom(...Object.entries(OPPOSITE)), (value, given, [op, opposite]) => {
      const allowed = meets("allow", op as Op, value, given);
      if (allowed) expect(meets("deny", opposite, value, given)).toBe(false);
      if (!meets("deny", op as Op, value, given)) expect(meets("allow", op as Op, value, given)).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});
