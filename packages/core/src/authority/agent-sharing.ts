/**
 * Who can use an agent. By default everyone can use it; its owner and admins can always use and change it. The right
 * to answer other people's approvals is never implied, because approvals show what their runs are about to do.
 */
import { fail } from "../failures/fail.ts";
import { ok, type Result } from "../result.ts";

export const AGENT_ACCESS = ["private", "shared", "all"] as const;
export type AgentAccess = (typeof AGENT_ACCESS)[number];

/** Three rights, none of which includes another. */
export const AGENT_RIGHTS = ["use", "change", "approve"] as const;
export type AgentRight = (typeof AGENT_RIGHTS)[number];

export interface AgentShare {
  /** `user:<address>`, or `group:<claim>=<value>` of the OpenID provider. */
  readonly with: string;
  readonly rights: readonly AgentRight[];
  /** Who gave the right to approve. Set by the server; the right counts while they are an admin. */
  readonly approvalsFrom?: string | undefined;
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

/**
 * The shares as they are saved. Only an admin gives the right to approve, because its holder decides about calls in other
 * people's names; an owner can keep it and take it away.
 */
export function sharesFrom(
  { shares: before }: AgentSharing,
  wanted: readonly AgentShare[],
  giver: { readonly email: string; readonly isAdmin: boolean },
): Result<AgentShare[]> {
  const saved: AgentShare[] = [];
  for (const { with: whom, rights } of wanted) {
    const kept = before.find((share) => share.with === whom && share.rights.includes("approve"));
    const approvalsFrom = giver.isAdmin ? giver.email : kept?.approvalsFrom;
    if (rights.includes("approve") && approvalsFrom === undefined)
      return fail("forbidden", {
        message: `Only an admin can let ${whom} answer approvals of other people.`,
        nextStep: 'Leave out "approve", or ask an admin to share the agent.',
      });
    saved.push(rights.includes("approve") ? { with: whom, rights, approvalsFrom } : { with: whom, rights });
  }
  return ok(saved);
}

/** Without the rights to approve that were given by people who are not among these admins. */
export const withApproversOf = (sharing: AgentSharing, admins: ReadonlySet<string>): AgentSharing => ({
  ...sharing,
  shares: sharing.shares.map((share) =>
    admins.has(share.approvalsFrom ?? "")
      ? share
      : { ...share, rights: share.rights.filter((right) => right !== "approve") },
  ),
});

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
