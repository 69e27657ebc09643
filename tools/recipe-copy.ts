/** A copy of the tree in which a recipe of ARCHITECTURE.md is followed, and the checks that notice a missing place. */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { followed, type Recipe } from "./recipes.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);
/** The packages that hold the recipes' files, the API's document and the house rules. */
const TESTS = [
  "packages/core/src/agent",
  "packages/core/src/coding-agents",
  "packages/core/src/compose",
  "packages/client/src/wire",
  "packages/builtins/src/builtin-capabilities",
  "packages/builtins/src/capabilities",
  "packages/coding-agents/src",
  "packages/runtime/src/providers",
  "tools/references.test.ts",
  "tools/tidy.test.ts",
];

export interface RecipeCopy {
  /** What is wrong with the copy once the recipe is followed, `without` one of its places; empty when nothing is. */
  faults(recipe: Recipe, without?: string): Promise<string>;
  close(): Promise<void>;
}

export async function makeRecipeCopy(): Promise<RecipeCopy> {
  const copy = await mkdtemp(join(tmpdir(), "capstan-recipes-"));
  await copyTree(copy);
  await linkModules(copy, "node_modules");
  for (const name of await readdir(join(ROOT, "packages")))
    await linkModules(copy, `packages/${name}/node_modules`);
  return {
    async faults(recipe, without) {
      const changed = [...followed(recipe, ROOT)].filter(([file]) => file !== without);
      for (const [file, text] of changed) await writeFile(join(copy, "packages", file), text);
      try {
        return await check(copy);
      } finally {
        for (const [file] of changed) await restore(copy, join("packages", file));
      }
    },
    close: () => rm(copy, { recursive: true, force: true }),
  };
}

async function copyTree(copy: string): Promise<void> {
  const { stdout } = await run("git", ["ls-files", "-co", "--exclude-standard"], {
    cwd: ROOT,
    maxBuffer: 10_000_000,
  });
  for (const file of stdout.split("\n").filter((name) => name !== "")) {
    await mkdir(join(copy, dirname(file)), { recursive: true });
    await cp(join(ROOT, file), join(copy, file)).catch(() => {}); // deleted and not yet committed
  }
}

/** Every module but our own packages, which are the copy's. */
async function linkModules(copy: string, folder: string): Promise<void> {
  const found = await readdir(join(ROOT, folder)).catch((): string[] => []);
  await mkdir(join(copy, folder), { recursive: true });
  for (const name of found.filter((each) => each === ".bin" || !/^(@capstan$|\.)/.test(each)))
    await symlink(join(ROOT, folder, name), join(copy, folder, name));
  if (!found.includes("@capstan")) return;
  await mkdir(join(copy, folder, "@capstan"));
  for (const name of await readdir(join(ROOT, folder, "@capstan")))
    await symlink(join(copy, "packages", name), join(copy, folder, "@capstan", name));
}

async function restore(copy: string, file: string): Promise<void> {
  await rm(join(copy, file));
  await cp(join(ROOT, file), join(copy, file)).catch(() => {}); // the recipe created it
}

async function check(copy: string): Promise<string> {
  const types = await outputOf(
    copy,
    ...["tsc", "-p", "tsconfig.json", "--incremental", "--tsBuildInfoFile", "types.tsbuildinfo"],
  );
  if (types !== "") return types;
  const generated =
    (await outputOf(copy, "node", "tools/agent-docs.ts")) +
    (await outputOf(copy, "node", "tools/references.ts"));
  return generated || (await outputOf(copy, "vitest", "run", "--project", "pure", ...TESTS));
}

/** What a failed command printed; empty when it succeeded. */
function outputOf(copy: string, command = "", ...args: string[]): Promise<string> {
  return run(join(ROOT, "node_modules/.bin", command), args, { cwd: copy, maxBuffer: 50_000_000 }).then(
    () => "",
    (error: { stdout: string; stderr: string }) => `${error.stdout}${error.stderr}`,
  );
}
