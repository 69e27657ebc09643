/**
 * Who can use an agent. By default everyone can use it; its owner and admins can always use and change it. The right
 * to answer other people's approvals is never implied, because approvals show what their runs are about to do.
 */

export const AGENT_ACCESS = ["private", "shared", "all"] as const;
export type AgentAccess = (typeof AGENT_ACCESS)[number];

/** Three rights, none of which includes another. */
export const AGENT_RIGHTS = ["use", "change", "approve"] as const;
export type AgentRight = (typeof AGENT_RIGHTS)[number];

export interface AgentShare {
  /** `user:<address>`, or `group:<claim>=<value>` of the OpenID provider. */
  readonly with: string;
  readonly rights: readonly AgentRight[];
}

export interface AgentSharing {
  readonly access: AgentAccess;
  readonly shares: readonly AgentShare[];
}

export const UNSHARED: AgentSharing = { access: "all", shares: [] };

export interface SharingPerson {
  readonly isOwner: boolean;
  readonly isAdmin: boolean;
  /** Their names in shares. */
  readonly subjects: readonly string[];
}

/** Empty: they cannot see the agent. */
export function agentRights({ access, shares }: AgentSharing, person: SharingPerson): AgentRight[] {
  const given = access === "private" ? [] : shares.filter((share) => person.subjects.includes(share.with));
  const isGiven = (right: AgentRight) => given.some(({ rights }) => rights.includes(right));
  const isTheirs = person.isOwner || person.isAdmin;
  const may: Record<AgentRight, boolean> = {
    use: isTheirs || access === "all" || isGiven("use"),
    change: isTheirs || isGiven("change"),
    approve: isGiven("approve"),
  };
  return AGENT_RIGHTS.filter((right) => may[right]);
}

const GROUP = /^group:([^=]+)=(.+)$/;

/** The names in `shares` that mean this person. */
export function subjectsOf(
  email: string,
  claims: Readonly<Record<string, readonly string[]>>,
  named: readonly string[],
): string[] {
  const isMine = (name: string): boolean => {
    const [, claim, value = ""] = GROUP.exec(name) ?? [];
    if (claim === undefined) return name === `user:${email}`;
    return Object.hasOwn(claims, claim) && (claims[claim] ?? []).includes(value);
  };
  return named.filter(isMine);
}
