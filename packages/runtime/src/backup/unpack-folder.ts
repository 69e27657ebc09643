/**
 * Unpacks the entries of a backup into a data folder: first next to it, then all at once into place.
 *
 * Links are created last, so that no file is ever written through one: a tampered backup cannot write outside
 * the folder. Unpacked packages that cannot work here are left out; they are unpacked again from the store.
 */
import { randomUUID } from "node:crypto";
import { type FileHandle, lchown, mkdir, open, readdir, rename, rm, stat, symlink } from "node:fs/promises";
import { isAbsolute, join, normalize } from "node:path";
import type { FolderEntry } from "./backup-format.ts";
import { LEFT_OUT } from "./pack-folder.ts";

type Link = Extract<FolderEntry, { is: "link" }>;
type Placed = Extract<FolderEntry, { is: "file" | "folder" }>;

const PACKAGES = "packages/";

export class FolderUnpacker {
  files = 0;
  readonly #root: string;
  readonly #aside: string;
  readonly #withPackages: boolean;
  readonly #links: Link[] = [];
  readonly #moved: string[] = [];
  #open: { handle: FileHandle; changedMs: number } | undefined;
  #skipping = false;

  constructor(root: string, { withPackages }: { withPackages: boolean }) {
    this.#root = root;
    this.#aside = join(root, `.restore-${randomUUID()}`);
    this.#withPackages = withPackages;
  }

  async add(entry: FolderEntry): Promise<void> {
    if (entry.is === "part") return this.#write(entry.base64);
    await this.#closeFile();
    if (!isInside(entry.path)) throw new Error(`"${entry.path}" is outside the data folder`);
    this.#skipping = !this.#withPackages && entry.path.startsWith(PACKAGES);
    if (this.#skipping) return;
    if (entry.is === "link") this.#links.push(entry);
    else await this.#place(entry);
  }

  /** Moves everything into place. */
  async finish(): Promise<void> {
    await this.#closeFile();
    await mkdir(this.#aside, { recursive: true, mode: 0o700 });
    const broken = await this.#brokenPackages();
    for (const name of broken) await rm(join(this.#aside, PACKAGES, name), { recursive: true, force: true });
    for (const { path, target } of this.#links) {
      const name = packageOf(path);
      if (name !== undefined && (broken.has(name) || broken.has(target))) continue;
      await symlink(target, join(this.#aside, path));
    }
    for (const name of await readdir(this.#aside)) {
      await rename(join(this.#aside, name), join(this.#root, name));
      this.#moved.push(name);
    }
    await rm(this.#aside, { recursive: true, force: true });
  }

  /** Removes what it created, whether already in place or not. */
  async undo(): Promise<void> {
    await this.#open?.handle.close().catch(() => {});
    const made = [this.#aside, ...this.#moved.map((name) => join(this.#root, name))];
    for (const path of made) await rm(path, { recursive: true, force: true });
  }

  async #place(entry: Placed): Promise<void> {
    const place = join(this.#aside, entry.path);
    await mkdir(join(place, ".."), { recursive: true });
    if (entry.is === "folder") await mkdir(place, { recursive: true, mode: entry.mode });
    else {
      this.#open = { handle: await open(place, "wx", entry.mode), changedMs: entry.changed_ms };
      this.files++;
    }
    if (process.getuid?.() === 0) await lchown(place, entry.uid, entry.gid);
  }

  async #write(base64: string): Promise<void> {
    if (!this.#skipping) await this.#open?.handle.writeFile(Buffer.from(base64, "base64"));
  }

  async #closeFile(): Promise<void> {
    if (!this.#open) return;
    const { handle, changedMs } = this.#open;
    this.#open = undefined;
    await handle.utimes(new Date(), new Date(changedMs));
    await handle.close();
  }

  /** A virtual environment points to the Python that created it; if that is missing, the package cannot start. */
  async #brokenPackages(): Promise<Set<string>> {
    const broken = new Set<string>();
    for (const { path, target } of this.#links) {
      const name = packageOf(path);
      if (name === undefined || !isAbsolute(target) || (await stat(target).catch(() => undefined))) continue;
      broken.add(name);
    }
    return broken;
  }
}

/** Entries of a data folder that a restore would mix with. */
export async function foldersInTheWay(root: string): Promise<string[]> {
  const names = await readdir(root).catch(() => [] as string[]);
  return names.filter((name) => !LEFT_OUT.has(name));
}

const packageOf = (path: string): string | undefined =>
  path.startsWith(PACKAGES) ? path.slice(PACKAGES.length).split("/")[0] : undefined;

const isInside = (path: string): boolean =>
  path !== "" && !isAbsolute(path) && !path.includes("\0") && !normalize(path).startsWith("..");
