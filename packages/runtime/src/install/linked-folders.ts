/**
 * Packages installed with `--link`: their folders are polled every second, and a change is installed like a reinstall
 * once the folder has not changed for a second. A change that needs a review waits for it; meanwhile the previous
 * version keeps running, and `problems` says why.
 */
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Failure } from "@capstan/core";
import type { PackageRecord } from "../db/schema/package-record.ts";
import type { Installer } from "./installer.ts";
import type { PackageStore } from "./package-store.ts";
import { isLeftOut } from "./read-folder.ts";

const EVERY_MS = 1000;

export interface LinkedFolderParts {
  readonly store: Pick<PackageStore, "list">;
  readonly installer: Pick<Installer, "update">;
  /** Called after a package changed, so that it takes effect here. */
  readonly onUpdate: (record: PackageRecord) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

interface Seen {
  readonly state: string;
  /** Installed, or refused with a reason. */
  readonly isDone: boolean;
}

export class LinkedFolders {
  readonly problems = new Map<string, Failure>();
  readonly #parts: LinkedFolderParts;
  readonly #seen = new Map<string, Seen>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(parts: LinkedFolderParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#looking ??= this.look()
        .catch(this.#parts.onError)
        .finally(() => {
          this.#looking = undefined;
        });
    }, EVERY_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  /** One look at every linked folder. */
  async look(): Promise<void> {
    const linked = (await this.#parts.store.list()).filter((record) => record.linked);
    for (const name of this.#seen.keys())
      if (!linked.some((record) => record.name === name)) this.#forget(name);
    for (const record of linked) await this.#lookAt(record);
  }

  async #lookAt(record: PackageRecord): Promise<void> {
    const { name, sha256, origin } = record;
    const files = await folderState(origin);
    if (files === undefined) return; // another server holds the folder, or it is being moved
    const state = `${sha256} ${files}`;
    const before = this.#seen.get(name);
    const isSettled = before?.state === state;
    if (isSettled && !before.isDone) await this.#update(record);
    this.#seen.set(name, { state, isDone: isSettled });
  }

  async #update(record: PackageRecord): Promise<void> {
    const updated = await this.#parts.installer.update(record);
    if (!updated.ok) {
      this.problems.set(record.name, updated.failure);
      return;
    }
    this.problems.delete(record.name);
    if (updated.value) await this.#parts.onUpdate(updated.value);
  }

  #forget(name: string): void {
    this.#seen.delete(name);
    this.problems.delete(name);
  }
}

/** Changes whenever a file of the folder does; undefined when there is no such folder on this machine. */
async function folderState(folder: string): Promise<string | undefined> {
  const lines: string[] = [];
  if (!(await lstat(folder).catch(() => undefined))?.isDirectory()) return undefined;
  const walk = async (path: string): Promise<void> => {
    for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
      if (isLeftOut(entry.name)) continue;
      const inner = join(path, entry.name);
      if (entry.isDirectory()) await walk(inner);
      const about = await lstat(inner).catch(() => undefined);
      if (about && !entry.isDirectory()) lines.push(`${inner} ${about.mtimeMs} ${about.size} ${about.mode}`);
    }
  };
  await walk(folder);
  return lines.sort().join("\n");
}
