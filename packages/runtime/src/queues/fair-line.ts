/**
 * A queue with a few slots, fair between owners: a free slot goes to the owner with the fewest, then to whoever waited
 * longest. A full queue rejects the owner with the most entries, so that nobody fills it for everybody else.
 */
export interface FairLineSettings {
  readonly places: number;
  readonly length: number;
}

export type Turn = "entered" | "cancelled" | "full";

interface Waiting {
  readonly owner: string;
  readonly settle: (turn: Turn) => void;
}

export class FairLine {
  readonly #settings: FairLineSettings;
  readonly #inside = new Map<string, number>();
  #waiting: Waiting[] = [];
  #isClosed = false;

  constructor(settings: FairLineSettings) {
    this.#settings = settings;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  enter(owner: string, signal: AbortSignal): Promise<Turn> {
    if (signal.aborted) return Promise.resolve("cancelled");
    if (this.#isClosed || !this.#makesRoom(owner)) return Promise.resolve("full");
    return new Promise((resolve) => {
      const cancel = () => this.#dismiss(entry, "cancelled");
      const settle = (turn: Turn) => {
        signal.removeEventListener("abort", cancel);
        resolve(turn);
      };
      const entry = { owner, settle };
      signal.addEventListener("abort", cancel, { once: true });
      this.#waiting.push(entry);
      this.#admit();
    });
  }

  leave(owner: string): void {
    const left = this.#count(owner) - 1;
    if (left > 0) this.#inside.set(owner, left);
    else this.#inside.delete(owner);
    this.#admit();
  }

  close(): void {
    this.#isClosed = true;
    for (const entry of [...this.#waiting]) this.#dismiss(entry, "cancelled");
  }

  #count = (owner: string): number => this.#inside.get(owner) ?? 0;

  #admit(): void {
    const taken = [...this.#inside.values()].reduce((sum, count) => sum + count, 0);
    if (taken >= this.#settings.places || this.#waiting.length === 0) return;
    const next = this.#waiting.reduce((best, each) =>
      this.#count(each.owner) < this.#count(best.owner) ? each : best,
    );
    this.#inside.set(next.owner, this.#count(next.owner) + 1);
    this.#dismiss(next, "entered");
  }

  /** True when there is room, or when someone with more in the line had to go. */
  #makesRoom(owner: string): boolean {
    if (this.#waiting.length < this.#settings.length) return true;
    const lines = new Map<string, number>();
    for (const entry of this.#waiting) lines.set(entry.owner, (lines.get(entry.owner) ?? 0) + 1);
    const longest = Math.max(...lines.values());
    if ((lines.get(owner) ?? 0) + 1 >= longest) return false;
    const last = this.#waiting.findLast((entry) => lines.get(entry.owner) === longest);
    if (last) this.#dismiss(last, "full");
    return true;
  }

  #dismiss(entry: Waiting, turn: Turn): void {
    this.#waiting = this.#waiting.filter((each) => each !== entry);
    entry.settle(turn);
  }
}
