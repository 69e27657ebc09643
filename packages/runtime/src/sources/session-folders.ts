/**
 * A session's files as a real folder, for commands that work on paths. The folder is kept between calls: only what
 * changed goes in, and only what a command changed comes back, by hash. One call at a time per session.
 */
import { createHash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { chmod, lchown, lstat, mkdir, readdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { ok, type Result, type SessionFileStore } from "@capstan/core";

const MOST_CHANGED_FILES = 2_000; // a command that unpacks more than this is not one whose results a model reads
const IDLE_MS = 30 * 60 * 1000;

export interface FolderChanges {
  readonly written: readonly string[];
  readonly deleted: readonly string[];
  /** Paths that could not be kept, each with the reason. */
  readonly refused: readonly { readonly path: string; readonly why: string }[];
}

interface KnownFile {
  /** The store's time of the version that lies in the folder. */
  readonly storedAtMs: number;
  readonly hash: string;
  /** The change time, which a program cannot set back, unlike the modification time. */
  readonly changedAtMs: number;
}

export const NO_CHANGES: FolderChanges = { written: [], deleted: [], refused: [] };

export interface FolderUse<T> {
  readonly sessionId: string;
  readonly files: SessionFileStore;
  /** The system's user who will work in it. */
  readonly owner: number | undefined;
  /** Whether the work came to its end, so that its files can be kept. */
  readonly isWhole: (value: T) => boolean;
  /** Whether files of an earlier process that the store does not have are kept: its work goes on. */
  readonly adopts?: boolean;
}

interface SessionFolder {
  readonly path: string;
  readonly known: Map<string, KnownFile>;
  tail: Promise<unknown>;
  /** The refreshes in the middle of the work, one after the other. */
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
   * Folders carry the process id, so that the next server can tell which ones a dead one left. Lasting ones do not: a
   * program that finds its own records by the path of its folder finds them after a restart too.
   */
  constructor(root: string, now: () => number, { isLasting = false } = {}) {
    this.#root = isLasting ? root : join(root, `${process.pid}-${randomUUID().slice(0, 8)}`);
    this.#now = now;
    this.#isLasting = isLasting;
  }

  /** Brings the folder up to date, lets `work` use it, and brings back what it changed unless `isWhole` says no. */
  async use<T>(
    { sessionId, files, owner, isWhole, adopts = false }: FolderUse<T>,
    work: (folder: string) => Promise<T>,
  ): Promise<Result<{ value: T; changes: FolderChanges }>> {
    const folder = this.#folderOf(sessionId);
    const before = folder.tail;
    const turn = before.then(async (): Promise<Result<{ value: T; changes: FolderChanges }>> => {
      folder.lastUsedMs = this.#now();
      await this.#makeRoot();
      if (!folder.isKnown && !adopts) await rm(folder.path, { recursive: true, force: true });
      folder.isKnown = true;
      const filled = await fill(folder, files, owner);
      if (!filled.ok) return filled;
      const value = await work(folder.path);
      await folder.middle;
      if (isWhole(value)) return ok({ value, changes: await bringBack(folder, files) });
      // What a killed command left may be half written: the folder is made anew from the store next time.
      folder.known.clear();
      await rm(folder.path, { recursive: true, force: true });
      return ok({ value, changes: NO_CHANGES });
    });
    folder.tail = turn.catch(() => {});
    return turn;
  }

  /** In the middle of the work: what it changed so far comes back, and what others changed goes in. */
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

  /** An empty folder for one call that belongs to no session. */
  async throwaway<T>(owner: number | undefined, work: (folder: string) => Promise<T>): Promise<T> {
    await this.#makeRoot();
    const folder = join(this.#root, `call-${randomUUID()}`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await own(folder, owner);
    try {
      return await work(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Removes folders that nobody used for a while. */
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

  /** Open to all, so that each user gets to the folder of their own below it, which is not. */
  async #makeRoot(): Promise<void> {
    await mkdir(this.#root, { recursive: true, mode: 0o755 });
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

/** Removes the folders of servers that no longer live. */
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
  await mkdir(folder.path, { recursive: true, mode: 0o700 });
  await own(folder.path, owner);
  const stored = await storedFiles(files, "/");
  if (!stored.ok) return stored;
  for (const [path, { atMs, isReadonly }] of stored.value) {
    if (folder.known.get(path)?.storedAtMs === atMs) continue;
    const content = await files.read(path);
    if (!content.ok) continue; // deleted since it was listed
    await put(folder, path, content.value, { owner, isReadonly, atMs });
  }
  for (const path of folder.known.keys()) {
    if (stored.value.has(path)) continue;
    folder.known.delete(path);
    await rm(join(folder.path, path), { recursive: true, force: true });
  }
  return ok(true);
}

async function put(
  folder: SessionFolder,
  path: string,
  content: Uint8Array,
  { owner, isReadonly, atMs }: { owner: number | undefined; isReadonly: boolean; atMs: number },
): Promise<void> {
  const target = join(folder.path, path);
  for (const parent of parentsInside(folder.path, target)) {
    await mkdir(parent, { recursive: true });
    await own(parent, owner);
  }
  await rm(target, { recursive: true, force: true });
  await writeFile(target, content);
  await own(target, owner);
  await chmod(target, isReadonly ? 0o444 : 0o644);
  const { ctimeMs } = await lstat(target);
  folder.known.set(path, { storedAtMs: atMs, hash: hashOf(content), changedAtMs: ctimeMs });
}

/** Folders between the root and the file, outermost first, so that each gets its owner. */
function parentsInside(root: string, target: string): string[] {
  const parts = relative(root, dirname(target)).split(sep).filter(Boolean);
  return parts.map((_, index) => join(root, ...parts.slice(0, index + 1)));
}

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
  for await (const file of walk(folder.path, isOver)) {
    const path = `/${relative(folder.path, file).split(sep).join("/")}`;
    present.add(path);
    if (changes.written.length >= MOST_CHANGED_FILES) {
      changes.refused.push({ path, why: `a call may change ${MOST_CHANGED_FILES} files` });
      break;
    }
    const kept = await keepIfChanged(folder, files, file, path);
    if (kept === "written") changes.written.push(path);
    else if (kept !== "unchanged") changes.refused.push({ path, why: kept });
  }
  if (changes.refused.length > 0) return changes; // an unfinished walk must not delete what it did not see
  for (const path of [...folder.known.keys()].filter((each) => !present.has(each))) {
    const gone = await files.delete(path);
    folder.known.delete(path);
    if (gone.ok) changes.deleted.push(path);
  }
  return changes;
}

/** `written`, `unchanged`, or why it was not kept. */
async function keepIfChanged(
  folder: SessionFolder,
  files: SessionFileStore,
  file: string,
  path: string,
): Promise<string> {
  const known = folder.known.get(path);
  const { ctimeMs } = await lstat(file);
  if (known?.changedAtMs === ctimeMs) return "unchanged";
  const content = await readFile(file, { flag: constants.O_RDONLY | constants.O_NOFOLLOW });
  const hash = hashOf(content);
  if (known?.hash === hash) {
    folder.known.set(path, { ...known, changedAtMs: ctimeMs });
    return "unchanged";
  }
  const written = await files.write(path, content);
  if (!written.ok) {
    folder.known.delete(path);
    return written.failure.message;
  }
  folder.known.set(path, { storedAtMs: written.value.stat.updatedAt.getTime(), hash, changedAtMs: ctimeMs });
  return "written";
}

/** Regular files only: a link that a command made could lead anywhere. Links and empty folders are taken away at the end. */
async function* walk(folder: string, isOver: boolean): AsyncGenerator<string> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isFile()) yield path;
    else if (entry.isDirectory()) {
      yield* walk(path, isOver);
      if (isOver) await rmdir(path).catch(() => {});
    } else if (isOver) await rm(path, { force: true });
  }
}

async function own(path: string, uid: number | undefined): Promise<void> {
  if (uid !== undefined) await lchown(path, uid, uid);
}

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
