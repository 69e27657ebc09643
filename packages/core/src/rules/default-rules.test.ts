import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DATA_LABELS, type DataFlow, type DataLabel } from "../data-flow/data-flow.ts";
import { DEFAULT_RULES } from "./default-rules.ts";
import type { Rule, RuleCall, RuleEffect } from "./rule.ts";
import { createRuleSet } from "./rule-set.ts";

const SENDS: DataFlow = { reads: [], writes: ["external"], usesSecrets: false, reachesAnyAddress: false };
const call = (
  seen: readonly DataLabel[],
  flow: Partial<DataFlow> = {},
  more: Partial<RuleCall> = {},
): RuleCall => ({
  tool: "send_mail",
  ownName: "send_mail",
  capabilityId: "mail",
  risk: "write",
  flow: { ...SENDS, ...flow },
  args: { to: "eve@example.com" },
  user: "ada@example.com",
  agentId: "a1",
  path: "loop",
  seen,
  scopes: [],
  connections: [],
  groups: [],
  counts: new Map(),
  now: new Date("2026-11-16T09:00:00Z"),
  ...more,
});
const noExpressions = () => () => true;
const decide = (rules: readonly Rule[], asked: RuleCall): RuleEffect | undefined =>
  createRuleSet(rules, noExpressions).decide(asked)?.effect;
const rule = (effect: RuleEffect, when: Rule["when"] = [], more: Partial<Rule> = {}): Rule => ({
  id: "r",
  name: "a rule",
  tools: ["send_mail"],
  when,
  effect,
  ...more,
});
const untrusted = { seen: "untrusted" } as const;
const secret = { seen: "private" } as const;

describe("the default rules", () => {
  test.each<[string, RuleCall, RuleEffect | undefined]>([
    ["nothing was read", call([]), undefined],
    ["private data was read", call(["private"]), undefined],
    ["untrusted content was read", call(["untrusted"]), "ask"],
    ["both were read", call(["untrusted", "private"]), "deny"],
    [
      "both were read, and nothing leaves",
      call(["untrusted", "private"], { writes: ["internal"] }),
      undefined,
    ],
    ["a change with a credential", call(["untrusted"], { writes: ["internal"], usesSecrets: true }), "ask"],
    ["reading with a credential", call(["untrusted"], { writes: [], usesSecrets: true }), undefined],
    [
      "an address of the model's choice",
      call(["untrusted"], { writes: [], reachesAnyAddress: true }),
      undefined,
    ],
    ["an address after both", call(["untrusted", "private"], { writes: [], reachesAnyAddress: true }), "ask"],
    ["a call that an operator arranged", call(["untrusted", "private"], {}, { isArranged: true }), undefined],
  ])("%s", (_what, asked, effect) => {
    expect(decide([], asked)).toBe(effect);
  });

  test.each<[string, Rule[], DataLabel[], RuleEffect]>([
    ["an allowance that speaks of no label lifts nothing", [rule("allow")], ["untrusted"], "ask"],
    ["one that names the label lifts the question", [rule("allow", [untrusted])], ["untrusted"], "allow"],
    ["it does not lift the refusal", [rule("allow", [untrusted])], ["untrusted", "private"], "deny"],
    ["one that names both does", [rule("allow", [untrusted, secret])], ["untrusted", "private"], "allow"],
    ["a question in its place", [rule("ask", [untrusted, secret])], ["untrusted", "private"], "ask"],
    ["a denial stays a denial", [rule("allow", [untrusted]), rule("deny")], ["untrusted"], "deny"],
    [
      "an expression that names both",
      [rule("allow", [{ expr: `"untrusted" in seen && 'private' in seen` }])],
      ["untrusted", "private"],
      "allow",
    ],
    [
      "an allowance for another agent lifts nothing",
      [rule("allow", [untrusted], { agentId: "a2" })],
      ["untrusted"],
      "ask",
    ],
    [
      "an expired one lifts nothing",
      [rule("allow", [untrusted], { expiresAt: new Date(0) })],
      ["untrusted"],
      "ask",
    ],
  ])("%s", (_what, rules, seen, effect) => {
    expect(decide(rules, call(seen))).toBe(effect);
  });

  test("reading more never allows more, whatever rules are saved without labels, in whatever order", () => {
    const strictness = { none: 0, allow: 0, ask: 1, deny: 2 };
    const saved = fc.array(
      fc.record({
        effect: fc.constantFrom<RuleEffect>("allow", "ask", "deny"),
        tools: fc.constantFrom(["send_mail"], ["*"], ["other"]),
      }),
    );
    const labels = fc.subarray([...DATA_LABELS]);
    fc.assert(
      fc.property(saved, labels, labels, fc.boolean(), (drafts, first, second, usesSecrets) => {
        const rules = drafts.map(({ effect, tools }) => rule(effect, [], { tools }));
        const more = DATA_LABELS.filter((label) => first.includes(label) || second.includes(label));
        const of = (seen: readonly DataLabel[], set: readonly Rule[]) =>
          strictness[decide(set, call(seen, { usesSecrets })) ?? "none"];
        expect(of(more, rules)).toBeGreaterThanOrEqual(of(first, rules));
        expect(of(first, rules.toReversed())).toBe(of(first, rules));
        expect(of(more.toReversed(), rules)).toBe(of(more, rules));
      }),
    );
  });

  test("each says in words what it does", () => {
    for (const { words, name } of DEFAULT_RULES) expect([words, name].every(Boolean)).toBe(true);
  });
});
