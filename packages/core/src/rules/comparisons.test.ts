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
      '"Smith, Ada" <ada@example.com>',
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
    ],
  ],
  [
    "under",
    "/etc",
    ["/ETC/x", "file:///etc/x", "/%65tc/x", "/eｔc/x", "/etc\u200b/x", "C:/etc", "~/../etc", "\\etc\\x"],
  ],
  ["under", "/reports", ["/reports/%2e%2e/etc", "/reports\u200b/x", "~/reports"]],
  ["ends_with", ".env", ["/a/.env/", "/a/.env/.", "/a/.env ", "/a/.ｅnv"]],
  ["contains", "drop table", ["drop\ttable x", "drop\n table", "dr\u200bop table", "drop%20table"]],
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
