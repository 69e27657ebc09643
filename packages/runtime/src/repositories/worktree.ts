/**
 * One worktree: the folder a program works in, and what git knows of it inside the repository. The program may only
 * write to the folder; the `.git` file in it is never trusted.
 */
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fail, ok, type Result } from "@capstan/core";
import { OpenFolder } from "../files/open-folder.ts";
import type { FolderWork } from "./folder-works.ts";
import type { Git } from "./git.ts";
import type { Repository } from "./repository.ts";
import { type Snapshot, takeSnapshot } from "./snapshot.ts";
import { waitingFile } from "./waiting-files.ts";

const SAVER = "Capstan";

export interface WorktreePlace {
  readonly git: Git;
  readonly repository: Repository;
  readonly work: Pick<FolderWork, "branch" | "start" | "sessionId">;
  /** The folder of the program. */
  readonly folder: string;
  /** Only for us, for copies. */
  readonly scratch: string;
}

/** git names it after the folder. */
const adminDir = ({ repository, folder }: WorktreePlace): string =>
  join(repository.commonDir, "worktrees", basename(folder));

/** Exists before a program starts: created, or recreated from the branch if someone removed it. */
export async function placeWorktree(
  place: WorktreePlace,
  owner: number | undefined,
): Promise<Result<"kept" | "made">> {
  const isThere = await isComplete(place);
  if (!isThere) {
    const made = (await isOrphan(place)) ? await adoptFolder(place) : await makeWorktree(place);
    if (!made.ok) return made;
  }
  await giveTo(place, owner);
  return ok(isThere ? "kept" : "made");
}

/** A killed start leaves a lock, or no index. */
export async function isComplete(place: WorktreePlace): Promise<boolean> {
  const admin = adminDir(place);
  const [folder, index, lock] = await Promise.all(
    [place.folder, join(admin, "index"), join(admin, "locked")].map((path) =>
      stat(path).catch(() => undefined),
    ),
  );
  return folder?.isDirectory() === true && index !== undefined && lock === undefined;
}

async function makeWorktree(place: WorktreePlace): Promise<Result<true>> {
  const { git, repository, work, folder } = place;
  await removeFolders(place);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const gitDir = repository.commonDir;
  const at = await savedCommit(place);
  const added = await git.text(["worktree", "add", "--force", "-B", work.branch, folder, at], { gitDir });
  return added.ok ? ok(true) : added;
}

/** The newest commit of its branch, or its first if the branch is gone. */
async function savedCommit({ git, repository, work }: WorktreePlace): Promise<string> {
  const tip = ["rev-parse", "--verify", "--quiet", `refs/heads/${work.branch}`];
  const found = await git.line(tip, { gitDir: repository.commonDir });
  return found.ok ? found.value : work.start;
}

/** The program's files are there, but git's record of the worktree was removed. */
async function isOrphan(place: WorktreePlace): Promise<boolean> {
  const admin = await readdir(adminDir(place)).catch((): string[] => []);
  if (admin.includes("index") || admin.includes("locked")) return false;
  const files = await readdir(place.folder).catch((): string[] => []);
  return files.some((name) => name !== ".git");
}

/** git's record is recreated beside the files, which stay unchanged. */
async function adoptFolder(place: WorktreePlace): Promise<Result<true>> {
  const { git, repository, work, folder } = place;
  const admin = adminDir(place);
  await rm(admin, { recursive: true, force: true });
  const beside = join(place.scratch, work.sessionId, basename(folder)); // git names its record after the folder
  await removeFolder(beside);
  await mkdir(beside, { recursive: true, mode: 0o700 });
  const at = await savedCommit(place);
  const add = ["worktree", "add", "--force", "--no-checkout", "-B", work.branch, beside, at];
  const added = await git.text(add, { gitDir: repository.commonDir });
  await rm(dirname(beside), { recursive: true, force: true });
  if (!added.ok) return added;
  await writeFile(join(admin, "gitdir"), `${join(folder, ".git")}\n`);
  await rm(join(folder, ".git"), { recursive: true, force: true });
  await writeFile(join(folder, ".git"), `gitdir: ${admin}\n`, { flag: "wx" });
  const listed = await git.text(["read-tree", at], { gitDir: admin });
  return listed.ok ? ok(true) : listed;
}

