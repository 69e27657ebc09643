/**
 * Order: per (user, capability) by `created_at`, one at a time. The oldest waiting trigger is the head of its lane;
 * while it waits for a retry nothing behind it starts, and other lanes continue.
 */

export interface WaitingTrigger {
  readonly id: string;
  readonly user: string;
  readonly capability: string;
  readonly createdAtMs: number;
  readonly notBeforeMs: number;
}

export const laneOf = ({ user, capability }: Pick<WaitingTrigger, "user" | "capability">): string =>
  `${capability}/${user.toLowerCase()}`;

/** The heads that may start now, oldest first. `busy` are lanes in which one is running. */
export function startable<T extends WaitingTrigger>(
  waiting: Iterable<T>,
  busy: ReadonlySet<string>,
  nowMs: number,
): T[] {
  const heads = new Map<string, T>();
  for (const trigger of waiting) {
    const lane = laneOf(trigger);
    const head = heads.get(lane);
    if (!head || byAge(trigger, head) < 0) heads.set(lane, trigger);
  }
  return [...heads]
    .filter(([lane, head]) => !busy.has(lane) && head.notBeforeMs <= nowMs)
    .map(([, head]) => head)
    .sort(byAge);
}

/** Equal times are ordered by id, so that every process sees the same order. */
export function byAge(a: WaitingTrigger, b: WaitingTrigger): number {
  return a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
