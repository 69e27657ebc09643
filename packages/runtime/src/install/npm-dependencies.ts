/**
 * The direct and transitive dependencies of an npm package, each with its hash: resolved without running any of it,
 * shown in the review, and installed exactly so. Only registry packages are allowed: a dependency by git, URL or path
 * could be anything by the time it is fetched, and fetching it can already run code.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fail, ok, type Result } from "@capstan/core";
import type { PackageJson } from "@capstan/core/internal";
import { z } from "zod";
import type { Npm } from "./npm-program.ts";
import type { ResolvedDependencies } from "./package-kind.ts";
import { withStaging } from "./run-tool.ts";

const RESOLVE_MS = 300_000;
/** A range or a tag of a registry, or an alias of another package there. */
const RANGE = /^(npm:(@[\w.-]+\/)?[\w.-]+(@|$))?[\w\s.^~<>=|*+-]*$/;

const Ranges = z.record(z.string(), z.string()).optional();
const LockedPackage = z.looseObject({
  version: z.string().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  link: z.boolean().optional(),
  inBundle: z.boolean().optional(),
  dependencies: Ranges,
  optionalDependencies: Ranges,
  peerDependencies: Ranges,
});
const Lock = z.looseObject({ lockfileVersion: z.number(), packages: z.record(z.string(), LockedPackage) });

/** What npm gets: only the dependencies. Scripts, workspaces, overrides and settings of the package are left out. */
export function dependenciesOf(json: PackageJson): Result<Record<string, Record<string, string>>> {
  const bundled = new Set(Array.isArray(json.bundleDependencies) ? json.bundleDependencies : []);
  const kept: Record<string, Record<string, string>> = {};
  for (const field of ["dependencies", "optionalDependencies", "peerDependencies"]) {
    const parsed = Ranges.safeParse(json[field]);
    if (!parsed.success) return refused(`its ${field} are not names with ranges`);
    const own = Object.entries(parsed.data ?? {}).filter(([name]) => !bundled.has(name));
    const wrong = own.find(([, range]) => !RANGE.test(range));
    if (wrong)
      return refused(`it depends on ${wrong[0]} by "${wrong[1]}", which is not a version in a registry`);
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
    return readLockFile(await readFile(join(folder, "package-lock.json"), "utf8"));
  });
}

export async function writeProject(folder: string, dependencies: object): Promise<void> {
  const project = { name: "capstan-package", version: "0.0.0", private: true, ...dependencies };
  await writeFile(join(folder, "package.json"), JSON.stringify(project));
}

export function readLockFile(text: string): Result<ResolvedDependencies> {
  const lock = Lock.safeParse(JSON.parse(text));
  if (!lock.success) return refused("npm wrote an unreadable lock file");
  const list: { name: string; version: string; hash: string }[] = [];
  for (const [path, entry] of Object.entries(lock.data.packages)) {
    const why = whyRefused(path, entry);
    if (why) return refused(why);
    if (path === "" || entry.inBundle) continue; // a bundled package is covered by the hash of the one around it
    list.push({ name: nameIn(path), version: entry.version ?? "", hash: entry.integrity ?? "" });
  }
  return ok({ lock: text, list });
}

function whyRefused(path: string, entry: z.infer<typeof LockedPackage>): string | undefined {
  const ranges = [entry.dependencies, entry.optionalDependencies].flatMap((each) =>
    Object.entries(each ?? {}),
  );
  const wrong = ranges.find(([, range]) => !RANGE.test(range));
  const from = path === "" ? "it" : `its dependency ${nameIn(path)}`;
  if (wrong) return `${from} depends on ${wrong[0]} by "${wrong[1]}", which is not a version in a registry`;
  if (path === "" || entry.inBundle) return undefined;
  if (entry.link || !/^https?:\/\//.test(entry.resolved ?? ""))
    return `${from} does not come from a registry`;
  return entry.integrity ? undefined : `the registry has no hash for ${from.replace("its dependency ", "")}`;
}

const nameIn = (path: string): string =>
  path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);

const refused = (why: string) => fail("archive_refused", { why });
