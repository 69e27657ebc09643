/**
 * One trigger at a time per lane, over any number of processes, using only files. Each lane is a folder with exactly one
 * file, its token: `free.<generation>`, or `held.<generation>.<owner>`. Taking and releasing are renames, so a token
 * can neither be duplicated nor taken from its owner by mistake: the owner's name is part of the renamed file.
 *
 * The generation increases when a trigger returns to the lane; whoever sees a new one must read the files again.
 */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { moveIfThere } from "./atomic-files.ts";
import type { Lives } from "./manager-pulse.ts";

const FREE = /^free\.(\d+)$/;
const HELD = /^held\.(\d+)\.([0-9a-f-]{36})$/;

export interface LaneToken {
  readonly generation: number;
  /** False when the lane was taken over meanwhile, because we were considered dead. */
  release(options: { changed: boolean }): Promise<boolean>;
}

export class LaneTokens {
  readonly #root: string;
  readonly #owner: () => string;

  constructor(root: string, owner: () => string) {
    this.#root = root;
    this.#owner = owner;
  }

  /** Undefined when someone holds the lane. */
  async take(lane: string): Promise<LaneToken | undefined> {
    const folder = this.#folderOf(lane);
    const names = await readdir(folder).catch(() => undefined);
    if (names === undefined) {
      await this.#make(folder);
      return this.take(lane);
    }
    const generation = names.flatMap((name) => FREE.exec(name)?.[1] ?? [])[0];
    if (generation === undefined) return undefined;
    const owner = this.#owner();
    const held = join(folder, `held.${generation}.${owner}`);
    if (!(await moveIfThere(join(folder, `free.${generation}`), held))) return undefined;
    return {
      generation: Number(generation),
      release: ({ changed }) =>
        moveIfThere(held, join(folder, `free.${Number(generation) + (changed ? 1 : 0)}`)),
    };
  }

  /** Releases what dead owners hold. Their triggers must have been released before. */
  async freeDead(lives: Lives): Promise<void> {
    for (const lane of await readdir(this.#root).catch(() => [])) {
      const folder = join(this.#root, lane);
      for (const name of await readdir(folder).catch(() => [])) {
        const [, generation = "0", owner = ""] = HELD.exec(name) ?? [];
        if (owner && !(await lives(owner)))
          await moveIfThere(join(folder, name), join(folder, `free.${Number(generation) + 1}`));
      }
    }
  }

  #folderOf(lane: string): string {
    return join(this.#root, createHash("sha256").update(lane).digest("hex").slice(0, 32));
  }

  /** Created elsewhere with its token and moved into place: a lane without a token is never visible. */
  async #make(folder: string): Promise<void> {
    const partial = join(this.#root, `.new-${randomUUID()}`);
    await mkdir(partial, { recursive: true });
    await writeFile(join(partial, "free.0"), "");
    await rename(partial, folder).catch(() => rm(partial, { recursive: true, force: true }));
  }
}
