/**
 * Roles: which right and scopes people get from their provider's claims, as an upper limit for everything they hold.
 */
import { includesRight, RIGHTS, type Right } from "./authority.ts";

/** What a provider says about a person; every claim is a list. */
export type Claims = Readonly<Record<string, readonly string[]>>;

export interface RoleRule {
  readonly claim: string;
  /** `*` is every value, so `sub=*` is everyone who can sign in. */
  readonly value: string;
  /** Null: scopes only. */
  readonly role: Right | null;
  readonly scopes: readonly string[];
}

export interface Role {
  /** Undefined: no rule gives this person a right. */
  readonly right: Right | undefined;
  readonly scopes: readonly string[];
}

export function roleFrom(claims: Claims, rules: readonly RoleRule[]): Role {
  const hits = rules.filter(({ claim, value }) => {
    const values = Object.hasOwn(claims, claim) ? (claims[claim] ?? []) : [];
    return value === "*" ? values.length > 0 : values.includes(value);
  });
  const rights = hits.flatMap(({ role }) => (role === null ? [] : [role]));
  return {
    right: RIGHTS.findLast((right) => rights.includes(right)),
    scopes: [...new Set(hits.flatMap(({ scopes }) => scopes))],
  };
}

/** A key never has more rights than its owner. */
export const boundedRights = (held: readonly Right[], most: Right | undefined): Right[] =>
  most === undefined ? [] : held.map((right) => (includesRight([most], right) ? right : most));
