import { expect, test } from "vitest";
import { remembering } from "./minilm.ts";

const vector = async (text: string) => new Float32Array(384).fill(1 / Math.sqrt(384) / text.length);

test("a text is known once it was prepared, and is asked from the model once", async () => {
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

test("what was asked for longest ago is forgotten first, so a text just prepared is always known", async () => {
  const model = remembering(vector, 2);
  await model.prepare(["one", "two"]);
  await model.prepare(["one", "three"]);
  expect(["one", "two", "three"].map((text) => model.embed(text) !== undefined)).toEqual([true, false, true]);
});
