import { textOf } from "@capstan/core/internal";
import { expect, test } from "vitest";
import { collect } from "../../../../../tools/engine-under-test.ts";
import { freshPglite } from "../../../../../tools/stores-under-test.ts";
import { useEngine } from "../../../../../tools/use-engine.ts";

const engine = useEngine(freshPglite, { parts: { mostSegments: 2 } });

test("a user with one run is not held up by another user's twenty", async () => {
  const asked: string[] = [];
  const held = Promise.withResolvers<void>();
  engine.answers = async ({ prompt }) => {
    asked.push(JSON.stringify(prompt.at(-1)?.content).includes("bob") ? "bob" : "ann");
    return [{ until: asked.length <= 2 ? held.promise : Promise.resolve() }, { text: "Yes." }];
  };
  const sessionOf = async (owner: string) => {
    const id = await engine.newSession();
    await engine.database.pool.query("update sessions set owner = $2 where id = $1", [id, owner]);
    return id;
  };
  const anns: string[] = [];
  for (let at = 0; at < 20; at++) {
    const id = await sessionOf("ann@example.com");
    anns.push(id);
    await engine.runs.send(id, { content: "from ann" });
  }
  const bobs = await sessionOf("bob@example.com");
  await engine.runs.send(bobs, { content: "from bob" });
  await expect.poll(() => asked.length).toBe(2);
  held.resolve();
  for (const id of [...anns, bobs]) await collect(engine.runs, id);
  expect(asked).toHaveLength(21);
  expect(asked.indexOf("bob")).toBeLessThanOrEqual(3); // one of ann's may have taken the first free place
  const { items } = await engine.runs.messages(bobs, { limit: 5 });
  expect(items.map(textOf)).toContain("Yes.");
});
