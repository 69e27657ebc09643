/**
 * Watches and polls the trigger folders, and has each trigger handled once: a session for its user, an answer on its
 * channel. Any number of managers may run on one folder. The handler is passed in; it must be idempotent by
 * trigger id, because a process may die between doing the work and recording that it is done.
 */
import { type FSWatcher, watch } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Trigger } from "@capstan/core/internal";
import { readPlainText } from "../files/plain-file.ts";
import type { Channels } from "./channels.ts";
import { decideDelivery, RoutingPreferences } from "./delivery.ts";
import { importLegacyTriggers } from "./legacy-triggers.ts";
import type { RetryPolicy } from "./life-cycle.ts";
import { ManagerPulse, PULSE_MS } from "./manager-pulse.ts";
import { pruneTriggers } from "./prune-triggers.ts";
import { type Claim, type StepHook, TriggerQueue, type TriggerResult } from "./trigger-queue.ts";

const POLL_MS = 1_000;
const PREFERENCES_MAX_BYTES = 256 * 1024;
const CONCURRENT = 8; // sessions mostly wait for models; more would crowd out people's own runs
const SCAN_SHARE = 5; // after a scan, wait five times as long as it took: a full folder must not use up the CPU
const PRUNE_EVERY_MS = 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
const KEEP_DAYS = 7;

export type HandleOutcome =
  | { readonly ok: true; readonly sessionId: string; readonly answer?: string }
  | { readonly ok: false; readonly reason: string };

export interface HandledTrigger {
  readonly trigger: Trigger;
  readonly capability: string;
  readonly attempt: number;
}

export interface TriggerManagerOptions {
  readonly dataDir: string;
  /** Starts the session (or finds it again, by the trigger's id) and returns when its run has ended. */
  readonly handle: (handled: HandledTrigger) => Promise<HandleOutcome>;
  /** Asked for each answer: an installed capability may bring a channel. */
  readonly channels: () => Channels;
  /** A user's preferences when they have no `preferences.json`. */
  readonly preferences?: (user: string) => Promise<unknown>;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
  readonly concurrent?: number;
  readonly pollMs?: number;
  readonly policy?: RetryPolicy;
  readonly keepDays?: number;
  readonly deadAfterMs?: number;
  readonly onStep?: StepHook;
}

