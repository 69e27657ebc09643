import { expect, test } from "vitest";
import { rankCatalog, rankCatalogRequest } from "./rank-catalog.ts";

const body = rankCatalogRequest.parse({
  capabilities: [
    { id: "a", name: "Get Weather", description: "Weather of a city", params: ["city"] },
    { id: "b", name: "Send Mail", description: "Send an e-mail", triggers: ["write to"], tags: null },
    { id: "c" },
  ],
  tasks: ["weather in Rome", "send an e-mail to ann", "qwxzv blorptag"],
  topK: 1,
});

test("answers in the order of the tasks, with an empty list where nothing fits", () => {
  const results = [...rankCatalog(body)].filter((step) => step !== undefined);
  expect(results.map(({ task }) => task)).toEqual(body.tasks);
  expect(results.map(({ matches }) => matches.map(({ id }) => id))).toEqual([["a"], ["b"], []]);
  expect(results[0]?.matches[0]).toEqual({ id: "a", score: expect.any(Number), reasons: expect.any(Array) });
});

test("yields after each capability and task, so that the caller can do other work", () => {
  const steps = rankCatalog(body);
  expect(body.capabilities.map(() => steps.next().value)).toEqual([undefined, undefined, undefined]);
  expect(steps.next().value).toMatchObject({ task: "weather in Rome" });
});

test.each([
  { capabilities: [], tasks: "x" },
  { capabilities: [{ name: "no id" }], tasks: [] },
  { capabilities: [{ id: "a" }], tasks: [], topK: 0 },
])("refuses %j", (wrong) => {
  expect(rankCatalogRequest.safeParse(wrong).success).toBe(false);
});
