/** What a session's work would change in the folder, and what prevents applying it. Read-only. */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { ok, type Result } from "@capstan/core";
import { type ChangedFile, changedFiles } from "./change-files.ts";
import { type Git, parts } from "./git.ts";
import type { Repository } from "./repository.ts";

const MOST_PATCH_BYTES = 8 * 1024 * 1024;
const DIFF = ["diff", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none"];
const PATCH = ["--no-color", "--submodule=short", "--src-prefix=a/", "--dst-prefix=b/", "--unified=3"];

/** The files that differ between two trees or commits. */
export async function filesBetween(
  git: Git,
  { commonDir: gitDir }: Pick<Repository, "commonDir">,
  from: string,
  to: string,
): Promise<Result<ChangedFile[]>> {
  const raw = await git.text([...DIFF, "--raw", "-z", "--no-abbrev", from, to], { gitDir });
  if (!raw.ok) return raw;
  const counts = await git.text([...DIFF, "--numstat", "-z", from, to], { gitDir });
  if (!counts.ok) return counts;
  const patch = await git.answer([...DIFF, ...PATCH, from, to], { gitDir, maxBytes: MOST_PATCH_BYTES });
  return ok(
    changedFiles({
      raw: raw.value,
      counts: counts.value,
      patch: patch.stdout.toString("utf8"),
      isCut: patch.isCut,
    }),
  );
}

/** The change on top of the folder's newest commit: its tree, or the files that conflict. */
export async function mergedTree(
  git: Git,
  { commonDir: gitDir, head }: Pick<Repository, "commonDir" | "head">,
  commit: string,
): Promise<Result<{ readonly tree: string; readonly conflicts: readonly string[] }>> {
  const merge = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", head, commit];
  const { code, stdout } = await git.answer(merge, { gitDir });
  if (code > 1) return git.text(merge, { gitDir }) as Promise<Result<never>>; // git's message, as a failure
  const [tree = "", ...paths] = parts(stdout);
  return ok({ tree, conflicts: code === 1 ? [...new Set(paths)] : [] });
}

/** Files of the change with other uncommitted changes in the folder; ignored files count too. */
export async function blockedPaths(
  git: Git,
  { gitDir, root: workTree }: Pick<Repository, "gitDir" | "root">,
  files: readonly ChangedFile[],
): Promise<Result<string[]>> {
  const status = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"];
  const more = ["--ignored=matching", "--ignore-submodules=all"];
  const told = await git.text([...status, ...more], { gitDir, workTree });
  if (!told.ok) return told;
  const dirty = new Set(parts(told.value).map((line) => line.slice(3)));
  const folders = [...dirty].filter((path) => path.endsWith("/")); // ignored folders: their content is not listed
  const blocked: string[] = [];
  for (const { path } of files) {
    const isBelow = folders.some((folder) => path.startsWith(folder));
    if (dirty.has(path) || (isBelow && (await isThere(join(workTree, path))))) blocked.push(path);
  }
  return ok(blocked);
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** Whether a link leads out of the folder, or may: in `name/..`, `name` may itself be a link. */
export function leadsOut(path: string, target: string): boolean {
  if (target.startsWith("/")) return true;
  const names = target.split("/").filter((name) => name !== "" && name !== ".");
  const down = names.findIndex((name) => name !== "..");
  const ups = down === -1 ? names.length : down;
  return names.slice(ups).includes("..") || ups > path.split("/").length - 1;
}

/** Links of the change that lead out of the folder. */
export async function outwardLinks(
  git: Git,
  { commonDir: gitDir }: Pick<Repository, "commonDir">,
  tree: string,
  files: readonly ChangedFile[],
): Promise<string[]> {
  const outward: string[] = [];
  for (const { path, kind, change } of files) {
    if (kind !== "link" || change === "removed") continue;
    const target = await git.text(["cat-file", "blob", `${tree}:${path}`], { gitDir });
    if (!target.ok) continue;
    if (leadsOut(path, target.value)) outward.push(`${path} -> ${target.value}`);
  }
  return outward;
}
