/** Many make the last allowed call at once, in several processes: as many are made as the rule says. */
import { CapabilityRegistry } from "@capstan/core";
import { createRuleSet, type RuleCount, type SavedEffect } from "@capstan/core/internal";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FreshStore, STORES } from "../../../../tools/stores-under-test.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { compileCel } from "./cel.ts";
import { trialRules } from "./decide-by.ts";
import { type RuleCounts, ruleCounts, trialCounts } from "./rule-counts.ts";
import { ruleStore } from "./rule-store.ts";

const NOON = new Date("2026-11-16T12:00:00Z");
const later = (minutes: number) => new Date(NOON.getTime() + minutes * 60_000);

const call = (n: number, now = NOON) => ({
  tool: "act",
  ownName: "act",
  capabilityId: "c",
  risk: "write",
  args: { n },
  user: "ada",
  agentId: "a",
  scopes: [],
  connections: [],
  path: "loop" as const,
  seen: [],
  groups: [],
  now,
  flow: { reads: [], writes: [], usesSecrets: false, reachesAnyAddress: false },
});

/** A rule and a call that were drawn: from which number on, in which effect, how many calls. */
interface Drawn {
  readonly effect: SavedEffect;
  readonly from: number;
  readonly calls: number;
}
const drawnRule = ({ effect, from, calls }: Drawn, at: number) => ({
  name: `rule ${at}`,
  tools: ["act"],
  when: [{ arg: "n", op: "at_least" as const, value: from }],
  effect,
  ...(effect === "limit" && { limit: { calls, per: "hour" as const, over: "ask" as const } }),
});
const RULES = fc.array(
  fc.record<Drawn>({
    effect: fc.constantFrom<SavedEffect>("allow", "ask", "deny", "limit", "limit"),
    from: fc.integer({ min: 0, max: 3 }),
    calls: fc.integer({ min: 1, max: 3 }),
  }),
  { minLength: 1, maxLength: 4 },
);
const CALLS = fc.array(
  fc.record({ n: fc.integer({ min: 0, max: 3 }), minutes: fc.integer({ min: 1, max: 40 }) }),
  { minLength: 1, maxLength: 8 },
);

describe.each(STORES)("calls that a rule counts on $name", ({ name, fresh }) => {
  let store: FreshStore;
  const databases: Database[] = [];
  const processes: RuleCounts[] = [];
  beforeAll(async () => {
    store = await fresh();
    for (let at = 0; at < (name === "postgres" ? 3 : 1); at++) {
      const opened = await openDatabase(store);
      if (!opened.ok) throw new Error(opened.failure.message);
      const database = opened.value;
      databases.push(database);
      processes.push(ruleCounts(database));
    }
  });
  afterAll(async () => {
    for (const database of databases) await database.close();
    await store?.drop();
  });

  const saved = async (calls: number): Promise<RuleCount> => {
    const rules = ruleStore(databases[0] as Database, CapabilityRegistry.of([]));
    const limit = { calls, per: "hour" as const, each: "user" as const };
    const { id } = await rules.create({ name: "r", tools: ["*"], when: [], effect: "limit", limit }, "root");
    return { ...limit, ruleId: id, subject: "ada@example.com" };
  };
  const counts = (at: number) => processes[at % processes.length] as RuleCounts;
  const made = async (count: RuleCount, now: Date, isPast = false) =>
    (await counts(0).read([count], now, isPast)).get(count.ruleId);

  test("a hundred at once make seven where seven may be made, and somebody else's are not counted", async () => {
    const count = await saved(7);
    const take = (at: number) => counts(at).take([{ ...count, made: 0 }], NOON);
    const taken = await Promise.all(Array.from({ length: 100 }, (_, at) => take(at)));
    expect(taken.filter(Boolean)).toHaveLength(7);
    expect(await made(count, NOON)).toBe(7);
    expect(await made({ ...count, subject: "bob@example.com" }, NOON)).toBe(0);
  });

  test("of two rules one without room counts nothing for the other", async () => {
    const [full, free] = [await saved(1), await saved(5)];
    expect(await counts(0).take([{ ...full, made: 0 }], NOON)).toBe(true);
    const both = [full, free].map((count) => ({ ...count, made: 0 }));
    expect(await counts(1).take(both, NOON)).toBe(false);
    expect(await made(free, NOON)).toBe(0);
    expect(await counts(1).take([{ ...full, made: 1 }, both[1] as (typeof both)[number]], NOON)).toBe(true);
    expect([await made(full, NOON), await made(free, NOON)]).toEqual([1, 1]);
  });

  test("the hour is the last one, at every moment, in a trial as in the store", async () => {
    const count = await saved(2);
    for (const tried of [counts(0), trialCounts()]) {
      const take = async (minutes: number) => {
        const before = (await tried.read([count], later(minutes), false)).get(count.ruleId) ?? 0;
        return before < 2 && tried.take([{ ...count, made: before }], later(minutes));
      };
      expect([await take(0), await take(50), await take(59), await take(61), await take(100)]).toEqual([
        true,
        true,
        false,
        true,
        false,
      ]);
    }
    expect(await made(count, later(52), true)).toBe(1); // the first is kept no longer
  });

  test("a simulation of any rules over any calls decides as the store does when the calls are made", async () => {
    const rules = ruleStore(databases[0] as Database, CapabilityRegistry.of([]));
    const property = fc.asyncProperty(RULES, CALLS, async (drawn, calls) => {
      for (const { id } of await rules.list()) await rules.remove(id);
      for (const [at, each] of drawn.entries()) await rules.create(drawnRule(each, at), "root");
      const { made: trial } = trialRules(
        createRuleSet(await rules.list(), compileCel),
        databases[0] as Database,
      );
      const facts = { seen: async () => ({}) };
      let now = NOON;
      for (const { n, minutes } of calls) {
        now = new Date(now.getTime() + minutes * 60_000);
        const { decision, counts: found } = await rules.decide(call(n, now), facts);
        if (decision?.effect !== "deny") expect(await rules.takeCounts(found, now)).toBe(true);
        expect((await trial(call(n, now), facts)).decision?.effect).toBe(decision?.effect);
      }
    });
    await fc.assert(property, { numRuns: 25 });
  });

  test("a call counts where the rule's other conditions hold", () => {
    const limit = { calls: 1, per: "day" as const };
    const when = [{ arg: "n", op: "above" as const, value: 3 }];
    const set = createRuleSet(
      [{ id: "r", name: "r", tools: ["*"], when, effect: "limit", limit }],
      compileCel,
    );
    expect(set.counted(call(4))).toMatchObject([{ ruleId: "r", subject: "", calls: 1 }]);
    expect(set.counted(call(3))).toEqual([]);
  });
});
