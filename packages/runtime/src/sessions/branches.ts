/**
 * The branches of a conversation: forks of one another, as a tree. For one session: at which messages other branches
 * diverge, and which ones. Pure; the rows come from the database.
 */

export interface FamilyMember {
  readonly id: string;
  readonly forkedFrom: string | null;
  /** How many messages it shares with the session it was made from. */
  readonly forkPosition: number | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface BranchPoint {
  /** The first message that differs. */
  readonly position: number;
  /** One session per branch, the oldest branch first; the session itself is one of them. */
  readonly sessionIds: readonly string[];
}

/** Points of a session, first to last. */
export function branchPoints(sessionId: string, family: readonly FamilyMember[]): BranchPoint[] {
  const byId = new Map(family.map((member) => [member.id, member]));
  const apart = family
    .filter(({ id }) => id !== sessionId)
    .map((member) => ({ member, position: commonMessages(sessionId, member.id, byId) }))
    .filter(({ position }) => Number.isFinite(position));
  const positions = [...new Set(apart.map(({ position }) => position))].sort((a, b) => a - b);
  return positions.map((position) => {
    const own = family.filter(({ id }) => id === sessionId);
    const others = apart.filter((each) => each.position === position).map(({ member }) => member);
    return { position, sessionIds: ways([...own, ...others], position, sessionId, byId) };
  });
}

/** Sessions that are equal beyond this message form one branch, represented by the session itself or else the newest. */
function ways(
  members: readonly FamilyMember[],
  position: number,
  sessionId: string,
  byId: ReadonlyMap<string, FamilyMember>,
): string[] {
  const groups: FamilyMember[][] = [];
  for (const member of members.toSorted(byAge)) {
    const same = groups.find(([first]) => first && commonMessages(first.id, member.id, byId) > position);
    if (same) same.push(member);
    else groups.push([member]);
  }
  return groups.map((group) => {
    const newest = group.toSorted((a, b) => b.updatedAt.getTime() - a.updatedAt.getTime())[0];
    return group.some(({ id }) => id === sessionId) ? sessionId : (newest?.id ?? "");
  });
}

const byAge = (a: FamilyMember, b: FamilyMember): number =>
  a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1);

/** How many messages two sessions share; 0 without a common ancestor, for example after it was deleted. */
function commonMessages(a: string, b: string, byId: ReadonlyMap<string, FamilyMember>): number {
  const ofA = sharedWithAncestors(a, byId);
  for (const [ancestor, shared] of sharedWithAncestors(b, byId)) {
    const other = ofA.get(ancestor);
    if (other !== undefined) return Math.min(shared, other);
  }
  return 0;
}

/** From the session itself up to the first: how many messages of each it still has. */
function sharedWithAncestors(id: string, byId: ReadonlyMap<string, FamilyMember>): Map<string, number> {
  const shared = new Map<string, number>();
  let kept = Number.POSITIVE_INFINITY;
  for (let at: string | null = id; at !== null && !shared.has(at); ) {
    shared.set(at, kept);
    const member = byId.get(at);
    kept = Math.min(kept, member?.forkPosition ?? 0);
    at = member?.forkedFrom ?? null;
  }
  return shared;
}
