/**
 * Works inside a folder that others can write to at the same time, without ever leaving it: every step starts
 * from an open folder, and no link is followed. Node has no `openat`; on Linux `/proc/self/fd/<n>/name` is equivalent.
 * Elsewhere each step is checked before it is taken, which is enough where the server does not switch users.
 */
import { constants } from "node:fs";
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rmdir,
  unlink,
} from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { type PlainFile, readPlainFile } from "./plain-file.ts";

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const HAS_FOLDERS_BY_NUMBER = process.platform === "linux";

/** How to create a missing folder. */
export interface MadeFolder {
  readonly owner: number | undefined;
  readonly mode?: number;
  /** A file or a link in its place stays, and the folder is not opened; by default it is removed. */
  readonly replacesNothing?: boolean;
}

export interface FolderEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "other";
}

export type EntryAbout =
  | { readonly kind: "file"; readonly size: number; readonly isExecutable: boolean }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "folder" }
  | { readonly kind: "other" };

export class OpenFolder {
  readonly #handle: FileHandle;
  readonly #path: string;

  private constructor(handle: FileHandle, path: string) {
    this.#handle = handle;
    this.#path = path;
  }

  /** Undefined when it does not exist or is not a folder: a link to one, for example. */
  static async open(path: string): Promise<OpenFolder | undefined> {
    try {
      return new OpenFolder(await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), path);
    } catch (error) {
      if (isExpected(error)) return undefined;
      throw error;
    }
  }

  /** Opens a path below this folder; missing folders are created if `make` is given. */
  async below(names: readonly string[], make?: MadeFolder): Promise<OpenFolder | undefined> {
    let at = await OpenFolder.open(this.#at("."));
    for (const name of names) {
      if (!at) return undefined;
      const next = await at.#child(name, make);
      await at.close();
      at = next;
    }
    return at;
  }

  async entries(): Promise<FolderEntry[]> {
    const found = await readdir(this.#at("."), { withFileTypes: true });
    return found.map((entry) => ({
      name: entry.name,
      kind: entry.isFile() ? "file" : entry.isDirectory() ? "folder" : "other",
    }));
  }

  /** The content and modification time of a regular file; undefined for a link, a pipe or a device. */
  async read(name: string, maxBytes: number): Promise<PlainFile | undefined> {
    const file = await readPlainFile(this.#at(name), maxBytes);
    return typeof file === "string" ? undefined : file;
  }

  async changedAtMs(name: string): Promise<number | undefined> {
    const about = await lstat(this.#at(name)).catch(ignoreExpected);
    return about?.isFile() ? about.ctimeMs : undefined;
  }

  /** The type of the entry with this name, and a link's target; undefined if there is none. */
  async about(name: string): Promise<EntryAbout | undefined> {
    const about = await lstat(this.#at(name)).catch(ignoreExpected);
    if (!about) return undefined;
    if (about.isSymbolicLink()) {
      const target = await readlink(this.#at(name)).catch(() => undefined); // removed, or no longer a link
      return target === undefined ? { kind: "other" } : { kind: "link", target };
    }
    if (!about.isFile()) return { kind: about.isDirectory() ? "folder" : "other" };
    return { kind: "file", size: about.size, isExecutable: (about.mode & 0o100) !== 0 };
  }

  /** Replaces whatever has this name. Returns the modification time. */
  async write(
    name: string,
    bytes: Uint8Array,
    { owner, mode }: { owner: number | undefined; mode: number },
  ): Promise<number> {
    await this.remove(name);
    const handle = await open(this.#at(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      await handle.writeFile(bytes);
      if (owner !== undefined) await handle.chown(owner, owner);
      await handle.chmod(mode);
      return (await handle.stat()).ctimeMs;
    } finally {
      await handle.close();
    }
  }

  async rename(from: string, to: string): Promise<void> {
    await rename(this.#at(from), this.#at(to));
  }

  /** Removes a file, a link or a folder with its contents. */
  async remove(name: string): Promise<void> {
    const about = await lstat(this.#at(name)).catch(ignoreExpected);
    if (!about) return;
    if (!about.isDirectory()) return void (await unlink(this.#at(name)).catch(ignoreExpected));
    const inner = await this.#child(name);
    if (!inner) return;
    for (const entry of await inner.entries()) await inner.remove(entry.name);
    await inner.close();
    await rmdir(this.#at(name)).catch(ignoreExpected);
  }

  async removeIfEmpty(name: string): Promise<void> {
    await rmdir(this.#at(name)).catch(() => {});
  }

  /** Changes the owner of this folder and of the regular files and folders in it, except hard links. */
  async giveTo(uid: number, from: number): Promise<void> {
    const about = await this.#handle.stat();
    if (about.uid === from) await this.#handle.chown(uid, uid);
    for (const { name, kind } of await this.entries()) {
      if (kind === "folder") {
        const inner = await this.#child(name);
        await inner?.giveTo(uid, from);
        await inner?.close();
      } else if (kind === "file") {
        await withPlainFile(this.#at(name), async (file) => {
          if ((await file.stat()).uid === from) await file.chown(uid, uid);
        });
      }
    }
  }

  /** Lets others read this user's files in this folder, and run what the owner can run; hard links stay unchanged. */
  async letOthersRead(uid: number): Promise<void> {
    await letOthersUse(this.#handle, uid);
    for (const { name, kind } of await this.entries()) {
      if (kind === "folder") {
        const inner = await this.#child(name);
        await inner?.letOthersRead(uid);
        await inner?.close();
      } else if (kind === "file") await withPlainFile(this.#at(name), (file) => letOthersUse(file, uid));
    }
  }

  async setAccess(uid: number, gid: number, mode: number): Promise<void> {
    await this.#handle.chown(uid, gid);
    await this.#handle.chmod(mode);
  }

  async owner(): Promise<number> {
    return (await this.#handle.stat()).uid;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #child(name: string, make?: MadeFolder): Promise<OpenFolder | undefined> {
    const path = this.#at(name);
    if (!make) return OpenFolder.open(path);
    const isNew = await mkdir(path, { mode: make.mode ?? 0o700 }).then(() => true, ignoreExisting);
    const about = await lstat(path).catch(ignoreExpected);
    if (about && !about.isDirectory()) {
      if (make.replacesNothing) return undefined;
      await this.remove(name); // a file or a link where the session has a folder
      return this.#child(name, make);
    }
    const opened = await OpenFolder.open(path);
    if (isNew && opened && make.owner !== undefined) await opened.#handle.chown(make.owner, make.owner);
    if (isNew && opened && make.mode !== undefined) await opened.#handle.chmod(make.mode); // whatever the umask
    return opened;
  }

  #at(name: string): string {
    if (name.includes("/") || name === "..") throw new Error(`"${name}" is not a file name`);
    return HAS_FOLDERS_BY_NUMBER ? `/proc/self/fd/${this.#handle.fd}/${name}` : join(this.#path, name);
  }
}

/** A folder below another one whose own path is trusted; undefined if a link or a file is in between, or it is missing. */
export async function openBelow(
  root: string,
  path: string,
  make?: MadeFolder,
): Promise<OpenFolder | undefined> {
  const names = relative(root, path).split(sep).filter(Boolean);
  const opened = await OpenFolder.open(await realpath(root));
  const found = await opened?.below(names, make);
  await opened?.close();
  return found;
}

async function letOthersUse(file: FileHandle, uid: number): Promise<void> {
  const about = await file.stat();
  const wanted = about.mode | ((about.mode & 0o500) >> 3) | ((about.mode & 0o500) >> 6);
  if (about.uid === uid && wanted !== about.mode) await file.chmod(wanted & 0o7777);
}

/** Does nothing for a hard link, whose other name may be anywhere. */
async function withPlainFile(path: string, work: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(ignoreExpected);
  if (!file) return;
  const about = await file.stat();
  if (about.isFile() && about.nlink === 1) await work(file);
  await file.close();
}

/** Missing, of another type, or not readable. */
const EXPECTED = new Set([
  "ENOENT",
  "ENOTDIR",
  "ELOOP",
  "EMLINK",
  "ENXIO",
  "EACCES",
  "EISDIR",
  "ENODEV",
  "ENOTEMPTY",
]);

const isExpected = (error: unknown): boolean => EXPECTED.has((error as NodeJS.ErrnoException).code ?? "");

function ignoreExpected(error: unknown): undefined {
  if (!isExpected(error)) throw error;
  return undefined;
}

function ignoreExisting(error: unknown): false {
  if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  return false;
}
