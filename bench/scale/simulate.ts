/**
 * Turns that arrive at random on a fleet: each needs its process a few times, the database a few times, and the model
 * in between. A discrete-event simulation with a seeded random generator: the same costs give the same figures.
 */

export interface Fleet {
  readonly processes: number;
  readonly databaseCores: number;
  readonly serverMsPerTurn: number;
  readonly databaseMsPerTurn: number;
  /** How often a turn comes back to its process and commits. */
  readonly visits: number;
}

export interface Outcome {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly processBusy: number;
  readonly databaseBusy: number;
}

const BETWEEN_VISITS_MS = 100; // the model; its time spreads the visits out and costs nobody anything
const TURNS = 6000;
const WARM_UP = 1000; // the first turns meet an empty fleet

export function simulate(fleet: Fleet, turnsPerSecond: number): Outcome {
  const dice = seeded(42);
  const processes = Array.from({ length: fleet.processes }, () => new Server(1));
  const database = new Server(fleet.databaseCores);
  const agenda = new Agenda();
  const waits: number[] = [];
  let arrival = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    arrival += exponential(dice, 1000 / turnsPerSecond);
    const own = processes[Math.floor(dice() * fleet.processes)] ?? new Server(1);
    const counted = turn >= WARM_UP;
    agenda.add(arrival, (now) => visit(now, 0, 0));
    const visit = (now: number, done: number, waited: number): void => {
      const server = exponential(dice, fleet.serverMsPerTurn / fleet.visits);
      const store = exponential(dice, fleet.databaseMsPerTurn / fleet.visits);
      const served = own.take(now, server);
      agenda.add(served, () => {
        const stored = database.take(served, store);
        const late = waited + (stored - now - server - store);
        agenda.add(stored, () => {
          if (done + 1 < fleet.visits)
            agenda.add(stored + exponential(dice, BETWEEN_VISITS_MS), (next) => visit(next, done + 1, late));
          else if (counted) waits.push(late);
        });
      });
    };
  }
  const end = agenda.run();
  waits.sort((a, b) => a - b);
  return {
    p50Ms: waits[Math.floor(waits.length * 0.5)] ?? 0,
    p99Ms: waits[Math.floor(waits.length * 0.99)] ?? 0,
    processBusy: processes.reduce((sum, { busyMs }) => sum + busyMs, 0) / (end * fleet.processes),
    databaseBusy: database.busyMs / (end * fleet.databaseCores),
  };
}

const MOST_BUSY = 0.8; // above, a burst or a garbage collection makes everyone late

/** The most turns a second at which the fleet is neither late nor too busy; by halves. */
export function mostTurns(fleet: Fleet, lateMs: number): { turnsPerSecond: number; outcome: Outcome } {
  const roof = Math.min(
    (1000 * fleet.processes) / fleet.serverMsPerTurn,
    (1000 * fleet.databaseCores) / fleet.databaseMsPerTurn,
  );
  let low = 0;
  let high = roof;
  let outcome = simulate(fleet, roof / 100);
  for (let i = 0; i < 9; i++) {
    const middle = (low + high) / 2;
    const tried = simulate(fleet, middle);
    if (tried.p99Ms <= lateMs && Math.max(tried.processBusy, tried.databaseBusy) <= MOST_BUSY) {
      low = middle;
      outcome = tried;
    } else high = middle;
  }
  return { turnsPerSecond: low, outcome };
}

/** Several hands, first come first served. */
class Server {
  readonly #free: number[];
  busyMs = 0;

  constructor(hands: number) {
    this.#free = new Array(hands).fill(0);
  }

  /** When work that arrives now is done. */
  take(now: number, ms: number): number {
    let hand = 0;
    for (let i = 1; i < this.#free.length; i++) if ((this.#free[i] ?? 0) < (this.#free[hand] ?? 0)) hand = i;
    const end = Math.max(now, this.#free[hand] ?? 0) + ms;
    this.#free[hand] = end;
    this.busyMs += ms;
    return end;
  }
}

interface Entry {
  readonly at: number;
  readonly work: (now: number) => void;
}

/** What happens next: a heap by time. */
class Agenda {
  readonly #heap: Entry[] = [];

  add(at: number, work: (now: number) => void): void {
    const heap = this.#heap;
    let child = heap.push({ at, work }) - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if ((heap[parent]?.at ?? 0) <= at) break;
      this.#swap(child, parent);
      child = parent;
    }
  }

  run(): number {
    let now = 0;
    for (let next = this.#first(); next; next = this.#first()) {
      now = next.at;
      next.work(now);
    }
    return now;
  }

  #first(): Entry | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    heap[0] = last;
    for (let parent = 0; ; ) {
      const left = parent * 2 + 1;
      const right = left + 1;
      const child = (heap[right]?.at ?? Infinity) < (heap[left]?.at ?? Infinity) ? right : left;
      if ((heap[child]?.at ?? Infinity) >= (heap[parent]?.at ?? Infinity)) return first;
      this.#swap(child, parent);
      parent = child;
    }
  }

  #swap(a: number, b: number): void {
    const heap = this.#heap;
    [heap[a], heap[b]] = [heap[b] as Entry, heap[a] as Entry];
  }
}

const exponential = (dice: () => number, mean: number): number => -mean * Math.log(1 - dice());

/** mulberry32 */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
