/**
 * Makes the queues of several processes act as one: each reports its owners' usage to the others. Reported with the
 * heartbeat, and only while someone is waiting; earlier usage does not count.
 */
import { z } from "zod";
import type { FairLine, UsedPlaces } from "./fair-line.ts";

const TOLD_FOR_MS = 5_000; // after another process reported a wait
const MOST_BYTES = 5_500; // per notification, whose limit in Postgres is 8,000 bytes, with a third to spare

const Word = z.object({
  /** Someone is waiting there. */
  waits: z.boolean(),
  used: z.array(z.tuple([z.string(), z.string(), z.number().nonnegative()])),
});

export class SharedShares {
  readonly #line: FairLine;
  readonly #now: () => number;
  #tellUntil = Number.NEGATIVE_INFINITY;
  #isTelling = false;

  constructor(line: FairLine, now: () => number = () => performance.now()) {
    this.#line = line;
    this.#now = now;
  }

  /** Called with every heartbeat. */
  toTell(): string[] {
    const waits = this.#line.waiting > 0;
    if (!waits && this.#now() > this.#tellUntil) {
      this.#isTelling = false;
      return [];
    }
    const used = this.#begin();
    return waits || used.length > 0 ? wordsOf(waits, used) : [];
  }

  /** A message that cannot be parsed is from another version and is ignored. */
  hear(word: string): void {
    const told = readWord(word);
    if (!told) return;
    if (told.waits) {
      this.#tellUntil = this.#now() + TOLD_FOR_MS;
      if (!this.#isTelling) this.#begin();
    }
    for (const [group, name, ms] of told.used) this.#line.countElsewhere({ owner: { group, name }, ms });
  }

  #begin(): UsedPlaces[] {
    const used = this.#line.takeUntold();
    const isNew = !this.#isTelling;
    this.#isTelling = true;
    return isNew ? [] : used;
  }
}

type Row = readonly [group: string, name: string, ms: number];

function wordsOf(waits: boolean, used: readonly UsedPlaces[]): string[] {
  const parts: Row[][] = [[]];
  let bytes = 0;
  for (const { owner, ms } of used) {
    const row = [owner.group, owner.name, Math.round(ms)] as const;
    const more = Buffer.byteLength(JSON.stringify(row)) + 1;
    if (more > MOST_BYTES) continue;
    if (bytes + more > MOST_BYTES) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(row);
    bytes += more;
  }
  return parts.map((rows) => Buffer.from(JSON.stringify({ waits, used: rows })).toString("base64url"));
}

function readWord(word: string): z.infer<typeof Word> | undefined {
  try {
    return Word.safeParse(JSON.parse(Buffer.from(word, "base64url").toString())).data;
  } catch {
    return undefined;
  }
}
