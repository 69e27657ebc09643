/**
 * Puts a change into the folder as one commit on the branch that is checked out there. The merge is computed without touching a
 * file; git then moves the folder to the finished commit and refuses as a whole where that would overwrite anything.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fail, ok, type Result } from "@capstan/core";
import { mergedTree } from "./folder-change.ts";
import { type Git, parts, plainError } from "./git.ts";
import type { Repository } from "./repository.ts";
import { commitTree } from "./worktree.ts";

export interface ChangeToApply {
  readonly git: Git;
  readonly repository: Repository;
  /** The work as a commit. */
  readonly commit: string;
  readonly branch: string;
  readonly message: string;
  readonly person: string;
}

/** The commit that the folder is to move to. */
export async function prepareCommit(change: ChangeToApply): Promise<Result<string>> {
  const { git, repository, commit, branch, message, person } = change;
  const { commonDir, head } = repository;
  if (repository.branch === undefined)
    return fail("folder_unusable", {
      folder: repository.root,
      why: "no branch is checked out",
      nextStep: "Check out the branch that the change is for, and apply again.",
    });
  const merged = await mergedTree(git, repository, commit);
  if (!merged.ok) return merged;
  const { tree, conflicts } = merged.value;
  if (conflicts.length > 0) return fail("folder_change_conflicts", { paths: conflicts, branch });
  const before = await git.line(["rev-parse", `${head}^{tree}`], { gitDir: commonDir });
  if (before.ok && before.value === tree) return fail("folder_change_empty", { branch });
  return commitTree(git, commonDir, { tree, parent: head, message, person });
}

/** Ignored files are kept too: by default git would overwrite them. */
const FORWARD = [
  ...["merge", "--ff-only", "--no-overwrite-ignore", "--no-autostash"],
  ...["--no-verify-signatures", "--quiet"],
];

/** All or nothing, unless the machine stops in the middle: `undoHalf` is for that. */
export async function moveFolder(
  { git, repository }: Pick<ChangeToApply, "git" | "repository">,
  commit: string,
): Promise<Result<true>> {
  const { gitDir, root: workTree } = repository;
  const moved = await git.answer([...FORWARD, commit], { gitDir, workTree });
  if (moved.code === 0) return ok(true);
  const paths = moved.stderr
    .split("\n")
    .filter((line) => line.startsWith("\t"))
    .map((line) => line.trim());
  if (paths.length > 0) return fail("folder_change_blocked", { paths, folder: workTree });
  return fail("folder_git_failed", { command: "merge --ff-only", output: plainError(moved.stderr) });
}

/** Whether the folder's branch has the commit. */
export async function hasCommit(git: Git, { gitDir }: Repository, commit: string): Promise<boolean> {
  return (await git.answer(["merge-base", "--is-ancestor", commit, "HEAD"], { gitDir })).code === 0;
}

/**
 * After a stop in the middle of `moveFolder`: files that are exactly as the commit has them, and not as the branch has them, are
 * ours, and are restored. Everything else in the folder stays.
 */
export async function undoHalf(
  git: Git,
  { gitDir, root: workTree, head }: Repository,
  commit: string,
): Promise<void> {
  const where = { gitDir, workTree };
  const told = await git.text(["diff", "--name-only", "--no-renames", "-z", head, commit], where);
  if (!told.ok) return;
  for (const path of parts(told.value)) {
    const is = await git.line(["hash-object", "--", path], where);
    const [ours, before] = await Promise.all(
      [commit, head].map((at) => git.line(["rev-parse", "--verify", "--quiet", `${at}:${path}`], where)),
    );
    if (!is.ok || !ours?.ok || is.value !== ours.value) continue;
    if (before?.ok) await git.answer(["checkout", head, "--", path], where);
    else {
      await rm(join(workTree, path), { force: true });
      await git.answer(["rm", "--cached", "--quiet", "--ignore-unmatch", "--", path], where);
    }
  }
}
