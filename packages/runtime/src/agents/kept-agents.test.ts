import { fail, type Result, type RuntimeAgent } from "@capstan/core";
import { expect, test } from "vitest";
import { KeptAgents } from "./kept-agents.ts";

function counted() {
  const kept = new KeptAgents();
  let made = 0;
  const get = (
    key: string,
    end: () => Promise<Result<RuntimeAgent>> = async () => fail("cancelled", { what: key }),
  ) =>
    kept.get(key, () => {
      made += 1;
      return end();
    });
  return { kept, get, made: () => made };
}

test("hundreds that begin at once compose their agent once", async () => {
  const { get, made } = counted();
  await Promise.all(Array.from({ length: 300 }, () => get("clerk")));
  expect(made()).toBe(1);
});

test("a change makes the next one compose again; of one agent, only its own", async () => {
  const { kept, get, made } = counted();
  await Promise.all([get("clerk ada"), get("clerk bob"), get("pilot ada")]);
  kept.forget("clerk");
  await Promise.all([get("clerk ada"), get("clerk bob"), get("pilot ada")]);
  expect(made()).toBe(5);
  kept.clear();
  await get("pilot ada");
  expect(made()).toBe(6);
});

test("an agent that could not be read is asked for again", async () => {
  const { get, made } = counted();
  await expect(get("clerk", () => Promise.reject(new Error("the database is away")))).rejects.toThrow("away");
  await get("clerk");
  expect(made()).toBe(2);
});
