import { describe, expect, test } from "vitest";
import type { ToolFields } from "./lost-fields.ts";
import type { Rule, RuleCall, RuleCondition, SavedEffect } from "./rule.ts";
import { createRuleSet } from "./rule-set.ts";

const schemaOf = (...names: string[]) => ({
  jsonSchema: {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, { type: "object", properties: { size: {} } }])),
  },
});
const OLD = schemaOf("to", "attachment");
const NEW = schemaOf("to", "attachments");
const tool = (name: string, schema = NEW): ToolFields => ({
  name,
  capabilityId: "mail",
  inputSchema: schema.jsonSchema,
});
const rule = (effect: SavedEffect, when: RuleCondition[], tools: string[] = ["send_mail"]): Rule => ({
  id: "r",
  name: "Attachments",
  tools,
  when,
  effect,
});
const call = (schema: RuleCall["schema"], more: Partial<RuleCall> = {}): RuleCall => ({
  tool: "send_mail",
  ownName: "send_mail",
  capabilityId: "mail",
  risk: "write",
  flow: { reads: [], writes: [], usesSecrets: false, reachesAnyAddress: false },
  args: {},
  schema,
  user: "ada@example.com",
  agentId: "a1",
  path: "loop",
  seen: [],
  scopes: [],
  connections: [],
  groups: [],
  counts: new Map(),
  now: new Date("2026-11-16T09:00:00Z"),
  ...more,
});
const compile = () => Object.assign(() => false, { fields: [{ path: ["attachment"], isAsked: true }] });
const decide = (given: Rule, asked: RuleCall, tools: ToolFields[] = [tool("send_mail")]) =>
  createRuleSet([given], compile, { tools: () => tools }).decide(asked);

describe("a rule over an argument that a new version of its tool took away", () => {
  test.each<[SavedEffect, RuleCondition]>([
    ["deny", { arg: "attachment", op: "exists" }],
    ["ask", { arg: "attachment.size", op: "above", value: 1 }],
    ["allow", { arg: "attachment", op: "missing" }],
    ["deny", { expr: "has(args.attachment)" }],
  ])("is broken: %s when %j denies", (effect, condition) => {
    expect(decide(rule(effect, [condition]), call(NEW))).toMatchObject({
      effect: "deny",
      why: expect.stringContaining('the rule "Attachments" broke: send_mail has no argument "attachment'),
    });
    expect(decide(rule(effect, [condition], ["capability:mail"]), call(NEW))?.effect).toBe("deny");
  });

  test("denies those calls only that its other conditions are for", () => {
    const bobs = rule("deny", [{ user: "bob@example.com" }, { arg: "attachment", op: "exists" }]);
    expect(decide(bobs, call(NEW))).toBeUndefined();
    expect(decide(bobs, call(NEW, { user: "bob@example.com" }))?.effect).toBe("deny");
  });

  test("is what it was for agents that keep the version before, and again when the argument is back", () => {
    const set = createRuleSet([rule("deny", [{ arg: "attachment", op: "exists" }])], compile, {
      tools: () => [tool("send_mail")],
    });
    const effects = [OLD, NEW, OLD].map((schema) => set.decide(call(schema))?.effect);
    expect(effects).toEqual([undefined, "deny", undefined]);
  });
});

test.each<[string, string[], ToolFields[]]>([
  ["another tool of the rule has it", ["send_mail", "forward"], [tool("send_mail"), tool("forward", OLD)]],
  ["a tool of the rule is not there", ["send_mail", "forward"], [tool("send_mail")]],
  ["the rule is for tools of all kinds", ["risk:write"], [tool("send_mail")]],
  ["the rule is for tools by the start of their names", ["send_*"], [tool("send_mail")]],
])("a rule is not broken for a tool without the argument where %s", (_why, tools, known) => {
  const given = rule("deny", [{ arg: "attachment", op: "exists" }], tools);
  expect(decide(given, call(NEW), known)).toBeUndefined();
});
