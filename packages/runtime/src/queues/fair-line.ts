/**
 * A queue with a few slots, fair between owners by their weights, and between the groups they are in before that: a free slot
 * goes to whoever was served least. A full queue rejects the owner with the most entries, so that nobody fills it for
 * everyone else.
 */
import { FairShare } from "./fair-share.ts";

export interface FairLineSettings {
  readonly places: number;
  readonly length: number;
  /** Default 1. An owner of weight 3 gets three times as much as one of weight 1 if both want more than there is. */
  readonly weightOf?: (owner: LineOwner) => number;
  readonly weightOfGroup?: (group: string) => number;
  readonly now?: () => number;
}

export interface LineOwner {
  readonly group: string;
  readonly name: string;
}

export interface UsedPlaces {
  readonly owner: LineOwner;
  readonly ms: number;
}

export type Turn = "entered" | "cancelled" | "full";

interface Waiting {
  readonly settle: (turn: Turn) => void;
}

/** An owner in the queue. */
interface Member {
  readonly owner: LineOwner;
  readonly group: Group;
  readonly share: FairShare;
  waiting: Waiting[];
}

interface Group {
  readonly share: FairShare;
  readonly members: Map<string, Member>;
  waiting: number;
}

const EXPECTED_AT_FIRST_MS = 1;
const OF_THE_NEWEST = 0.1; // in units of a slot's average time
const MOST_AHEAD_MS = 30_000; // of all slots here: the longest wait for usage elsewhere

export class FairLine {
  readonly #settings: FairLineSettings;
  readonly #now: () => number;
  readonly #all = new FairShare(() => 1);
  readonly #groups = new Map<string, Group>();
  #taken = 0;
  #waiting = 0;
  #expectedMs = EXPECTED_AT_FIRST_MS;
  #isClosed = false;

  constructor(settings: FairLineSettings) {
    this.#settings = settings;
    this.#now = settings.now ?? (() => performance.now());
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** What owners used here since the last call. */
  takeUntold(): UsedPlaces[] {
    const now = this.#now();
    const used: UsedPlaces[] = [];
    for (const [group, share] of this.#all.children())
      for (const [name, child] of share.children()) {
        const ms = child.takeUntold(now);
        if (ms > 0) used.push({ owner: { group, name }, ms });
      }
    return used;
  }

  /** Queues of the same owners in other processes. */
  countElsewhere({ owner, ms }: UsedPlaces): void {
    const most = MOST_AHEAD_MS * this.#settings.places;
    const group = this.#shareOfGroup(owner.group);
    this.#all.countElsewhere(group, ms, most);
    group.countElsewhere(this.#shareOf(owner), ms, most);
  }

  enter(owner: LineOwner, signal: AbortSignal): Promise<Turn> {
    if (signal.aborted) return Promise.resolve("cancelled");
    const member = this.#member(owner);
    if (this.#isClosed || !this.#makesRoom(member)) {
      this.#forgetIdle(member);
      return Promise.resolve("full");
    }
    return new Promise((resolve) => {
      const cancel = () => this.#dismiss(member, entry, "cancelled");
      const settle = (turn: Turn) => {
        signal.removeEventListener("abort", cancel);
        resolve(turn);
      };
      const entry = { settle };
      signal.addEventListener("abort", cancel, { once: true });
      this.#wait(member, entry);
      this.#admit();
    });
  }

  leave(owner: LineOwner): void {
    const member = this.#member(owner);
    const { group, share } = member;
    const now = this.#now();
    const heldMs = group.share.leave(share, now);
    this.#all.leave(group.share, now);
    this.#expectedMs += OF_THE_NEWEST * (heldMs - this.#expectedMs);
    this.#taken -= 1;
    this.#forgetIdle(member);
    this.#admit();
  }

  close(): void {
    this.#isClosed = true;
    for (const member of this.#members())
      for (const entry of [...member.waiting]) this.#dismiss(member, entry, "cancelled");
  }

  #member(owner: LineOwner): Member {
    const group = this.#groupOf(owner.group);
    const known = group.members.get(owner.name);
    if (known) return known;
    const member = { owner, group, share: this.#shareOf(owner), waiting: [] };
    group.members.set(owner.name, member);
    return member;
  }

  #groupOf(name: string): Group {
    const known = this.#groups.get(name);
    if (known) return known;
    const group = { share: this.#shareOfGroup(name), members: new Map(), waiting: 0 };
    this.#groups.set(name, group);
    return group;
  }

  #shareOf(owner: LineOwner): FairShare {
    const { weightOf = () => 1 } = this.#settings;
    return this.#shareOfGroup(owner.group).child(owner.name, () => weightOf(owner));
  }

  #shareOfGroup(name: string): FairShare {
    const { weightOfGroup = () => 1 } = this.#settings;
    return this.#all.child(name, () => weightOfGroup(name));
  }

  /** Shares are remembered after their owners leave. */
  #forgetIdle({ owner, group, share, waiting }: Member): void {
    if (waiting.length > 0 || share.inside > 0) return;
    group.members.delete(owner.name);
    if (group.members.size === 0) this.#groups.delete(owner.group);
  }

  #wait(member: Member, entry: Waiting): void {
    const { group, share } = member;
    if (member.waiting.length === 0 && share.inside === 0) group.share.arrive(share);
    if (group.waiting === 0 && group.share.inside === 0) this.#all.arrive(group.share);
    member.waiting.push(entry);
    group.waiting += 1;
    this.#waiting += 1;
  }

  #admit(): void {
    if (this.#taken >= this.#settings.places || this.#waiting === 0) return;
    const now = this.#now();
    const group = this.#least(
      [...this.#groups.values()].filter(({ waiting }) => waiting > 0),
      now,
    );
    const member =
      group &&
      this.#least(
        [...group.members.values()].filter(({ waiting }) => waiting.length > 0),
        now,
      );
    const entry = member?.waiting[0];
    if (!group || !member || !entry) return;
    this.#all.enter(group.share, now, this.#expectedMs);
    group.share.enter(member.share, now, this.#expectedMs);
    this.#taken += 1;
    this.#dismiss(member, entry, "entered");
  }

  /** Among equals, the one who waited longest: maps keep the order of arrival. */
  #least<T extends { readonly share: FairShare }>(waiting: readonly T[], now: number): T | undefined {
    let least: { readonly one: T; readonly had: number } | undefined;
    for (const one of waiting) {
      const had = one.share.had(now, this.#expectedMs);
      if (!least || had < least.had) least = { one, had };
    }
    return least?.one;
  }

  #members(): Member[] {
    return [...this.#groups.values()].flatMap(({ members }) => [...members.values()]);
  }

  /** True when there is room, or when an owner with more entries was rejected. */
  #makesRoom(member: Member): boolean {
    if (this.#waiting < this.#settings.length) return true;
    const longest = this.#members().reduce((most, each) =>
      each.waiting.length > most.waiting.length ? each : most,
    );
    const last = longest.waiting.at(-1);
    if (last === undefined || member.waiting.length + 1 >= longest.waiting.length) return false;
    this.#dismiss(longest, last, "full");
    return true;
  }

  #dismiss(member: Member, entry: Waiting, turn: Turn): void {
    const at = member.waiting.indexOf(entry);
    if (at < 0) return;
    member.waiting.splice(at, 1);
    member.group.waiting -= 1;
    this.#waiting -= 1;
    this.#forgetIdle(member);
    entry.settle(turn);
  }
}