export class TriggerManager {
  readonly root: string;
  readonly #options: TriggerManagerOptions;
  readonly #pulse: ManagerPulse;
  readonly #queue: TriggerQueue;
  readonly #running = new Set<Promise<void>>();
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #timers: NodeJS.Timeout[] = [];
  #wake = () => {};
  #changed = true;
  #scanAfterMs = 0;
  #stopped = false;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: TriggerManagerOptions) {
    this.#options = options;
    this.root = join(options.dataDir, "rt_triggers");
    this.#pulse = new ManagerPulse(join(this.root, "_managers"), options.deadAfterMs);
    const { policy, now, onStep } = options;
    this.#queue = new TriggerQueue({ root: this.root, pulse: this.#pulse, policy, now, onStep });
  }

  async start(): Promise<void> {
    await mkdir(this.root, { recursive: true });
    await this.#pulse.start();
    await this.#tend();
    this.#every(PULSE_MS, () => this.#tend());
    this.#every(this.#options.pollMs ?? POLL_MS, async () => this.look());
    this.#every(PRUNE_EVERY_MS, () => this.#prune());
    this.#loop = this.#run();
  }

  /** Requests a scan of the folders now. */
  look(): void {
    this.#changed = true;
    this.#wake();
  }

  /** Accepts no more; waits for running ones. Interrupted work is resumed, by this or another process. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#wake();
    await this.#loop;
    await Promise.all(this.#running);
    await this.#pulse.stop();
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await this.#round().catch(this.#options.onError);
      const pause = this.#pauseMs();
      const timer = setTimeout(this.#wake, pause);
      await woken;
      clearTimeout(timer);
    }
  }

  async #round(): Promise<void> {
    const now = performance.now();
    if (this.#changed && now >= this.#scanAfterMs) {
      this.#changed = false;
      await importLegacyTriggers(this.#options.dataDir, this.#pulse, this.#options.onStep);
      // Twice if something is new: only a second scan confirms that files are complete and in order.
      if ((await this.#queue.scan()) > 0) await this.#queue.scan();
      await this.#watchFolders();
      const took = performance.now() - now;
      this.#scanAfterMs = performance.now() + SCAN_SHARE * took;
    }
    while (!this.#stopped && this.#running.size < (this.#options.concurrent ?? CONCURRENT)) {
      const claim = await this.#queue.claimNext();
      if (!claim) return;
      this.#begin(claim);
    }
  }

  #begin(claim: Claim): void {
    const running = this.#handle(claim)
      .catch(this.#options.onError)
      .finally(() => {
        this.#running.delete(running);
        this.#wake();
      });
    this.#running.add(running);
  }

  async #handle(claim: Claim): Promise<void> {
    const { trigger, capability, attempt } = claim;
    const outcome = await this.#options.handle({ trigger, capability, attempt }).catch(
      (error: unknown): HandleOutcome => ({
        ok: false,
        reason: String((error as Error)?.message ?? error),
      }),
    );
    this.#options.onStep?.("handled");
    if (!outcome.ok) {
      await claim.fail(outcome.reason);
      this.look();
      return;
    }
    await claim.succeed(await this.#deliver(trigger, capability, outcome));
  }

  async #deliver(
    trigger: Trigger,
    capability: string,
    outcome: { sessionId: string; answer?: string },
  ): Promise<TriggerResult> {
    const channels = this.#options.channels();
    const preferences = await this.#preferencesOf(trigger.user);
    const delivery = decideDelivery(trigger, capability, preferences, channels);
    const { channel, target } = delivery;
    const where = { session_id: outcome.sessionId, channel, ...(target !== undefined && { target }) };
    if (!delivery.deliver) return { ...where, delivered: false, reason: delivery.reason };
    const sent = await channels[channel]?.deliver({ ...outcome, trigger, capability, target });
    return sent?.ok
      ? { ...where, delivered: true }
      : { ...where, delivered: false, reason: sent?.failure.message ?? "no such channel" };
  }

  async #preferencesOf(user: string): Promise<RoutingPreferences | undefined> {
    const { dataDir, preferences } = this.#options;
    const path = join(dataDir, "users", user, "preferences.json");
    try {
      const file = await readPlainText(path, PREFERENCES_MAX_BYTES);
      return RoutingPreferences.parse(file === undefined ? await preferences?.(user) : JSON.parse(file));
    } catch {
      return undefined; // missing or unreadable: the defaults apply
    }
  }

  async #tend(): Promise<void> {
    await this.#pulse.beat();
    if ((await this.#queue.recover()) > 0) this.look();
  }

  async #prune(): Promise<void> {
    const keepMs = (this.#options.keepDays ?? KEEP_DAYS) * DAY_MS;
    await pruneTriggers(this.root, this.#options.now() - keepMs);
  }

  #every(ms: number, work: () => Promise<void>): void {
    const timer = setInterval(() => void work().catch(this.#options.onError), ms);
    this.#timers.push(timer);
  }

  #pauseMs(): number {
    if (this.#changed) return Math.max(1, this.#scanAfterMs - performance.now());
    const due = this.#queue.nextDueMs();
    const poll = this.#options.pollMs ?? POLL_MS;
    return due === undefined ? poll : Math.max(1, Math.min(poll, due - this.#options.now()));
  }

  /** Where the system cannot watch a folder, polling still finds everything. */
  async #watchFolders(): Promise<void> {
    for (const folder of [
      this.root,
      ...(await this.#queue.capabilities()).map((name) => join(this.root, name)),
    ]) {
      if (this.#watchers.has(folder) || this.#stopped) continue;
      try {
        const watcher = watch(folder, () => this.look());
        watcher.on("error", () => watcher.close());
        this.#watchers.set(folder, watcher);
      } catch {
        // polling finds it
      }
    }
  }
}
