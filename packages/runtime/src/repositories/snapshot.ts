/**
 * The state of a worktree as a tree of its repository, without its program's cooperation. Files are read the way session files
 * are, never following a link, and copied to a folder of ours; git only reads the copies. So a program that swaps a file for a
 * link in between cannot make the server read a file of its own.
 */
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fail, ok, type Result } from "@capstan/core";
import { OpenFolder } from "../files/open-folder.ts";
import { type Git, parts } from "./git.ts";
import { waitingFile } from "./waiting-files.ts";

const MOST_FILES = 5_000; // changed files; more than that is build output
const MOST_BYTES = 256 * 1024 * 1024;
const SUBMODULE = "160000";

export interface SnapshotPlace {
  readonly git: Git;
  /** The worktree's own folder in the repository, which its program does not choose. */
  readonly gitDir: string;
  readonly folder: string;
  /** For the copies; no other user can write to it. */
  readonly scratch: string;
}

export interface Snapshot {
  readonly tree: string;
  /** Files of the worktree that the tree lacks. */
  readonly leftOut: readonly string[];
}

/** With `keepIndex` the worktree's own list of files is brought up to date too, as `git add` would. */
export async function takeSnapshot(
  place: SnapshotPlace,
  { keepIndex = false } = {},
): Promise<Result<Snapshot>> {
  const scratch = await mkdtemp(join(place.scratch, "snapshot-"));
  try {
    return await snapshotIn(place, scratch, keepIndex);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function snapshotIn(
  place: SnapshotPlace,
  scratch: string,
  keepIndex: boolean,
): Promise<Result<Snapshot>> {
  const { git, gitDir } = place;
  const index = join(gitDir, "index");
  const indexFile = join(scratch, "index");
  const copies = join(scratch, "files");
  await mkdir(copies);
  await copyFile(index, indexFile).catch(() => {}); // without one everything is new
  const changed = await changedPaths(place, indexFile);
  if (!changed.ok) return changed;
  const copied = await copyPaths(place.folder, copies, changed.value.paths);
  if (!copied.ok) return copied;
  const input = changed.value.paths.map((path) => `${path}\0`).join("");
  const added = await git.text(["update-index", "-z", "--add", "--remove", "--replace", "--stdin"], {
    gitDir,
    workTree: copies,
    indexFile,
    input,
  });
  if (!added.ok) return added;
  const tree = await git.line(["write-tree"], { gitDir, indexFile });
  if (!tree.ok) return tree;
  if (keepIndex) {
    await rm(join(gitDir, "index.lock"), { force: true }); // of a killed program: nothing else works here
    await copyFile(indexFile, index);
  }
  return ok({ tree: tree.value, leftOut: [...changed.value.leftOut, ...copied.value] });
}

interface Changed {
  readonly paths: readonly string[];
  readonly leftOut: readonly string[];
}

/** Lists names only; contents are not read here. */
async function changedPaths(
  { git, gitDir, folder }: SnapshotPlace,
  indexFile: string,
): Promise<Result<Changed>> {
  const waiting = await waitingFile(folder);
  if (waiting !== undefined)
    return fail("folder_git_failed", { command: "ls-files", output: `${waiting} is not a plain file` });
  const where = { gitDir, workTree: folder, indexFile };
  const list = [
    "ls-files",
    "-z",
    "--modified",
    "--deleted",
    "--others",
    "--exclude-standard",
    "--deduplicate",
  ];
  const told = await git.text(list, where);
  if (!told.ok) return told;
  const staged = await git.text(["ls-files", "-z", "--stage"], where);
  if (!staged.ok) return staged;
  const submodules = parts(staged.value)
    .filter((line) => line.startsWith(SUBMODULE))
    .map((line) => line.slice(line.indexOf("\t") + 1));
  const inSubmodule = (path: string) => submodules.some((at) => path === at || path.startsWith(`${at}/`));
  const all = [...new Set(parts(told.value))];
  const nested = all.filter((path) => path.endsWith("/")); // a nested repository
  const paths = all.filter((path) => !path.endsWith("/") && !inSubmodule(path));
  if (paths.length > MOST_FILES)
    return fail("folder_change_too_large", { what: `${paths.length} files; ${MOST_FILES} are the most` });
  const touched = await usedSubmodules(folder, submodules);
  return ok({
    paths,
    leftOut: [
      ...nested.map((path) => `${path}: a repository of its own`),
      ...touched.map((path) => `${path}: changes inside a submodule`),
    ],
  });
}

/** Submodules of a new worktree are empty; one with files was written to. */
async function usedSubmodules(folder: string, submodules: readonly string[]): Promise<string[]> {
  const root = await OpenFolder.open(folder);
  if (!root) return [];
  const used: string[] = [];
  for (const path of submodules) {
    const inner = await root.below(path.split("/"));
    if (inner && (await inner.entries()).length > 0) used.push(path);
    await inner?.close();
  }
  await root.close();
  return used;
}

/**
 * Paths that are neither files nor links are left out, and named. Links come last, and nothing is written below one: the copies
 * stay in our folder whatever the links point at.
 */
async function copyPaths(
  folder: string,
  copies: string,
  paths: readonly string[],
): Promise<Result<string[]>> {
  const root = await OpenFolder.open(folder);
  if (!root) return fail("folder_git_failed", { command: "ls-files", output: `${folder} is gone` });
  const leftOut: string[] = [];
  const links = new Map<string, string>();
  let bytes = 0;
  try {
    for (const path of paths) {
      const copied = await copyFileSafely(root, copies, path, MOST_BYTES - bytes);
      if (copied === "too large")
        return fail("folder_change_too_large", { what: `more than ${MOST_BYTES / 1024 / 1024} MB` });
      if (copied === "refused") leftOut.push(`${path}: not a file that can be kept`);
      else if (typeof copied === "number") bytes += copied;
      else links.set(path, copied.target);
    }
  } finally {
    await root.close();
  }
  return ok([...leftOut, ...(await makeLinks(copies, links))]);
}

type Copied = number | "refused" | "too large" | { readonly target: string };

/** The number of bytes copied (0 for a deleted file or a folder), or the target of a link, which is made later. */
async function copyFileSafely(
  root: OpenFolder,
  copies: string,
  path: string,
  mostBytes: number,
): Promise<Copied> {
  if (path.includes("\uFFFD")) return "refused"; // a name that is not UTF-8, which would look like a deleted file
  const [name = "", ...parents] = path.split("/").reverse();
  const parent = await root.below(parents.reverse());
  if (!parent) return 0;
  try {
    const about = await parent.about(name);
    if (about === undefined || about.kind === "folder") return 0;
    if (about.kind === "link") return { target: about.target };
    if (about.kind === "other") return "refused";
    if (about.size > mostBytes) return "too large";
    const file = await parent.read(name, mostBytes);
    if (!file) return "refused";
    const target = join(copies, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, file.bytes);
    if (about.isExecutable) await chmod(target, 0o755);
    return file.bytes.length;
  } finally {
    await parent.close();
  }
}

async function makeLinks(copies: string, links: ReadonlyMap<string, string>): Promise<string[]> {
  const leftOut: string[] = [];
  for (const [path, target] of links) {
    if (ancestors(path).some((above) => links.has(above))) {
      leftOut.push(`${path}: below a link`);
      continue;
    }
    await mkdir(dirname(join(copies, path)), { recursive: true });
    await symlink(target, join(copies, path)).catch(() => leftOut.push(`${path}: changed while it was read`));
  }
  return leftOut;
}

const ancestors = (path: string): string[] =>
  path
    .split("/")
    .slice(0, -1)
    .map((_, index, names) => names.slice(0, index + 1).join("/"));
