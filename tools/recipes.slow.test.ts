/**
 * Follows the recipes of ARCHITECTURE.md in a copy of the tree: types, tests and generated pages pass with what was
 * touched, and some check fails when one place is left out.
 */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { followed, RECIPES, type Recipe } from "./recipes.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);
/** What would notice a missing place: the packages that hold the recipes' files, the API's document and the house rules. */
const TESTS = [
  "packages/core/src/agent",
  "packages/core/src/coding-agents",
  "packages/core/src/compose",
  "packages/client/src/wire",
  "packages/builtins/src/builtin-capabilities",
  "packages/builtins/src/capabilities",
  "packages/coding-agents/src/manifests",
  "packages/coding-agents/src/adapters",
  "packages/coding-agents/src/docs",
  "packages/coding-agents/src/models",
  "packages/runtime/src/providers",
  "tools/references.test.ts",
  "tools/tidy.test.ts",
];
let copy = "";

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "capstan-recipes-"));
  const { stdout } = await run("git", ["ls-files", "-co", "--exclude-standard"], {
    cwd: ROOT,
    maxBuffer: 10_000_000,
  });
  for (const file of stdout.split("\n").filter((name) => name !== "")) {
    await mkdir(join(copy, dirname(file)), { recursive: true });
    await cp(join(ROOT, file), join(copy, file)).catch(() => {}); // deleted and not yet committed
  }
  await linkModules("node_modules");
  for (const name of await readdir(join(ROOT, "packages")))
    await linkModules(`packages/${name}/node_modules`);
});
afterAll(() => rm(copy, { recursive: true, force: true }));

/** Every module but our own packages, which are the copy's. */
async function linkModules(folder: string): Promise<void> {
  const found = await readdir(join(ROOT, folder)).catch((): string[] => []);
  await mkdir(join(copy, folder), { recursive: true });
  for (const name of found.filter((each) => each === ".bin" || !/^(@capstan$|\.)/.test(each)))
    await symlink(join(ROOT, folder, name), join(copy, folder, name));
  if (!found.includes("@capstan")) return;
  await mkdir(join(copy, folder, "@capstan"));
  for (const name of await readdir(join(ROOT, folder, "@capstan")))
    await symlink(join(copy, "packages", name), join(copy, folder, "@capstan", name));
}

const inCopy = async (command: string, ...args: string[]): Promise<string> => {
  const done = await run(join(ROOT, "node_modules/.bin", command), args, {
    cwd: copy,
    maxBuffer: 50_000_000,
  }).then(
    () => "",
    (error: { stdout: string; stderr: string }) => `${error.stdout}${error.stderr}`,
  );
  return done;
};

/** What is wrong with the copy; empty when nothing is. */
async function faults(): Promise<string> {
  const types = await inCopy(
    "tsc",
    "-p",
    "tsconfig.json",
    "--incremental",
    "--tsBuildInfoFile",
    "types.tsbuildinfo",
  );
  if (types !== "") return types;
  const generated =
    (await inCopy("node", "tools/agent-docs.ts")) + (await inCopy("node", "tools/references.ts"));
  return generated || (await inCopy("vitest", "run", "--project", "pure", ...TESTS));
}

async function follow(recipe: Recipe, without?: string): Promise<() => Promise<void>> {
  const changed = [...followed(recipe, ROOT)].filter(([file]) => file !== without);
  for (const [file, text] of changed) await writeFile(join(copy, "packages", file), text);
  return async () => {
    for (const [file] of changed) {
      await rm(join(copy, "packages", file));
      await cp(join(ROOT, "packages", file), join(copy, "packages", file)).catch(() => {}); // it was a new one
    }
  };
}

describe.each(RECIPES.map((recipe) => [recipe.adds, recipe] as const))("%s", (_, recipe) => {
  test("is whole when its places are touched", async () => {
    const undo = await follow(recipe);
    expect(await faults().finally(undo)).toBe("");
  });

  // A test that is left out fails nothing, and a recipe of one place has nothing else.
  const needed = recipe.places.filter(({ file }) => recipe.places.length > 1 && !file.endsWith(".test.ts"));
  test.each(needed.map(({ file }) => file))("does not pass without %s", async (file) => {
    const undo = await follow(recipe, file);
    expect(await faults().finally(undo)).not.toBe("");
  });
});
