import { expect, test } from "vitest";
import { argumentKinds, draftOf, operatorsOf, ruleOf, typedValue } from "./rule-draft.ts";

const schema = {
  type: "object",
  properties: {
    amount: { type: "number" },
    to: { type: "array", items: { type: "string" } },
    urgent: { type: "boolean" },
    size: { enum: ["small", "large"] },
    order: { type: "object", properties: { id: { type: "string" } } },
  },
};

test("arguments have the kind of value that their schema allows", () => {
  expect([...argumentKinds(schema)]).toEqual([
    ["amount", "number"],
    ["to", "text"],
    ["urgent", "toggle"],
    ["size", "text"],
    ["order", "other"],
  ]);
  expect(operatorsOf("number")).not.toContain("under");
});

test.each([
  ["100", "number", "above", 100],
  ["a@x.com, b@x.com", "text", "in", ["a@x.com", "b@x.com"]],
  ["true", "toggle", "is", true],
  ["/reports", "text", "under", "/reports"],
] as const)("%s as a %s behind %s is %j", (text, kind, op, value) => {
  expect(typedValue(text, kind, op)).toEqual(value);
});

test("a rule is shown and sent back unchanged, with its sentence for a name where there is none", () => {
  const rule = {
    name: "Small sums",
    agent_id: null,
    tools: ["pay"],
    when: [{ arg: "amount", op: "above" as const, value: 100 }],
    then: "ask" as const,
    limit: null,
    ask: { whom: "admin", expiry: { policy: "wait" as const } },
    words: null,
    expires_at: "2026-12-24T23:59:59.000Z",
  };
  expect(ruleOf(draftOf(rule), "Ask.", rule.ask)).toEqual(rule);
  expect(ruleOf({ ...draftOf(rule), name: " " }, "Ask before pay.").name).toBe("Ask before pay.");
});
