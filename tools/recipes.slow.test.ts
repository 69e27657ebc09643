/** Follows each recipe of ARCHITECTURE.md in a copy of the tree and leaves out one place at a time: some check fails. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeRecipeCopy, type RecipeCopy } from "./recipe-copy.ts";
import { RECIPES } from "./recipes.ts";

let copy: RecipeCopy;
beforeAll(async () => {
  copy = await makeRecipeCopy();
});
afterAll(() => copy.close());

// A recipe of one place has nothing else, and a test that is left out fails nothing.
const SEVERAL = RECIPES.filter(({ places }) => places.length > 1);
describe.each(SEVERAL.map((recipe) => [recipe.adds, recipe] as const))("%s", (_, recipe) => {
  const needed = recipe.places.filter(({ file }) => !file.endsWith(".test.ts"));
  test.each(needed.map(({ file }) => file))("does not pass without %s", async (file) => {
    expect(await copy.faults(recipe, file)).not.toBe("");
  });
});
