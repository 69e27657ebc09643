/** Attacks by the expression of a rule: an admin saves one, an author tries one in a replay, and whoever calls a tool chooses its arguments. */
import { type compileCel as Compile, compileCel } from "@capstan/runtime";
import { expect, test } from "vitest";

const CALL: Parameters<ReturnType<typeof Compile>>[0] = {
  tool: "send_mail",
  ownName: "send_mail",
  capabilityId: "mail",
  risk: "write",
  args: {},
  user: "ann@example.com",
  agentId: "agent",
  path: "loop",
  flow: { reads: [], writes: [], usesSecrets: false, reachesAnyAddress: false },
  isArranged: false,
  seen: [],
  scopes: [],
  connections: [],
  groups: [],
  counts: new Map(),
  now: new Date(0),
};

test.each([
  ["a pattern behind a comment", "args.s.matches // why\n('(a+)+$')"],
  ["a pattern behind a name", "cel.bind(s, args.s, s.matches('(a+)+$'))"],
  ["loops in loops, with a space after the dot", "args.l. all(x, args.l. all(y, args.l. all(z, x + y > z)))"],
  ["loops in loops, with a comment", "args.l.all(x, args.l.all // why\n(y, x > y))"],
  [
    "a list that doubles",
    "cel.bind(a, args.l + args.l, cel.bind(b, a + a, cel.bind(c, b + b, size(c) > 0)))",
  ],
])("the server would stand still, or run out of memory, by %s", (_, expression) => {
  expect(() => compileCel(expression)).toThrow(/can take forever|is not available/);
});

test("the server would stand still by a call with a long list, where a rule compares each with each", () => {
  const holds = compileCel("args.to.exists(one, one in args.cc)");
  const list = (length: number) => Array.from({ length }, (_, at) => `${at}@example.com`);
  expect(holds({ ...CALL, args: { to: list(400), cc: list(400) } })).toBe(true);
  const many = { ...CALL, args: { to: list(200_000), cc: list(200_000).map((each) => `x${each}`) } };
  expect(() => holds(many)).toThrow("more than");
  const long = { ...CALL, args: { to: list(400), cc: ["a".repeat(10_000_000)] } };
  expect(() => holds(long)).toThrow("more than");
});

test("what rules need is still there", () => {
  const args = { to: ["ann@example.com", "bob@other.example"], sum: 3, note: "Hello" };
  for (const expression of [
    "args.to.exists(each, each.endsWith('@other.example'))",
    "args.to.size() > 1 && !(tool in ['a', 'b']) && has(args.note)",
    "args.note.lowerAscii().contains('hell') && args.to[0].split('@')[1] == 'example.com'",
    "now < timestamp('2030-01-01T00:00:00Z') + duration('24h') && now.getFullYear() == 1970",
    "size(args.to.filter(each, each.startsWith('ann'))) == 1 && int(args.sum) + 1 > 3",
  ])
    expect(compileCel(expression)({ ...CALL, args }), expression).toBe(true);
});
