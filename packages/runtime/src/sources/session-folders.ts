/**
 * A session's files as a real folder, for commands that work on paths. The folder is kept between calls: only
 * changed files are written to it and read back, by hash. One call at a time per session.
 */
import { createHash, randomUUID } from "node:crypto";
import { lchown, lstat, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ok, type Result, type SessionFileStore } from "@capstan/core";
import { makePassage } from "../commands/open-to-others.ts";
import { OpenFolder } from "../files/open-folder.ts";

const MOST_CHANGED_FILES = 2_000; // a command that unpacks more than this has no results for a model to read
const MOST_FILE_BYTES = 512 * 1024 * 1024; // the store has a smaller limit with its own message
const IDLE_MS = 30 * 60 * 1000;

export interface FolderChanges {
  readonly written: readonly string[];
  readonly deleted: readonly string[];
  /** Paths that could not be saved, each with the reason. */
  readonly refused: readonly { readonly path: string; readonly why: string }[];
}

interface KnownFile {
  /** The store's timestamp of the version in the folder. */
  readonly storedAtMs: number;
  readonly hash: string;
  /** The change time, which a program cannot set back, unlike the modification time. */
  readonly changedAtMs: number;
}

export const NO_CHANGES: FolderChanges = { written: [], deleted: [], refused: [] };

export interface FolderUse<T> {
  readonly sessionId: string;
  readonly files: SessionFileStore;
  /** The OS user who will work in it. */
  readonly owner: number | undefined;
  /** Whether the work completed, so that its files can be saved. */
  readonly isWhole: (value: T) => boolean;
  /** Whether to keep files of an earlier process that are not in the store: its work continues. */
  readonly adopts?: boolean;
}

interface SessionFolder {
  readonly path: string;
  readonly known: Map<string, KnownFile>;
  tail: Promise<unknown>;
  /** Refreshes during the work, one after the other. */
  middle: Promise<unknown>;
  lastUsedMs: number;
  isKnown: boolean;
}

export class SessionFolders {
  readonly #root: string;
  readonly #now: () => number;
  readonly #folders = new Map<string, SessionFolder>();

  readonly #isLasting: boolean;

  /**
   * Folder names contain the process id, so that the next server can identify those of a dead one. Permanent ones do not: a
   * program that finds its own records by the path of its folder finds them after a restart too.
   */
  constructor(root: string, now: () => number, { isLasting = false } = {}) {
    this.#root = isLasting ? root : join(root, `${process.pid}-${randomUUID().slice(0, 8)}`);
    this.#now = now;
    this.#isLasting = isLasting;
  }

