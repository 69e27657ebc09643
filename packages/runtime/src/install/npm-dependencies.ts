/**
 * The direct and transitive dependencies of an npm package, each with its hash: resolved without running any of it,
 * shown in the review, and installed exactly so. Only registry packages are allowed: a dependency by git, URL or path
 * could be anything by the time it is fetched, and fetching it can already run code.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fail, ok, type Result } from "@capstan/core";
import type { PackageJson } from "@capstan/core/internal";
import { notInRegistry, Ranges, readNpmLock } from "./npm-lock.ts";
import type { Npm } from "./npm-program.ts";
import type { ResolvedDependencies } from "./package-kind.ts";
import { withStaging } from "./run-tool.ts";

const RESOLVE_MS = 300_000;

/** What npm gets: only the dependencies. Scripts, workspaces, overrides and settings of the package are left out. */
export function dependenciesOf(json: PackageJson): Result<Record<string, Record<string, string>>> {
  const bundled = new Set(Array.isArray(json.bundleDependencies) ? json.bundleDependencies : []);
  const kept: Record<string, Record<string, string>> = {};
  for (const field of ["dependencies", "optionalDependencies", "peerDependencies"]) {
    const parsed = Ranges.safeParse(json[field]);
    if (!parsed.success) return refused(`its ${field} are not names with ranges`);
    const own = Object.entries(parsed.data ?? {}).filter(([name]) => !bundled.has(name));
    const wrong = notInRegistry(own);
    if (wrong) return refused(`it ${wrong}`);
    if (own.length > 0) kept[field] = Object.fromEntries(own);
  }
  return ok(kept);
}

/** Asks the registry, and returns the lock file that npm would install from. */
export async function resolveNpm(json: PackageJson, npm: Npm): Promise<Result<ResolvedDependencies>> {
  const own = dependenciesOf(json);
  if (!own.ok) return own;
  if (Object.keys(own.value).length === 0) return ok({ lock: "", list: [] });
  return withStaging(async (folder) => {
    await writeProject(folder, own.value);
    const words = ["install", "--package-lock-only", "--ignore-scripts", "--omit=dev"];
    const run = await npm(words, { folder, timeoutMs: RESOLVE_MS });
    if (!run.ok) return run;
    if (!run.value.ok) return fail("package_dependencies_missing", { manager: "npm", why: run.value.why });
    return readNpmLock(await readFile(join(folder, "package-lock.json"), "utf8"));
  });
}

export async function writeProject(folder: string, dependencies: object): Promise<void> {
  const project = { name: "capstan-package", version: "0.0.0", private: true, ...dependencies };
  await writeFile(join(folder, "package.json"), JSON.stringify(project));
}

const refused = (why: string) => fail("archive_refused", { why });
