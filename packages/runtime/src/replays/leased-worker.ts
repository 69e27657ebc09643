/**
 * Works on leased items, a few at a time alongside live runs. If the process dies, its items are claimed again when
 * their lease expires; only the final result is stored, so repeating the work is harmless.
 */
import { type Failure, fail } from "@capstan/core";
import { uuidv7 } from "uuidv7";
import type { Database } from "../db/database.ts";
import type { LeasedItem, LeasedQueue } from "./leased-queue.ts";

const PLACES = 8; // an item waits for its model most of the time; more would take the processor from live runs
const SWEEP_MS = 5_000; // finds what other processes left
const RENEW_MS = 10_000;
const TOGETHER_MS = 15; // slots that become free within it are filled by one claim, as long as most others are busy
const MOST_EPOCHS = 5; // an item that ended this many processes is given up

export interface LeasedWorker {
  /** Checks for work now. */
  wake(): void;
  /** Stops the items of a cancelled or removed parent. */
  stop(parentId: string): void;
  close(): Promise<void>;
}

export interface FailedEnd {
  readonly status: "failed";
  readonly failure: Failure;
}

export interface LeasedWork<Item extends LeasedItem, End> {
  readonly database: Pick<Database, "kind">;
  readonly queue: LeasedQueue<Item, End | FailedEnd>;
  /** What it is, for the log. */
  readonly what: (item: Item) => string;
  readonly work: (item: Item, signal: AbortSignal) => Promise<End | FailedEnd>;
  readonly onError: (error: unknown, what: string) => void;
  /** How many items at once. */
  readonly places?: number;
}

interface Working<Item> {
  readonly item: Item;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

export async function startLeasedWorker<Item extends LeasedItem, End>(
  parts: LeasedWork<Item, End>,
): Promise<LeasedWorker> {
  if (parts.database.kind === "pglite") await parts.queue.requeueAll();
  const worker = new Worker(parts);
  worker.wake();
  return worker;
}

class Worker<Item extends LeasedItem, End> implements LeasedWorker {
  readonly #parts: LeasedWork<Item, End>;
  readonly #working = new Map<string, Working<Item>>();
  readonly #timers: readonly NodeJS.Timeout[];
  #claiming: Promise<void> | undefined;
  #isAskedAgain = false;
  #isClosed = false;
  #soon: NodeJS.Timeout | undefined;

  constructor(parts: LeasedWork<Item, End>) {
    this.#parts = parts;
    const every = (ms: number, step: () => void) => setInterval(step, ms).unref();
    this.#timers = [every(SWEEP_MS, () => this.wake()), every(RENEW_MS, () => void this.#renew())];
  }

  wake(): void {
    if (this.#isClosed) return;
    if (this.#claiming) {
      this.#isAskedAgain = true;
      return;
    }
    this.#claiming = this.#claim()
      .catch((error) => this.#parts.onError(error, "claiming leased work"))
      .finally(() => {
        this.#claiming = undefined;
        if (!this.#isAskedAgain) return;
        this.#isAskedAgain = false;
        this.wake();
      });
  }

  /** A claim costs as much as a short item. */
  #wakeSoon(): void {
    if (this.#working.size * 2 <= (this.#parts.places ?? PLACES)) this.wake();
    else
      this.#soon ??= setTimeout(() => {
        this.#soon = undefined;
        this.wake();
      }, TOGETHER_MS).unref();
  }

  stop(parentId: string): void {
    for (const { item, stop } of this.#working.values()) if (item.parentId === parentId) stop.abort();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearInterval(timer);
    clearTimeout(this.#soon);
    await this.#claiming;
    const working = [...this.#working.values()];
    for (const { stop } of working) stop.abort();
    await Promise.all(working.map(({ ended }) => ended));
  }

  async #claim(): Promise<void> {
    const free = (this.#parts.places ?? PLACES) - this.#working.size;
    if (free <= 0) return;
    for (const item of await this.#parts.queue.claim(free)) this.#start(item);
  }

  #start(item: Item): void {
    const stop = new AbortController();
    const ended = this.#work(item, stop.signal)
      .catch((error) => this.#parts.onError(error, this.#parts.what(item)))
      .finally(() => {
        this.#working.delete(item.id);
        this.#wakeSoon();
      });
    this.#working.set(item.id, { item, stop, ended });
  }

  async #work(item: Item, signal: AbortSignal): Promise<void> {
    const { queue } = this.#parts;
    try {
      const end = await this.#end(item, signal);
      if (signal.aborted) return await queue.release(item); // no effect on an item that was cancelled
      await queue.end(item, end);
    } catch (error) {
      if (signal.aborted) return await queue.release(item);
      const reference = uuidv7();
      this.#parts.onError(error, `${this.#parts.what(item)}, reference ${reference}`);
      if (item.epoch < MOST_EPOCHS) return await queue.release(item);
      await queue.end(item, { status: "failed", failure: fail("run_broken", { reference }).failure });
    }
  }

  async #end(item: Item, signal: AbortSignal): Promise<End | FailedEnd> {
    if (item.epoch > MOST_EPOCHS)
      return { status: "failed", failure: fail("run_gave_up", { attempts: item.epoch - 1 }).failure };
    return this.#parts.work(item, signal);
  }

  /** Items that are no longer ours were cancelled, or taken over while this process slept. */
  async #renew(): Promise<void> {
    const working = [...this.#working.values()];
    if (working.length === 0) return;
    try {
      const held = await this.#parts.queue.renew(working.map(({ item }) => item));
      for (const { item, stop } of working) if (!held.has(item.id)) stop.abort();
    } catch (error) {
      this.#parts.onError(error, "renewing leases");
    }
  }
}
