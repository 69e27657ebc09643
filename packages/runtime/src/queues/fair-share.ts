/**
 * Tracks how much each owner has used, relative to their weight. The owner with the least is next.
 *
 * It counts slot time: the actual time of finished work, and at least the average for running work. So neither many
 * short jobs nor a few long ones get more than their share.
 */
const SHORTEST_MS = 1; // what takes no time counts too
const MOST_IDLE = 10_000; // owners that are remembered without anything of theirs here

export class FairShare {
  readonly #children = new Map<string, FairShare>();
  readonly weight: () => number;
  /** Milliseconds of places that are over, by weight, and of those elsewhere that were told. */
  #used = 0;
  /** Milliseconds of places that are over here, and how many of all here were told elsewhere. */
  #ended = 0;
  #told = 0;
  #inside = 0;
  /** The sum of the moments at which those inside came in. */
  #entered = 0;
  /** What the last child had when it was chosen: one that comes anew begins there, and not with the credit of an absence. */
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

  /** When a child that had nothing waits: it has had what the others have. */
  arrive(child: FairShare): void {
    child.#used = Math.max(child.#used, this.#reached);
  }

  /** What a child had elsewhere. It may be ahead of the others by so many milliseconds, so that it waits for a while at most. */
  countElsewhere(child: FairShare, ms: number, mostAheadMs: number): void {
    const most = Math.max(child.#used, this.#reached + mostAheadMs / child.weight());
    child.#used = Math.min(child.#used + ms / child.weight(), most);
  }

  /** Milliseconds of places here since the last time that this was asked. */
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

  /** How long the place was held. Of several it is the average, which is right in the sum. */
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
