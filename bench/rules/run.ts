/** Time the gate's rules take to decide a call, by number and kind of rules. */
import { createRuleSet, type Rule, type RuleCall } from "../../packages/core/src/internal.ts";
import { compileCel } from "../../packages/runtime/src/rules/cel.ts";
import { figure, median, report } from "../result.ts";

const BATCHES = 15;
const PER_BATCH = 100;

const call: RuleCall = {
  tool: "write_file",
  ownName: "write_file",
  capabilityId: "session_file_system",
  risk: "write",
  args: { path: "/notes/2026/plan.md", content: "hello", to: ["a@example.com", "b@example.com"] },
  user: "ada@example.com",
  agentId: "agent",
  path: "loop",
  flow: { reads: [], writes: ["external"], usesSecrets: true, reachesAnyAddress: false },
  scopes: [],
  connections: [],
  seen: [],
  groups: ["staff"],
  counts: new Map(Array.from({ length: 1000 }, (_, at) => [`r${at}`, 1])),
  now: new Date("2026-11-16T09:00:00Z"),
};

/** None matches, so that every rule is looked at: the worst case of a call that is allowed. */
const KINDS: Readonly<Record<string, (at: number) => Pick<Rule, "tools" | "when">>> = {
  "of other tools": (at) => ({ tools: [`tool_${at}`], when: [] }),
  "on arguments": (at) => ({
    tools: ["write_file"],
    when: [{ arg: "path", op: "under", value: `/folder${at}` }],
  }),
  "on lists": (at) => ({
    tools: ["*"],
    when: [{ arg: "to", op: "ends_with", value: `@${at}.example` }],
  }),
  "on one text": (at) => ({ tools: ["*"], when: [{ arg: "path", op: "is", value: `/folder${at}/a.md` }] }),
  "on groups": (at) => ({ tools: ["*"], when: [{ group: `group${at}` }] }),
  "on how often": () => ({
    tools: ["*"],
    when: [{ often: { op: "above", calls: 5, per: "hour", each: "user" } }],
  }),
  "as expressions over lists": (at) => ({
    tools: ["write_file"],
    when: [{ expr: `args.to.exists(a, a.endsWith("@${at}.example"))` }],
  }),
  "as expressions over texts": (at) => ({
    tools: ["write_file"],
    when: [{ expr: `args.path.startsWith("/folder${at}/") && !(user in ["eve${at}@example.com"])` }],
  }),
  "as expressions over fields that may be missing": (at) => ({
    tools: ["write_file"],
    when: [{ expr: `has(args.amount) && args.amount > ${at} && "finance" in groups` }],
  }),
  "as expressions over the time": (at) => ({
    tools: ["write_file"],
    when: [{ expr: `now.getHours("Europe/Berlin") < 6 && args.path.contains("${at}")` }],
  }),
  "as expressions over sizes": (at) => ({
    tools: ["write_file"],
    when: [{ expr: `args.to.size() + ${at} < 2 || size(args.content) > ${1000 + at}` }],
  }),
  "of every kind, mixed": (at) => {
    const kinds = [
      "on arguments",
      "on lists",
      "on groups",
      "as expressions over lists",
      "as expressions over texts",
    ];
    return KINDS[kinds[at % kinds.length] ?? ""]?.(at) ?? { tools: [], when: [] };
  },
};

function microseconds(kind: keyof typeof KINDS, count: number): number {
  const rules = Array.from({ length: count }, (_, at) => ({
    id: `r${at}`,
    name: `rule ${at}`,
    effect: "deny" as const,
    ...(KINDS[kind]?.(at) ?? { tools: [], when: [] }),
  }));
  const set = createRuleSet(rules, compileCel);
  const times: number[] = [];
  for (let batch = 0; batch < BATCHES; batch++) {
    const before = process.cpuUsage();
    for (let at = 0; at < PER_BATCH; at++)
      if (set.decide(call) !== undefined) throw new Error("a rule matched");
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / PER_BATCH);
  }
  return median(times);
}

const rows = Object.keys(KINDS).map((kind) => ({
  kind,
  100: microseconds(kind, 100),
  1000: microseconds(kind, 1000),
}));
const at = (kind: string) => rows.find((row) => row.kind === kind)?.[1000] ?? Number.NaN;
report({
  name: "rules",
  question: "How much do rules add to a call?",
  method: `createRuleSet().decide() for one call that no rule matches, so that all of the tool's rules are evaluated; the median of ${BATCHES} batches of ${PER_BATCH}, in CPU time, which load on the machine affects little.`,
  goals: [
    { what: "1,000 rules of other tools", value: at("of other tools"), atMost: 1, unit: " µs" },
    { what: "1,000 rules on arguments of this tool", value: at("on arguments"), atMost: 100, unit: " µs" },
    { what: "1,000 rules on lists in any call", value: at("on lists"), atMost: 100, unit: " µs" },
    {
      what: "1,000 expressions on one tool, the slowest kind",
      value: Math.max(...rows.filter(({ kind }) => kind.startsWith("as ")).map((row) => row[1000])),
      atMost: 100,
      unit: " µs",
    },
  ],
  tables: [
    {
      title: "A decision, in microseconds of CPU",
      rows: rows.map((row) => ({
        rules: row.kind,
        "100 rules": figure(row[100]),
        "1,000 rules": figure(row[1000]),
      })),
    },
  ],
  plots: [],
});
