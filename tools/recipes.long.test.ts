/** Follows each recipe of ARCHITECTURE.md in a copy of the tree: types, generated pages and tests pass with what it touches. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeRecipeCopy, type RecipeCopy } from "./recipe-copy.ts";
import { RECIPES } from "./recipes.ts";

const TIMEOUT_MS = 600_000; // types and tests of the whole tree, each after the other

let copy: RecipeCopy;
beforeAll(async () => {
  copy = await makeRecipeCopy();
});
afterAll(() => copy.close());

test.each(RECIPES.map((recipe) => [recipe.adds, recipe] as const))(
  "%s is whole when its places are touched",
  async (_, recipe) => {
    expect(await copy.faults(recipe)).toBe("");
  },
  TIMEOUT_MS,
);
