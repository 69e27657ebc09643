/**
 * Tracks how much each owner has used, relative to their weight. The owner with the least is next.
 *
 * It counts slot time: the actual time of finished work, and at least the average for running work. So neither many
 * short jobs nor a few long ones get more than their share.
 */
const SHORTEST_MS = 1; // work that takes no time counts too
const MOST_IDLE = 10_000; // remembered owners with no work here

export class FairShare {
  readonly #children = new Map<string, FairShare>();
  readonly weight: () => number;
  /** Milliseconds of finished work by weight, including reported work elsewhere. */
  #used = 0;
  /** Milliseconds of finished work here, and how many of those were reported to others. */
  #ended = 0;
  #told = 0;
  #inside = 0;
  /** The sum of the start times of running work. */
  #entered = 0;
  /** The usage of the child chosen last: a newcomer starts there, without credit for its absence. */
  #reached = 0;

  constructor(weight: () => number) {
    this.weight = weight;
  }

  get inside(): number {
    return this.#inside;
  }

  child(name: string, weight: () => number): FairShare {
    const known = this.#children.get(name);
    if (known) return known;
    if (this.#children.size >= MOST_IDLE)
      for (const [each, share] of this.#children) if (share.#inside === 0) this.#children.delete(each);
    const child = new FairShare(weight);
    this.#children.set(name, child);
    return child;
  }

  /** When an idle child starts to wait, its usage is set to that of the others. */
  arrive(child: FairShare): void {
    child.#used = Math.max(child.#used, this.#reached);
  }

  /** Adds a child's usage elsewhere, limited to this many milliseconds ahead of the others, so that its wait is bounded. */
  countElsewhere(child: FairShare, ms: number, mostAheadMs: number): void {
    const most = Math.max(child.#used, this.#reached + mostAheadMs / child.weight());
    child.#used = Math.min(child.#used + ms / child.weight(), most);
  }

  /** Milliseconds of work here since the last call. */
  takeUntold(now: number): number {
    const all = this.#ended + this.#inside * now - this.#entered;
    const untold = all - this.#told;
    this.#told = all;
    return untold;
  }

  *children(): Iterable<readonly [name: string, child: FairShare]> {
    yield* this.#children;
  }

  had(now: number, expectedMs: number): number {
    const running = Math.max(this.#inside * now - this.#entered, this.#inside * expectedMs);
    return this.#used + running / this.weight();
  }

  enter(child: FairShare, now: number, expectedMs: number): void {
    this.#reached = Math.max(this.#reached, child.had(now, expectedMs));
    child.#inside += 1;
    child.#entered += now;
  }

  /** How long the slot was held. For several, the average, which makes the sum right. */
  leave(child: FairShare, now: number): number {
    const entered = child.#entered / child.#inside;
    const heldMs = Math.max(SHORTEST_MS, now - entered);
    child.#used += heldMs / child.weight();
    child.#ended += heldMs;
    child.#inside -= 1;
    child.#entered = child.#inside === 0 ? 0 : child.#entered - entered;
    return heldMs;
  }
}
