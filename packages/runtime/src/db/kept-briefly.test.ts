import { expect, test } from "vitest";
import { KeptBriefly } from "./kept-briefly.ts";

function counted() {
  const kept = new KeptBriefly<string>();
  let made = 0;
  const get = (key: string, end = async () => key) =>
    kept.get(key, () => {
      made += 1;
      return end();
    });
  return { kept, get, made: () => made };
}

test("hundreds that begin at once read a value once", async () => {
  const { get, made } = counted();
  await Promise.all(Array.from({ length: 300 }, () => get("clerk")));
  expect(made()).toBe(1);
});

test("a change makes the next one read again; of one key, only its own", async () => {
  const { kept, get, made } = counted();
  await Promise.all([get("clerk ada"), get("clerk bob"), get("pilot ada")]);
  kept.forget("clerk");
  await Promise.all([get("clerk ada"), get("clerk bob"), get("pilot ada")]);
  expect(made()).toBe(5);
  kept.clear();
  await get("pilot ada");
  expect(made()).toBe(6);
});

test("a value that could not be read is read again", async () => {
  const { get, made } = counted();
  await expect(get("clerk", () => Promise.reject(new Error("the database is away")))).rejects.toThrow("away");
  await get("clerk");
  expect(made()).toBe(2);
});
