import { textOf } from "@capstan/core/internal";
import { describe, expect, test } from "vitest";
import { collect, type EngineUnderTest, openEngine } from "../../../../../tools/engine-under-test.ts";
import { STORES } from "../../../../../tools/stores-under-test.ts";
import { useEngine } from "../../../../../tools/use-engine.ts";
import { RunPlaces } from "../../queues/run-places.ts";
import { openUserWeights, type WeightOf } from "../../queues/user-weights.ts";

const [ANN, BOB] = ["ann@example.com", "bob@example.com"];
const EACH_COUNTS_ONE = () => 0; // no time passes, so every start counts the same

const sessionOf = async (engine: EngineUnderTest, owner: string) => {
  const id = await engine.newSession();
  await engine.database.pool.query("update sessions set owner = $2 where id = $1", [id, owner]);
  return id;
};

async function sendMany(engine: EngineUnderTest, owner: string, count: number): Promise<string[]> {
  const ids = [];
  for (let at = 0; at < count; at++) {
    const id = await sessionOf(engine, owner);
    const sent = await engine.runs.send(id, { content: `from ${owner}` });
    if (!sent.ok) throw new Error(sent.failure.message);
    ids.push(id);
  }
  return ids;
}

describe.each(STORES)("on $name", ({ fresh }) => {
  const engine = useEngine(fresh, { parts: { places: new RunPlaces(2).of("", () => 1) } });

  test("a user with one run is not held up by another user's forty", async () => {
    const asked: string[] = [];
    const held = Promise.withResolvers<void>();
    engine.answers = async ({ prompt }) => {
      asked.push(JSON.stringify(prompt.at(-1)?.content).includes(BOB) ? "bob" : "ann");
      return [{ until: asked.length <= 2 ? held.promise : Promise.resolve() }, { text: "Yes." }];
    };
    const anns = await sendMany(engine, ANN, 40);
    const [bobs = ""] = await sendMany(engine, BOB, 1);
    await expect.poll(() => asked.length).toBe(2);
    held.resolve();
    for (const id of [...anns, bobs]) await collect(engine.runs, id);
    expect(asked).toHaveLength(41);
    expect(asked.indexOf("bob")).toBeLessThanOrEqual(3); // one of ann's may have taken the first free place
    const { items } = await engine.runs.messages(bobs, { limit: 5 });
    expect(items.map(textOf)).toContain("Yes.");
  });

  test("a run that is cancelled while it waits never starts, and its place goes to the next", async () => {
    const held = Promise.withResolvers<void>();
    let asked = 0;
    engine.answers = async () => {
      asked += 1;
      return [{ until: held.promise }, { text: "Yes." }];
    };
    const [first = "", second = "", waiting = "", next = ""] = await sendMany(engine, ANN, 4);
    await expect.poll(() => asked).toBe(2);
    await engine.runs.cancel(waiting);
    held.resolve();
    for (const id of [first, second, next]) await collect(engine.runs, id);
    expect(asked).toBe(3);
  });
});

describe.each(STORES)("with weights, on $name", ({ fresh }) => {
  test("a weight of 3 beside 1 gives three starts for one", async () => {
    const store = await fresh();
    const asked: string[] = [];
    const held = Promise.withResolvers<void>();
    const line = new RunPlaces(2, EACH_COUNTS_ONE);
    let weightOf: WeightOf = () => 1;
    const weighted = await openEngine(store, {
      script: async ({ prompt }) => {
        asked.push(JSON.stringify(prompt.at(-1)?.content).includes(BOB) ? "bob" : "ann");
        return [{ until: held.promise }, { text: "Yes." }];
      },
      parts: { places: line.of("", (user) => weightOf(user)) },
    });
    try {
      const { database, runs } = weighted;
      weightOf = await openUserWeights(database, () => {});
      await database.pool.query("insert into users(email, weight) values ($1, 3)", [ANN]);
      await database.policyChanges.announce();
      await expect.poll(() => weightOf(ANN)).toBe(3);
      const sent = [...(await sendMany(weighted, BOB, 40)), ...(await sendMany(weighted, ANN, 40))];
      held.resolve();
      for (const id of sent) await collect(runs, id);
      const first = asked.slice(0, 50);
      const anns = first.filter((who) => who === "ann").length;
      expect(anns / (first.length - anns)).toBeGreaterThan(2.2);
      expect(anns / (first.length - anns)).toBeLessThan(3.8);
      expect(weighted.errors).toEqual([]);
    } finally {
      await weighted.close();
      await store.drop();
    }
  });
});
