/**
 * Follows a file that a program writes next to its output. Lines that existed when the run started are kept separate,
 * because some contain the cost of the session's earlier runs.
 */
import { open, stat } from "node:fs/promises";
import type { AdapterEvent, SideFile } from "@capstan/core/internal";
import { matchingPaths } from "../files/matching-paths.ts";

const POLL_MS = 250; // a limit must apply within one model call, and those take longer
const MAX_PAST_BYTES = 64_000_000;

export class SideFileReader {
  readonly #file: SideFile;
  readonly #tell: (events: readonly AdapterEvent[]) => void;
  /** How far each file was read, in bytes. */
  readonly #read = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> = Promise.resolve();

  constructor(file: SideFile, tell: (events: readonly AdapterEvent[]) => void) {
    this.#file = file;
    this.#tell = tell;
  }

  /** Before the program starts: records the current sizes. */
  async begin(): Promise<void> {
    for (const path of await matchingPaths("/", this.#file.pattern)) {
      const size = await sizeOf(path); // 0 too of a path that only could exist: that session, in another project's folder
      this.#read.set(path, size);
      const { onPast } = this.#file;
      if (onPast && size > 0 && this.#file.isOurs(path))
        for (const line of await linesBetween(path, 0, size)) onPast(line);
    }
    this.#timer = setInterval(() => this.#poll(), POLL_MS);
    this.#timer.unref();
  }

  /** After the program has exited: reads the rest. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    this.#poll();
    await this.#reading;
  }

  #poll(): void {
    this.#reading = this.#reading.then(() => this.#readNew()).catch(() => {}); // a file may vanish between two looks
  }

  async #readNew(): Promise<void> {
    for (const path of await matchingPaths("/", this.#file.pattern)) {
      if (!this.#file.isOurs(path)) continue;
      const from = this.#read.get(path) ?? 0;
      const size = await sizeOf(path);
      if (size <= from) continue;
      const lines = await linesBetween(path, from, size);
      this.#read.set(path, from + lines.reduce((bytes, line) => bytes + Buffer.byteLength(line) + 1, 0));
      for (const line of lines) this.#tell(this.#file.onLine(line));
    }
  }
}

/** 0 if it is not a regular file, or does not exist. */
async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? found.size : 0;
}

/** Whole lines only: the last one may still be written. */
async function linesBetween(path: string, from: number, to: number): Promise<string[]> {
  const start = Math.max(from, to - MAX_PAST_BYTES);
  const handle = await open(path);
  try {
    const { buffer } = await handle.read(Buffer.alloc(to - start), 0, to - start, start);
    const lines = buffer.toString("utf8").split("\n");
    lines.pop();
    return lines;
  } finally {
    await handle.close();
  }
}
