/**
 * Works on the items of replays, a few at a time beside the live runs. If the process dies, its items are claimed again when
 * their lease ends; a replay stores nothing but its end, so making it again is harmless.
 */
import { fail } from "@capstan/core";
import { uuidv7 } from "uuidv7";
import type { Database } from "../db/database.ts";
import { readRecording } from "./read-recording.ts";
import { type ReplayParts, replayRun } from "./replay-run.ts";
import type { ClaimedItem, ItemEnd, ReplayQueue } from "./replay-store.ts";

const PLACES = 8; // a replay waits for its model most of the time; more would take the processor from live runs
const SWEEP_MS = 5_000; // finds what other processes left
const RENEW_MS = 10_000;
const MOST_EPOCHS = 5; // an item that ended this many processes is given up

export interface ReplayWorker {
  /** Looks for work now. */
  wake(): void;
  /** Stops what belongs to a replay that was cancelled or removed. */
  stop(replayId: string): void;
  close(): Promise<void>;
}

export interface WorkerParts extends ReplayParts {
  readonly database: Database;
  readonly queue: ReplayQueue;
  readonly onError: (error: unknown, what: string) => void;
  readonly places?: number | undefined;
}

interface Working {
  readonly item: ClaimedItem;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

export async function startReplayWorker(parts: WorkerParts): Promise<ReplayWorker> {
  if (parts.database.kind === "pglite") await parts.queue.requeueAll();
  const worker = new Worker(parts);
  worker.wake();
  return worker;
}

class Worker implements ReplayWorker {
  readonly #parts: WorkerParts;
  readonly #working = new Map<string, Working>();
  readonly #timers: readonly NodeJS.Timeout[];
  #claiming: Promise<void> | undefined;
  #isAskedAgain = false;
  #isClosed = false;

  constructor(parts: WorkerParts) {
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
      .catch((error) => this.#parts.onError(error, "claiming replays"))
      .finally(() => {
        this.#claiming = undefined;
        if (!this.#isAskedAgain) return;
        this.#isAskedAgain = false;
        this.wake();
      });
  }

  stop(replayId: string): void {
    for (const { item, stop } of this.#working.values()) if (item.replayId === replayId) stop.abort();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearInterval(timer);
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

  #start(item: ClaimedItem): void {
    const stop = new AbortController();
    const ended = this.#work(item, stop.signal)
      .catch((error) => this.#parts.onError(error, `replaying run ${item.runId}`))
      .finally(() => {
        this.#working.delete(item.id);
        this.wake();
      });
    this.#working.set(item.id, { item, stop, ended });
  }

  async #work(item: ClaimedItem, signal: AbortSignal): Promise<void> {
    const { queue } = this.#parts;
    try {
      const end = await this.#replay(item, signal);
      if (signal.aborted) return await queue.release(item); // no effect on an item that was cancelled
      await queue.end(item, end);
    } catch (error) {
      if (signal.aborted) return await queue.release(item);
      const reference = uuidv7();
      this.#parts.onError(error, `replaying run ${item.runId}, reference ${reference}`);
      if (item.epoch < MOST_EPOCHS) return await queue.release(item);
      await queue.end(item, { status: "failed", failure: fail("run_broken", { reference }).failure });
    }
  }

  async #replay(item: ClaimedItem, signal: AbortSignal): Promise<ItemEnd> {
    const { id, runId, change, leftUsd, epoch } = item;
    if (epoch > MOST_EPOCHS) return failed(fail("run_gave_up", { attempts: epoch - 1 }));
    const recording = await readRecording(this.#parts.database.pool, runId);
    if (!recording.ok) return failed(recording);
    const replayed = await replayRun(this.#parts, {
      id,
      recording: recording.value,
      change,
      options: item,
      maxCostUsd: leftUsd ?? undefined,
      signal,
    });
    return replayed.ok ? { status: "done", ...replayed.value } : failed(replayed);
  }

  /** Items that are no longer ours were cancelled, or taken over while this process slept. */
  async #renew(): Promise<void> {
    const working = [...this.#working.values()];
    if (working.length === 0) return;
    try {
      const held = await this.#parts.queue.renew(working.map(({ item }) => item));
      for (const { item, stop } of working) if (!held.has(item.id)) stop.abort();
    } catch (error) {
      this.#parts.onError(error, "renewing replays");
    }
  }
}

const failed = ({ failure }: Extract<ReturnType<typeof fail>, { ok: false }>): ItemEnd => ({
  status: "failed",
  failure,
});
