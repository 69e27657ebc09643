/** Skills bundled with a command package (`bundled_skills`): found in its unpacked files, loaded with its tools. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Capability, Manifest } from "@capstan/core";
import { semverOf } from "@capstan/core/internal";
import type { PackageRecord } from "../db/schema/package-record.ts";
import { loadSkill } from "../sources/skill.ts";

/** Their usual locations, relative to the package's folder; `*` is any one folder. */
const PLACES = [
  "venv/lib/*/site-packages/*/skills",
  "package/skills",
  "package/src/skills",
  "package/*/skills",
];

/** An unreadable skill is skipped: the commands work without it. */
export async function bundledSkills(
  folder: string,
  manifest: Manifest,
  { version }: Pick<PackageRecord, "version">,
): Promise<Capability[]> {
  const parents = (await Promise.all(PLACES.map((place) => expand(folder, place.split("/"))))).flat();
  const skills: Capability[] = [];
  for (const { name } of manifest.bundled_skills ?? []) {
    const found = await firstSkill(parents.map((parent) => join(parent, name)));
    if (found) skills.push(withCommand(found, manifest, semverOf(version)));
  }
  return skills;
}

async function firstSkill(folders: readonly string[]): Promise<Capability | undefined> {
  for (const folder of folders) {
    const skill = await loadSkill(folder);
    if (skill.ok) return skill.value;
  }
  return undefined;
}

/**
 * A skill uses the package's commands, so it requires them and their rights. It has the package's version: its own may
 * not change when its text does.
 */
function withCommand(skill: Capability, { name, required_scopes }: Manifest, version: string): Capability {
  return {
    ...skill,
    version,
    dependencies: [...skill.dependencies, name],
    bundledWith: name,
    requiredScopes: required_scopes ?? [],
  };
}

async function expand(folder: string, [first, ...rest]: string[]): Promise<string[]> {
  if (first === undefined) return [folder];
  if (first !== "*") return expand(join(folder, first), rest);
  const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const folders = found.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  return (await Promise.all(folders.map((each) => expand(each, rest)))).flat();
}
