import { staticEmbedding } from "@capstan/builtins";
import { rank } from "@capstan/core";
import { expect, test } from "vitest";
import { rankPosted } from "./rank-posted.ts";
import { type PreparedEmbed, routeTier } from "./route-tier.ts";

/** A model that distinguishes wet from dry, and only knows prepared texts. */
function waterModel() {
  const known = new Map<string, Float32Array>();
  const asked: string[] = [];
  const hold: { release: () => void; until: Promise<void> } = { release: () => {}, until: Promise.resolve() };
  const model: PreparedEmbed = {
    async prepare(texts) {
      for (const text of texts) {
        asked.push(text);
        await hold.until;
        const wet = /boat|harbour|vessel|mooring/i.test(text);
        known.set(text, Float32Array.of(wet ? 1 : 0, wet ? 0 : 1, 0, 0));
      }
    },
    embed: (text) => known.get(text),
  };
  const pause = () => {
    hold.until = new Promise((resolve) => {
      hold.release = resolve;
    });
  };
  return { model, asked, pause, resume: () => hold.release() };
}

const boats = { id: "boats", name: "Boats", description: "Lists the vessels in the harbour." };
const bread = { id: "bread", name: "Bread", description: "Bakes a loaf." };
const quiet = { table: staticEmbedding, onError: () => {} };
const settled = () => new Promise(setImmediate);

test("without a model the table is used, and nothing waits", async () => {
  const tier = routeTier(quiet);
  const index = tier.createIndex();
  index.add(boats);
  expect([tier.name, tier.waiting(), (await index.forTask("any")).embed]).toEqual([
    "static",
    0,
    tier.table(),
  ]);
});

test("the table is used until the model has read the whole catalog, then the model", async () => {
  const { model, pause, resume } = waterModel();
  const tier = routeTier({ model, ...quiet });
  const index = tier.createIndex();
  pause();
  index.add(boats);
  index.add(bread);
  expect((await index.forTask("mooring")).embed).toBe(tier.table());
  expect(tier.waiting()).toBe(2);
  resume();
  await settled();
  expect(tier.waiting()).toBe(0);
  const ready = await index.forTask("mooring");
  expect(ready.embed).toBe(model.embed);
  expect(model.embed("mooring")).toBeDefined();
  const { matches, rejected = [] } = rank("mooring", ready, { rejected: true });
  expect([...matches, ...rejected][0]?.id).toBe("boats"); // no word in common: only the model finds it
});

test("a capability that changes while it is read is indexed in its current form, and a removed one never", async () => {
  const { model, pause, resume } = waterModel();
  const index = routeTier({ model, ...quiet }).createIndex();
  pause();
  index.add(bread);
  index.add(boats);
  index.add({ ...bread, description: "Slices a loaf." });
  index.remove("boats");
  resume();
  await settled();
  const ready = await index.forTask("slice");
  expect(ready.embed).toBe(model.embed);
  expect(ready.entries.flatMap((entry) => entry?.document.description ?? [])).toEqual(["Slices a loaf."]);
});

test("a failing model is given up once, reported once, and the table is used", async () => {
  const said: string[] = [];
  const broken: PreparedEmbed = {
    prepare: () => Promise.reject(new Error("no memory")),
    embed: () => undefined,
  };
  const tier = routeTier({ model: broken, table: staticEmbedding, onError: (_, what) => said.push(what) });
  const index = tier.createIndex();
  index.add(boats);
  index.add(bread);
  await settled();
  expect((await index.forTask("mooring")).embed).toBe(tier.table());
  expect([tier.model(), tier.waiting()]).toEqual([undefined, 0]);
  expect(said).toHaveLength(1);
});

test("a closed tier reports nothing about abandoned work", async () => {
  const said: string[] = [];
  const { model, pause, resume } = waterModel();
  const tier = routeTier({ model, table: staticEmbedding, onError: (_, what) => said.push(what) });
  pause();
  tier.createIndex().add(boats);
  await tier.close();
  tier.failed(new Error("closed"));
  resume();
  await settled();
  expect(said).toEqual([]);
});

test("a posted catalog is read by the model, text by text, before it is ranked", async () => {
  const { model, asked } = waterModel();
  const request = {
    capabilities: [{ ...boats, triggers: ["list the vessels"] }, bread],
    tasks: ["list the vessels now"],
    topK: 3,
  };
  const ranked = await rankPosted(request, routeTier({ model, ...quiet }));
  expect(ranked.tier).toBe("minilm");
  expect(ranked.results[0]?.matches[0]?.id).toBe("boats");
  expect(asked).toEqual([
    "Boats. Lists the vessels in the harbour.",
    "list the vessels",
    "Bread. Bakes a loaf.",
    "list the vessels now",
  ]);
});

test("a posted catalog that is too large for the model is ranked by the table", async () => {
  const { model, asked } = waterModel();
  const triggers = Array.from({ length: 1000 }, () => "bake");
  const capabilities = Array.from({ length: 7 }, (_, at) => ({ ...bread, id: `bread-${at}`, triggers }));
  const ranked = await rankPosted({ capabilities, tasks: [], topK: 3 }, routeTier({ model, ...quiet }));
  expect([ranked.tier, asked]).toEqual(["static", []]);
});

test("a posted catalog whose caller has disconnected is not read further", async () => {
  const { model, asked } = waterModel();
  const request = { capabilities: [boats, bread], tasks: ["list the vessels"], topK: 3 };
  await rankPosted(request, routeTier({ model, ...quiet }), AbortSignal.abort());
  expect(asked).toEqual([]);
});
