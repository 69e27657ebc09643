import { describe, expect, test } from "vitest";
import { narrowestRule } from "./narrow-rule.ts";
import type { RuleCall } from "./rule.ts";
import { createRuleSet } from "./rule-set.ts";

const broken = () => {
  throw new Error("not understood");
};
const call = (args: unknown): RuleCall => ({
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
  now: new Date("2026-11-16T09:00:00Z"),
});

test("the narrowest rule allows its own call, and no other folder, sum or recipient", () => {
  const schema = {
    type: "object",
    properties: { path: { type: "string", description: "Path of the file" } },
  };
  const args = { path: "/reports/q3/a.md", amount: 50, to: ["a@x.com"], urgent: true, body: "long\ntext" };
  const { when, open, effect, tools } = narrowestRule({ name: "write_file", schema }, args);
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

describe("the narrowest rule", () => {
  const properties = {
    path: { type: "string" },
    amount: { type: "number" },
    order_id: { type: "number" },
    cc: { type: "array", items: { type: "string" } },
    note: { type: "string" },
    code: { type: "string" },
    receiver: {
      type: "object",
      properties: { iban: { type: "string" }, person: { type: "object", properties: { name: {} } } },
    },
    days: { type: "array", items: { type: "number" } },
  };
  const narrow = (args: object, runsCode = false) => {
    const { when, open, effect, tools } = narrowestRule(
      { name: "write_file", schema: { type: "object", properties }, runsCode },
      args,
    );
    const set = createRuleSet([{ id: "r", name: "n", tools, when, effect }], broken);
    return { open, decided: (other: object) => set.decide(call(other))?.effect };
  };
  test("allows no argument that its call left out", () => {
    const { open, decided } = narrow({ amount: 5, note: null });
    expect(open).toEqual([]);
    expect(decided({ amount: 5 })).toBe("allow");
    expect(decided({ amount: 5, cc: [] })).toBe("allow");
    for (const more of [{ cc: ["eve@x.com"] }, { note: "x" }, { path: "/a" }])
      expect(decided({ amount: 5, ...more })).toBeUndefined();
  });
  test("of a file at the top allows that file, not every folder", () => {
    const { decided } = narrow({ path: "/notes.md" });
    expect(decided({ path: "/notes.md" })).toBe("allow");
    expect(decided({ path: "/other.md" })).toBeUndefined();
    expect(decided({ path: "/reports/a.md" })).toBeUndefined();
  });
  test("of a number that names something allows no smaller one, nor of a negative one", () => {
    const named = narrow({ order_id: 17 });
    expect([17, 16].map((order_id) => named.decided({ order_id }))).toEqual(["allow", undefined]);
    const negative = narrow({ amount: -5 });
    expect([-5, -6].map((amount) => negative.decided({ amount }))).toEqual(["allow", undefined]);
  });
  test("names what is nested, too, and what is left out there", () => {
    const receiver = { iban: "DE1", person: { name: "Ada" } };
    const { open, decided } = narrow({ receiver, days: [1, 2] });
    expect(open).toEqual([]);
    expect(decided({ receiver, days: [2] })).toBe("allow");
    for (const other of [
      { receiver: { ...receiver, iban: "DE2" }, days: [1] },
      { receiver: { iban: "DE1", person: { name: "Eve" } }, days: [1] },
      { receiver, days: [3] },
    ])
      expect(decided(other)).toBeUndefined();
    const short = narrow({ receiver: { iban: "DE1" } });
    expect(short.decided({ receiver: { iban: "DE1" } })).toBe("allow");
    expect(short.decided({ receiver })).toBeUndefined();
  });
  test("leaves long content open, but no other long text, and none of a tool that runs code", () => {
    const long = "x\n".repeat(400);
    expect(narrow({ note: long }).open).toEqual(["note"]);
    for (const { open, decided } of [narrow({ code: long }), narrow({ note: long }, true)]) {
      expect(open).toEqual([]);
      expect([decided({ code: `${long}y` }), decided({ note: `${long}y` })]).toEqual([undefined, undefined]);
    }
    expect(narrow({ code: "x".repeat(2_001) }).open).toEqual(["code"]);
  });
});
