/**
 * Runs that wait for room in a budget: for the next period, or for reservations of calls that are being made. When there
 * is room, users take turns by their weights, so that a user with five hundred waiting runs does not use the whole budget.
 *
 * Every process has its own turns; between processes the budget's row decides.
 */
import { FairShare } from "../queues/fair-share.ts";
import type { Reserving, UsedUp } from "./budget-ledger.ts";

export interface BudgetWaiter {
  readonly user: string;
  readonly weight: () => number;
  readonly reserve: () => Promise<Reserving>;
  /** When to try again; undefined: it does not wait any longer. */
  readonly nextTry: (usedUp: UsedUp) => Date | undefined;
  readonly signal: AbortSignal;
}

interface Entry extends BudgetWaiter {
  readonly settle: (outcome: { readonly reserving: Reserving } | { readonly error: unknown }) => void;
}

interface Line {
  readonly shares: FairShare;
  waiting: Entry[];
  timer?: { readonly timeout: NodeJS.Timeout; readonly moment: Date };
  isServing: boolean;
}

const MOST_IDLE = 1_000; // queues whose turns are remembered while nobody waits
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export class BudgetWaits {
  readonly #now: () => Date;
  readonly #lines = new Map<string, Line>();

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Resolves with a reservation, or with the refusal once it stops waiting. */
  wait(usedUp: UsedUp, waiter: BudgetWaiter): Promise<Reserving> {
    if (waiter.signal.aborted) return Promise.reject(waiter.signal.reason);
    const moment = waiter.nextTry(usedUp);
    if (!moment) return Promise.resolve({ kind: "used_up", usedUp });
    return new Promise((resolve, reject) => {
      const line = this.#lineOf(usedUp);
      const stop = () => {
        line.waiting = line.waiting.filter((each) => each !== entry);
        reject(waiter.signal.reason);
      };
      const entry: Entry = {
        ...waiter,
        settle: (outcome) => {
          waiter.signal.removeEventListener("abort", stop);
          line.waiting = line.waiting.filter((each) => each !== entry);
          if ("error" in outcome) reject(outcome.error);
          else resolve(outcome.reserving);
        },
      };
      waiter.signal.addEventListener("abort", stop, { once: true });
      const share = line.shares.child(waiter.user, waiter.weight);
      if (line.waiting.every(({ user }) => user !== waiter.user)) line.shares.arrive(share);
      line.waiting.push(entry);
      this.#serveAt(line, moment);
    });
  }

  #lineOf({ budget, subject }: UsedUp): Line {
    const key = `${budget.id} ${subject}`;
    const known = this.#lines.get(key);
    if (known) return known;
    if (this.#lines.size >= MOST_IDLE)
      for (const [each, { waiting }] of this.#lines) if (waiting.length === 0) this.#lines.delete(each);
    const line = { shares: new FairShare(() => 1), waiting: [], isServing: false };
    this.#lines.set(key, line);
    return line;
  }

  #serveAt(line: Line, moment: Date): void {
    if (line.isServing || (line.timer && line.timer.moment <= moment)) return;
    clearTimeout(line.timer?.timeout);
    const waitMs = Math.max(1, moment.getTime() - this.#now().getTime());
    const timeout = setTimeout(
      () => {
        delete line.timer;
        void this.#serve(line);
      },
      Math.min(waitMs, LONGEST_TIMER_MS),
    );
    timeout.unref(); // the waiting runs may have ended
    line.timer = { timeout, moment };
  }

  /** One at a time, until the period is used up or nobody waits. */
  async #serve(line: Line): Promise<void> {
    line.isServing = true;
    for (let next = nextOf(line); next !== undefined; next = nextOf(line)) {
      const usedUp = await this.#tryOne(line, next);
      if (usedUp === undefined) continue;
      line.isServing = false;
      return this.#postpone(line, usedUp);
    }
    line.isServing = false;
  }

  /** The exhausted budget, if it is this queue's. */
  async #tryOne(line: Line, entry: Entry): Promise<UsedUp | undefined> {
    try {
      const reserving = await entry.reserve();
      if (reserving.kind === "used_up") {
        if (this.#lineOf(reserving.usedUp) === line) return reserving.usedUp;
        this.wait(reserving.usedUp, entry).then(
          (later) => entry.settle({ reserving: later }),
          (error) => entry.settle({ error }),
        );
        line.waiting = line.waiting.filter((each) => each !== entry);
        return undefined;
      }
      const share = line.shares.child(entry.user, entry.weight);
      line.shares.enter(share, 0, 0);
      line.shares.leave(share, 0); // counts one
      entry.settle({ reserving });
    } catch (error) {
      entry.settle({ error });
    }
    return undefined;
  }

  #postpone(line: Line, usedUp: UsedUp): void {
    for (const { nextTry, settle } of line.waiting) {
      const moment = nextTry(usedUp);
      if (moment) this.#serveAt(line, moment);
      else settle({ reserving: { kind: "used_up", usedUp } });
    }
  }
}

/** The first run of the waiting user who was served least. */
function nextOf({ waiting, shares }: Line): Entry | undefined {
  let least: { readonly entry: Entry; readonly had: number } | undefined;
  const asked = new Set<string>();
  for (const entry of waiting) {
    if (asked.has(entry.user)) continue;
    asked.add(entry.user);
    const had = shares.child(entry.user, entry.weight).had(0, 0);
    if (!least || had < least.had) least = { entry, had };
  }
  return least?.entry;
}
