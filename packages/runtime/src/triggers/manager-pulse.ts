/**
 * Heartbeats of managers: each touches a file every two seconds. One that has not for fifteen, or whose process is gone
 * from this machine, is dead, and its claims are released. One that was only frozen finds its file gone and takes a new name.
 */
import { randomUUID } from "node:crypto";
import { readdir, readFile, rm, stat, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { writeWhole } from "./atomic-files.ts";

export const PULSE_MS = 2_000;
const DEAD_AFTER_MS = 15_000;

export type Lives = (owner: string) => Promise<boolean>;

export class ManagerPulse {
  readonly #root: string;
  readonly #deadAfterMs: number;
  #owner = randomUUID() as string;

  constructor(root: string, deadAfterMs = DEAD_AFTER_MS) {
    this.#root = root;
    this.#deadAfterMs = deadAfterMs;
  }

  get owner(): string {
    return this.#owner;
  }

  /** Call before the first claim. */
  async start(): Promise<void> {
    await writeWhole(this.#path(this.#owner), JSON.stringify({ pid: process.pid, host: hostname() }));
  }

  async beat(): Promise<void> {
    const now = new Date();
    try {
      await utimes(this.#path(this.#owner), now, now);
    } catch {
      this.#owner = randomUUID();
      await this.start();
    }
  }

  async stop(): Promise<void> {
    await rm(this.#path(this.#owner), { force: true });
  }

  /**
   * Whether an owner is alive; one without a file is dead. Each is checked when first needed, never before: a
   * manager that has just started has its file before its first claim, and an older list would call it dead.
   */
  whoLives(): Lives {
    const known = new Map<string, Promise<boolean>>([[this.#owner, Promise.resolve(true)]]);
    return (owner) => {
      const answer = known.get(owner) ?? this.#lives(owner);
      known.set(owner, answer);
      return answer;
    };
  }

  /** Removes the files of dead managers, after their claims were released. */
  async removeDead(lives: Lives): Promise<void> {
    for (const name of await readdir(this.#root).catch(() => [])) {
      const owner = /^([0-9a-f-]{36})\.json$/.exec(name)?.[1];
      if (owner && !(await lives(owner))) await rm(join(this.#root, name), { force: true });
    }
  }

  async #lives(owner: string): Promise<boolean> {
    const path = this.#path(owner);
    try {
      if (Date.now() - (await stat(path)).mtimeMs > this.#deadAfterMs) return false;
      const { pid, host } = JSON.parse(await readFile(path, "utf8")) as { pid: number; host: string };
      return host !== hostname() || processExists(pid);
    } catch {
      return false;
    }
  }

  #path(owner: string): string {
    return join(this.#root, `${owner}.json`);
  }
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
