/** The recipes of ARCHITECTURE.md, counted: the page names the places that a recipe touches, and there are no others. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { followed, RECIPES } from "./recipes.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PAGE = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");

const PLACES: Readonly<Record<string, number>> = {
  "a model provider": 1,
  "a coding agent": 3,
  "a built-in capability": 3,
  "a field of an agent": 2,
};

test.each(Object.entries(PLACES))("%s takes %i places", (adds, count) => {
  expect(RECIPES.find((recipe) => recipe.adds === adds)?.places).toHaveLength(count);
});

describe.each(RECIPES.map((recipe) => [recipe.adds, recipe] as const))("%s", (adds, recipe) => {
  const [, row = ""] = PAGE.split(`\n| ${adds} | `);
  const line = row.split("\n")[0] ?? "";

  test("is a row of the page, which names each place", () => {
    const missing = recipe.places.filter(({ file }) => !names(line, file));
    expect(missing.map(({ file }) => file)).toEqual([]);
  });

  test("changes each of its files, and makes only new ones in folders that exist", () => {
    for (const [file, text] of followed(recipe, ROOT)) {
      const path = join(ROOT, "packages", file);
      expect(existsSync(dirname(path)), file).toBe(true);
      if (existsSync(path)) expect(text, file).not.toBe(readFileSync(path, "utf8"));
    }
  });
});

/** By its path, its folder or its name, each with `<name>` for what is added. */
function names(row: string, file: string): boolean {
  const [pkg = "", ...rest] = file.replace("acme", "<name>").split("/");
  const inside = rest.slice(1).join("/");
  const said = [...row.matchAll(/`([^`]+)`/g)].map(([, text]) => `${text}`);
  return said.some(
    (text) => text === `${pkg}/src/${inside}` || text === inside || text === `${pkg}/src/${dirname(inside)}/`,
  );
}
