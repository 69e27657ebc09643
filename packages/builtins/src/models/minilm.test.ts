import { expect, test } from "vitest";
import { remembering } from "./minilm.ts";

const vector = async (text: string) => new Float32Array(384).fill(1 / Math.sqrt(384) / text.length);

test("a prepared text is available, and embedded once", async () => {
  const asked: string[] = [];
  const model = remembering((text) => {
    asked.push(text);
    return vector(text);
  });
  expect(model.embed("tide")).toBeUndefined();
  await model.prepare(["tide", "tide"]);
  await model.prepare(["tide"]);
  expect(model.embed("tide")).toHaveLength(384 + 256);
  expect(asked).toEqual(["tide"]);
});

test("the least recently used text is evicted first, so a text just prepared is always available", async () => {
  const model = remembering(vector, 2);
  await model.prepare(["one", "two"]);
  await model.prepare(["one", "three"]);
  expect(["one", "two", "three"].map((text) => model.embed(text) !== undefined)).toEqual([true, false, true]);
});