/** The program's user owns the files; git's data stays ours. */
async function giveTo(place: WorktreePlace, owner: number | undefined): Promise<void> {
  const root = owner === undefined ? undefined : await OpenFolder.open(place.folder);
  if (!root || owner === undefined) return;
  const before = await root.owner();
  if (before !== owner) await root.giveTo(owner, before);
  await root.close();
  // The times of all files have changed: without this, git compares each file whenever the change is read.
  const where = { gitDir: adminDir(place), workTree: place.folder };
  if (before !== owner && (await waitingFile(place.folder)) === undefined)
    await place.git.answer(["update-index", "-q", "--refresh"], where);
}

/** The worktree as it is now, read-only. */
export const readWorktree = (place: WorktreePlace): Promise<Result<Snapshot>> =>
  takeSnapshot({ ...place, gitDir: adminDir(place) });

export interface SavedWork extends Snapshot {
  readonly commit: string;
}

/** The worktree as it is now, as a commit on its branch, on top of commits that the program made itself. */
export async function saveWorktree(place: WorktreePlace, message: string): Promise<Result<SavedWork>> {
  const { git, work } = place;
  const gitDir = adminDir(place);
  const standing = (await isOrphan(place)) ? await adoptFolder(place) : ok(true);
  if (!standing.ok) return standing;
  if (!(await isComplete(place))) return fail("folder_worktree_gone", { branch: work.branch });
  const taken = await takeSnapshot({ ...place, gitDir }, { keepIndex: true });
  if (!taken.ok) return taken;
  const head = await git.line(["rev-parse", "--verify", "HEAD^{commit}"], { gitDir });
  const parent = head.ok ? head : ok(work.start); // someone deleted the branch
  const before = await git.line(["rev-parse", `${parent.value}^{tree}`], { gitDir });
  const isSame = before.ok && before.value === taken.value.tree;
  const commit = isSame
    ? parent
    : await commitTree(git, gitDir, { ...taken.value, parent: parent.value, message, person: SAVER });
  if (!commit.ok) return commit;
  const branch = `refs/heads/${work.branch}`;
  for (const step of [
    ["update-ref", branch, commit.value],
    ["symbolic-ref", "HEAD", branch],
  ]) {
    const done = await git.text(step, { gitDir });
    if (!done.ok) return done;
  }
  return ok({ ...taken.value, commit: commit.value });
}

export interface NewCommit {
  readonly tree: string;
  readonly parent: string;
  readonly message: string;
  readonly person: string;
}

export const commitTree = (
  git: Git,
  gitDir: string,
  { tree, parent, message, person }: NewCommit,
): Promise<Result<string>> =>
  git.line(["commit-tree", tree, "-p", parent, "-F", "-"], { gitDir, input: message, person });

/** Worktree and branch are gone afterwards; without the repository, the folder is. */
export async function removeWorktree(
  place: Omit<WorktreePlace, "repository"> & { readonly repository: Repository | undefined },
): Promise<Result<true>> {
  const { git, repository, work } = place;
  if (!repository) {
    await removeFolder(place.folder);
    return ok(true);
  }
  await removeFolders({ ...place, repository });
  return removeBranch(git, repository, work.branch);
}

export async function removeBranch(git: Git, repository: Repository, branch: string): Promise<Result<true>> {
  const gone = await git.answer(["update-ref", "-d", `refs/heads/${branch}`], {
    gitDir: repository.commonDir,
  });
  return gone.code === 0
    ? ok(true)
    : fail("folder_git_failed", { command: "update-ref", output: gone.stderr });
}

async function removeFolders(place: WorktreePlace): Promise<void> {
  await removeFolder(place.folder);
  await rm(adminDir(place), { recursive: true, force: true });
}

/** Without following what the program put there. */
async function removeFolder(folder: string): Promise<void> {
  const parent = await OpenFolder.open(dirname(folder));
  await parent?.remove(basename(folder));
  await parent?.close();
}