  /** Updates the folder, lets `work` use it, and saves what it changed unless `isWhole` says no. */
  async use<T>(
    { sessionId, files, owner, isWhole, adopts = false }: FolderUse<T>,
    work: (folder: string) => Promise<T>,
  ): Promise<Result<{ value: T; changes: FolderChanges }>> {
    const folder = this.#folderOf(sessionId);
    const before = folder.tail;
    const turn = before.then(async (): Promise<Result<{ value: T; changes: FolderChanges }>> => {
      folder.lastUsedMs = this.#now();
      await makePassage(this.#root);
      const keeps = (folder.isKnown || adopts) && (await belongsTo(folder.path, owner));
      if (!keeps) await discard(folder);
      folder.isKnown = true;
      const filled = await fill(folder, files, owner);
      if (!filled.ok) return filled;
      const value = await work(folder.path);
      await folder.middle;
      if (isWhole(value)) return ok({ value, changes: await bringBack(folder, files) });
      // Files of a killed command may be incomplete: the folder is recreated from the store next time.
      await discard(folder);
      return ok({ value, changes: NO_CHANGES });
    });
    folder.tail = turn.catch(() => {});
    return turn;
  }

  /** During the work: saves what it changed so far, and writes what others changed. */
  async refresh({
    sessionId,
    files,
    owner,
  }: Pick<FolderUse<unknown>, "sessionId" | "files" | "owner">): Promise<void> {
    const folder = this.#folderOf(sessionId);
    const turn = folder.middle.then(async () => {
      await bringBack(folder, files, { isOver: false });
      await fill(folder, files, owner);
    });
    folder.middle = turn.catch(() => {});
    await turn;
  }

  /** An empty folder for one call without a session. */
  async throwaway<T>(owner: number | undefined, work: (folder: string) => Promise<T>): Promise<T> {
    await makePassage(this.#root);
    const folder = join(this.#root, `call-${randomUUID()}`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (owner !== undefined) await lchown(folder, owner, owner);
    try {
      return await work(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Removes folders that were not used for a while. */
  async sweep(): Promise<void> {
    for (const [sessionId, folder] of this.#folders) {
      if (this.#now() - folder.lastUsedMs < IDLE_MS) continue;
      this.#folders.delete(sessionId);
      await folder.tail;
      await rm(folder.path, { recursive: true, force: true });
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#folders.values()].map(({ tail }) => tail));
    if (!this.#isLasting) await rm(this.#root, { recursive: true, force: true });
  }

  #folderOf(sessionId: string): SessionFolder {
    const known = this.#folders.get(sessionId);
    if (known) return known;
    const name = createHash("sha256").update(sessionId).digest("hex").slice(0, 32);
    const folder = {
      path: join(this.#root, name),
      known: new Map(),
      tail: Promise.resolve(),
      middle: Promise.resolve(),
      lastUsedMs: this.#now(),
      isKnown: false,
    };
    this.#folders.set(sessionId, folder);
    return folder;
  }
}

async function discard(folder: SessionFolder): Promise<void> {
  folder.known.clear();
  await rm(folder.path, { recursive: true, force: true });
}

/** A folder that was another user's is recreated: the next one could not change the files in it. */
async function belongsTo(path: string, owner = process.getuid?.()): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found === undefined || owner === undefined || found.uid === owner;
}

/** Removes the folders of dead servers. */
export async function sweepDeadFolders(root: string): Promise<void> {
  for (const name of await readdir(root).catch(() => [])) {
    const pid = Number(name.split("-")[0]);
    if (pid === process.pid || isAlive(pid)) continue;
    await rm(join(root, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function fill(
  folder: SessionFolder,
  files: SessionFileStore,
  owner: number | undefined,
): Promise<Result<true>> {
  const stored = await storedFiles(files, "/");
  if (!stored.ok) return stored;
  const root = await openRoot(folder.path, owner);
  try {
    for (const [path, { atMs, isReadonly }] of stored.value) {
      if (folder.known.get(path)?.storedAtMs === atMs) continue;
      const content = await files.read(path);
      if (!content.ok) continue; // deleted since it was listed
      const changedAtMs = await put(root, path, content.value, { owner, mode: isReadonly ? 0o444 : 0o644 });
      folder.known.set(path, { storedAtMs: atMs, hash: hashOf(content.value), changedAtMs });
    }
    for (const path of folder.known.keys()) {
      if (stored.value.has(path)) continue;
      folder.known.delete(path);
      await take(root, path);
    }
  } finally {
    await root.close();
  }
  return ok(true);
}

/** Created by us in a folder that only we can write to, so that nobody can have put a link in its place. */
async function openRoot(path: string, owner: number | undefined): Promise<OpenFolder> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (owner !== undefined) await lchown(path, owner, owner);
  const root = await OpenFolder.open(path);
  if (!root) throw new Error(`${path} is not a folder`);
  return root;
}

async function put(
  root: OpenFolder,
  path: string,
  content: Uint8Array,
  { owner, mode }: { owner: number | undefined; mode: number },
): Promise<number> {
  const [name = "", ...parents] = namesOf(path).reverse();
  const parent = await root.below(parents.reverse(), { owner });
  if (!parent) throw new Error(`the folder of ${path} was removed while it was written`);
  try {
    return await parent.write(name, content, { owner, mode });
  } finally {
    await parent.close();
  }
}

async function take(root: OpenFolder, path: string): Promise<void> {
  const [name = "", ...parents] = namesOf(path).reverse();
  const parent = await root.below(parents.reverse());
  await parent?.remove(name);
  await parent?.close();
}

const namesOf = (path: string): string[] => path.split("/").filter(Boolean);

async function storedFiles(
  files: SessionFileStore,
  folder: string,
): Promise<Result<Map<string, { atMs: number; isReadonly: boolean }>>> {
  const found = new Map<string, { atMs: number; isReadonly: boolean }>();
  const waiting = [folder];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const listed = await files.list(at);
    if (!listed.ok) return listed;
    for (const { path, isDirectory, isReadonly, updatedAt } of listed.value) {
      if (isDirectory) waiting.push(path);
      else found.set(path, { atMs: updatedAt.getTime(), isReadonly });
    }
  }
  return ok(found);
}

async function bringBack(
  folder: SessionFolder,
  files: SessionFileStore,
  { isOver = true } = {},
): Promise<FolderChanges> {
  const changes = {
    written: [] as string[],
    deleted: [] as string[],
    refused: [] as { path: string; why: string }[],
  };
  const present = new Set<string>();
  const root = await OpenFolder.open(folder.path);
  if (!root) return NO_CHANGES;
  for await (const { path, parent, name } of walk(root, "/", isOver)) {
    present.add(path);
    if (changes.written.length >= MOST_CHANGED_FILES) {
      changes.refused.push({ path, why: `a call may change at most ${MOST_CHANGED_FILES} files` });
      break;
    }
    const kept = await keepIfChanged(folder, files, { path, parent, name });
    if (kept === "written") changes.written.push(path);
    else if (kept !== "unchanged") changes.refused.push({ path, why: kept });
  }
  await root.close();
  if (changes.refused.length > 0) return changes; // an unfinished walk must not delete what it did not see
  for (const path of [...folder.known.keys()].filter((each) => !present.has(each))) {
    const gone = await files.delete(path);
    folder.known.delete(path);
    if (gone.ok) changes.deleted.push(path);
  }
  return changes;
}

interface FoundFile {
  readonly path: string;
  readonly parent: OpenFolder;
  readonly name: string;
}

/** `written`, `unchanged`, or why it was not saved. */
async function keepIfChanged(
  folder: SessionFolder,
  files: SessionFileStore,
  { path, parent, name }: FoundFile,
): Promise<string> {
  const known = folder.known.get(path);
  if (known && known.changedAtMs === (await parent.changedAtMs(name))) return "unchanged";
  const file = await parent.read(name, MOST_FILE_BYTES);
  if (!file) return `it is not a regular file, or larger than ${MOST_FILE_BYTES} bytes`;
  const { bytes, changedAtMs } = file;
  const hash = hashOf(bytes);
  if (known?.hash === hash) {
    folder.known.set(path, { ...known, changedAtMs });
    return "unchanged";
  }
  const written = await files.write(path, bytes);
  if (!written.ok) {
    folder.known.delete(path);
    return written.failure.message;
  }
  folder.known.set(path, { storedAtMs: written.value.stat.updatedAt.getTime(), hash, changedAtMs });
  return "written";
}

/** Regular files only: a link created by a command could point anywhere. Links and empty folders are removed at the end. */
async function* walk(folder: OpenFolder, at: string, isOver: boolean): AsyncGenerator<FoundFile> {
  for (const { name, kind } of await folder.entries()) {
    if (kind === "file") yield { path: `${at}${name}`, parent: folder, name };
    else if (kind === "folder") yield* walkInside(folder, name, at, isOver);
    else if (isOver) await folder.remove(name);
  }
}

async function* walkInside(
  folder: OpenFolder,
  name: string,
  at: string,
  isOver: boolean,
): AsyncGenerator<FoundFile> {
  const inner = await folder.below([name]);
  if (!inner) return;
  try {
    yield* walk(inner, `${at}${name}/`, isOver);
  } finally {
    await inner.close();
  }
  if (isOver) await folder.removeIfEmpty(name);
}

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
