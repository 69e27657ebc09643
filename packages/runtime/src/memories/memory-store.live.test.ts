import { meaningAnchors, staticEmbedding } from "@capstan/builtins";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FreshStore, STORES } from "../../../../tools/stores-under-test.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { ORGANISATION } from "./memory-access.ts";
import type { MemoryOwner } from "./memory-keys.ts";
import { type MemoryStore, MOST_FACTS, memoryStore } from "./memory-store.ts";

const user = (subject: string): MemoryOwner => ({ scope: "user", subject });
const agent = (subject: string): MemoryOwner => ({ scope: "agent", subject });
const ann = user("ann@example.com");

describe.each(STORES)("facts on $name", ({ fresh }) => {
  let store: FreshStore;
  let database: Database;
  let memories: MemoryStore;
  beforeAll(async () => {
    store = await fresh();
    const opened = await openDatabase(store);
    if (!opened.ok) throw new Error(opened.failure.message);
    database = opened.value;
    memories = memoryStore({ database, embed: staticEmbedding, anchors: meaningAnchors });
    for (const text of [
      "Ann drinks green tea in the morning.",
      "The quarterly invoice goes to Meyer in Hamburg.",
      "Her dog is called Bello.",
      "Deployments happen on Thursdays.",
    ])
      await add(ann, text);
  });
  afterAll(async () => {
    await database.close();
    await store.drop();
  });

  test.each([
    ["its words", "who is Bello", "Her dog is called Bello."],
    ["a plural", "deployment", "Deployments happen on Thursdays."],
    [
      "its meaning, in other words",
      "favourite beverage at breakfast",
      "Ann drinks green tea in the morning.",
    ],
    ["its meaning", "the pet animal's name", "Her dog is called Bello."],
    ["a word of its meaning", "what kind of animal does she have", "Her dog is called Bello."],
  ])("are found by %s", async (_by, query, text) => {
    expect((await memories.search([ann], query, 3))[0]?.text).toBe(text);
  });

  test("are found with a text of signs and quotes, or not at all, and never as query syntax", async () => {
    for (const query of ["' & | ! ( ) : *", "tea'); drop table memories; --", "\\", "\u0000tea".slice(1)])
      expect(await memories.search([ann], query, 3)).toBeInstanceOf(Array);
  });

  test("of one user, agent or organisation are never found for another", async () => {
    const secret = "The vault opens with seven turns.";
    await add(user("bob@example.com"), secret);
    await add(agent("agent-1"), `${secret} (agent)`);
    const others = [
      ann,
      user("bob@example.co"),
      user("BOB@example.com"),
      user("agent-1"),
      agent("bob@example.com"),
      agent("agent-2"),
      ORGANISATION,
    ];
    expect(await memories.search(others, secret, 20)).toSatisfy((found: { text: string }[]) =>
      found.every(({ text }) => !text.includes("vault")),
    );
    expect((await memories.search([user("bob@example.com")], "vault", 5)).map(({ text }) => text)).toEqual([
      secret,
    ]);
    expect((await memories.list({ owners: [ann], limit: 100 })).items).toHaveLength(4);
    expect(await memories.search([], secret, 5)).toEqual([]);
  });

  test("are one fact when they are remembered twice, with the labels they came with first", async () => {
    const carl = user("carl@example.com");
    const first = await add(carl, "Carl likes jazz.", ["untrusted"]);
    const second = await add(carl, "Carl likes jazz.", []);
    expect(second.id).toBe(first.id);
    expect((await memories.list({ owners: [carl], limit: 10 })).items).toMatchObject([
      { labels: ["untrusted"] },
    ]);
  });

  test("are found by what a person made of them, and not after they are forgotten", async () => {
    const dora = user("dora@example.com");
    const { id } = await add(dora, "Dora lives in Rome.", ["untrusted"]);
    await memories.change(id, { text: "Dora lives in Paris.", labels: [] }, "dora@example.com");
    expect(await memories.search([dora], "Rome", 5)).not.toMatchObject([
      { text: expect.stringContaining("Rome") },
    ]);
    expect(await memories.search([dora], "Paris", 5)).toMatchObject([
      { text: "Dora lives in Paris.", labels: [], editedBy: "dora@example.com" },
    ]);
    await memories.forget(id);
    expect(await memories.search([dora], "Paris", 5)).toEqual([]);
    expect(await memories.forget(id)).toMatchObject({ ok: false, failure: { code: "not_found" } });
  });

  test("are bounded in number, found by an index among thousands, and quickly", async () => {
    const many = user("many@example.com");
    await fill(many.subject, MOST_FACTS - 1);
    await fill("other@example.com", 2_000);
    await add(many, "The boat is moored in Trieste.");
    expect(
      await memories.add({ ...many, text: "One too many.", labels: [], createdBy: many.subject }),
    ).toMatchObject({
      ok: false,
      failure: { code: "limit_reached" },
    });
    await database.pool.query("analyze memories");
    const { memorySearch } = await import("./memory-keys.ts");
    const { createMeaningKeys } = await import("./meaning-keys.ts");
    const meaning = createMeaningKeys(staticEmbedding(), meaningAnchors());
    const query = memorySearch([many, ORGANISATION], "harbour of the boat", meaning)?.tsquery;
    const plan = await database.pool.query("explain select id from memories where keys @@ $1::tsquery", [
      query,
    ]);
    expect(JSON.stringify(plan.rows)).toContain("memories_keys");
    const times: number[] = [];
    for (let round = 0; round < 9; round++) {
      const started = performance.now();
      expect((await memories.search([many, ORGANISATION], "harbour of the boat", 5))[0]?.text).toContain(
        "Trieste",
      );
      times.push(performance.now() - started);
    }
    console.log(
      `recall among ${MOST_FACTS} facts of one owner: ${times.sort((a, b) => a - b)[4]?.toFixed(1)} ms`,
    );
  });

  async function add(owner: MemoryOwner, text: string, labels: string[] = []) {
    const made = await memories.add({ ...owner, text, labels, createdBy: "ann@example.com" });
    if (!made.ok) throw new Error(made.failure.message);
    return made.value;
  }

  /** Facts of different words, written as the store writes them. */
  async function fill(subject: string, count: number): Promise<void> {
    const { factId, factKeys } = await import("./memory-keys.ts");
    const { createMeaningKeys, packedVector } = await import("./meaning-keys.ts");
    const embed = staticEmbedding();
    const meaning = createMeaningKeys(embed, meaningAnchors());
    const words =
      "apple river contract engine violet pepper ledger compass garden ticket lawyer piano glacier mirror copper".split(
        " ",
      );
    const rows = Array.from({ length: count }, (_, at) => {
      const owner = user(subject);
      const text = `Entry ${at} is about ${words[at % 15]} and ${words[Math.floor(at / 15) % 15]} for project ${at}.`;
      const vector = embed(text);
      return {
        id: factId(owner, text),
        text,
        keys: factKeys(owner, text, meaning),
        vector: vector ? packedVector(vector).toString("hex") : null,
      };
    });
    await database.pool.query(
      `insert into memories(id, scope, subject, text, keys, vector, created_by)
       select r.id, 'user', $2, r.text, array_to_tsvector(array(select json_array_elements_text(r.keys))), decode(r.vector, 'hex'), $2
       from json_to_recordset($1::json) as r(id uuid, text text, keys json, vector text)`,
      [JSON.stringify(rows), subject],
    );
  }
});
