/** A folder that an agent may work in: the top of a git repository with a commit, which git itself trusts. */
import { realpath, stat } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { fail, ok, type Result } from "@capstan/core";
import { type Git, parts, plainError } from "./git.ts";

export interface Repository {
  /** The folder itself, links resolved. */
  readonly root: string;
  /** Of this checkout; the folder may itself be a worktree. */
  readonly gitDir: string;
  /** What all worktrees share: objects and branches. */
  readonly commonDir: string;
  /** The newest commit of the branch that is checked out. */
  readonly head: string;
  /** Undefined: no branch is checked out. */
  readonly branch: string | undefined;
}

/** Links are resolved: one inside an allowed folder must not lead out of it. */
export async function allowedFolder(folder: string, allowed: readonly string[]): Promise<Result<string>> {
  const real = await realpath(folder).catch(() => undefined);
  const roots = await Promise.all(allowed.map((root) => realpath(root).catch(() => undefined)));
  const isInside = roots.some((root) => root && (real === root || real?.startsWith(root + sep)));
  if (real !== undefined && isInside) return ok(real);
  // Whether a folder outside the list exists is not revealed.
  const isGone = real === undefined && isBelow(folder, allowed);
  return isGone ? unusable(folder, "there is no such folder", MOVED) : fail("folder_not_allowed", { folder });
}

const MOVED = "Create the folder again, or change the folder of the agent.";

const isBelow = (folder: string, allowed: readonly string[]): boolean =>
  allowed.some((root) => resolve(folder).startsWith(resolve(root) + sep));

export async function openRepository(git: Git, folder: string): Promise<Result<Repository>> {
  const about = await stat(folder).catch(() => undefined);
  if (!about?.isDirectory()) return unusable(folder, "there is no such folder", MOVED);
  const told = await git.answer(QUESTIONS, { cwd: folder });
  if (told.code !== 0)
    return (await unworkable(git, folder)) ?? unusable(folder, plainError(told.stderr) || UNKNOWN, INIT);
  const [top = "", gitDir = "", commonDir = ""] = told.stdout.toString("utf8").split("\n");
  if ((await realpath(top)) !== (await realpath(folder)))
    return unusable(
      folder,
      `its repository begins at ${top}`,
      `Name ${top}, if the whole of it may be changed.`,
    );
  const programs = await ownPrograms(git, gitDir);
  if (!programs.ok) return programs;
  if (programs.value.length > 0)
    return unusable(
      folder,
      `its own git config runs programs, or has parts that count only under a condition: ${programs.value.slice(0, 5).join(", ")}`,
      "If you trust them, move them to the git config of the server's user (`git config --global`).",
    );
  const head = await git.line(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { gitDir });
  if (!head.ok) return unusable(folder, "it has no commit yet", "Make a first commit in it.");
  const branch = await git.line(["symbolic-ref", "--quiet", "HEAD"], { gitDir });
  const root = await realpath(folder);
  return ok({
    root,
    gitDir,
    commonDir: resolve(folder, commonDir),
    head: head.value,
    branch: branch.ok ? branch.value.replace(/^refs\/heads\//, "") : undefined,
  });
}

const RUNS_PROGRAMS = String.raw`^(filter\..*\.(clean|smudge|process)|merge\..*\.driver|includeif\..*\.path)$`;
const OWN_SCOPES = new Set(["local", "worktree"]);

/**
 * Filters and merge drivers that come with the folder, also by files that its config includes. A checkout would run them as
 * the server. Hooks, monitors and the rest are off in `git.ts`; these have names of their own and cannot be. A file that is
 * included under a condition (a branch, a path) may apply in the worktree only, which is not checked: none is accepted.
 */
async function ownPrograms(git: Git, gitDir: string): Promise<Result<string[]>> {
  const asked = ["config", "--show-scope", "--name-only", "-z", "--get-regexp", RUNS_PROGRAMS];
  const { code, stdout, stderr } = await git.answer(asked, { gitDir });
  if (code > 1) return fail("folder_git_failed", { command: "config", output: plainError(stderr) });
  const found = parts(stdout);
  return ok(found.filter((_, at) => at % 2 === 1 && OWN_SCOPES.has(found[at - 1] ?? "")));
}

/** git looks for the repository itself here, so that it refuses one that another user owns. */
const QUESTIONS = ["rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir"];

const UNKNOWN = "git does not know it";

/** Repositories without a working folder of their own. */
async function unworkable(git: Git, folder: string): Promise<Result<never> | undefined> {
  const told = await git.line(["rev-parse", "--is-bare-repository", "--is-inside-git-dir"], { cwd: folder });
  const [isBare, isInside] = told.ok ? told.value.split("\n") : [];
  if (isBare === "true") return unusable(folder, "it is a bare repository, without files", CLONE);
  if (isInside === "true") return unusable(folder, "it is git's own, no folder that people work in", ABOVE);
  return undefined;
}

const CLONE = "Name a clone of it that has its files (`git clone`).";
const ABOVE = "Name the folder that it is in.";

const INIT = "Make it a git repository (`git init`, then a first commit), or name one that is.";

const unusable = (folder: string, why: string, nextStep: string): Result<never> =>
  fail("folder_unusable", { folder, why, nextStep });
