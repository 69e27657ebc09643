/** The waiting triggers by lane, so that the next of ten thousand is found without checking all of them. */
import { byAge, laneOf, type WaitingTrigger } from "./lanes.ts";

export interface Waiting extends WaitingTrigger {
  readonly fileName: string;
  readonly attempts: number;
  readonly dedupeKey: string | undefined;
  /** The scan in which it was first seen. */
  readonly seenIn: number;
}

interface Lane {
  readonly waiting: Map<string, Waiting>;
  /** Its oldest, cached. */
  head: Waiting | undefined;
}

export class WaitingIndex {
  readonly #byKey = new Map<string, Waiting>();
  readonly #lanes = new Map<string, Lane>();

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  add(waiting: Waiting): void {
    const key = keyOf(waiting);
    const lane = this.#lanes.get(laneOf(waiting)) ?? { waiting: new Map(), head: undefined };
    this.#byKey.set(key, waiting);
    lane.waiting.set(key, waiting);
    if (lane.head && byAge(waiting, lane.head) < 0) lane.head = waiting;
    this.#lanes.set(laneOf(waiting), lane);
  }

  delete(key: string): void {
    const waiting = this.#byKey.get(key);
    if (!waiting) return;
    this.#byKey.delete(key);
    const lane = this.#lanes.get(laneOf(waiting));
    lane?.waiting.delete(key);
    if (lane?.head === waiting) lane.head = undefined;
    if (lane?.waiting.size === 0) this.#lanes.delete(laneOf(waiting));
  }

  keepOnly(present: ReadonlySet<string>): void {
    for (const key of this.#byKey.keys()) if (!present.has(key)) this.delete(key);
  }

  /** The oldest of each lane. */
  heads(): Waiting[] {
    return [...this.#lanes.values()].flatMap((lane) => {
      lane.head ??= [...lane.waiting.values()].reduce((oldest, each) =>
        byAge(each, oldest) < 0 ? each : oldest,
      );
      return lane.head;
    });
  }
}

export const keyOf = ({ capability, fileName }: Pick<Waiting, "capability" | "fileName">): string =>
  `${capability}/${fileName}`;
