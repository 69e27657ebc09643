/**
 * What a user may at all. Somebody of an OpenID provider may what their claims give them; somebody whom only keys know
 * is bounded by the keys alone. Who was disabled, or has no role any more, may nothing.
 */
import { type Right, type RoleRule, roleFrom } from "@capstan/core/internal";
import { asc, eq } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { identities, roleRules } from "../db/schema/people-tables.ts";
import { users } from "../db/schema/user-tables.ts";

export interface Standing {
  /** False: no key, token, login, schedule or approval of theirs does anything. */
  readonly isActive: boolean;
  readonly isDisabled: boolean;
  /** Known by an OpenID provider; then the right is their role. */
  readonly isPerson: boolean;
  /** The most that a key or login of theirs can hold. */
  readonly right: Right | undefined;
  /** From their roles. */
  readonly scopes: readonly string[];
  /** As their provider calls them; undefined for who never signed in. */
  readonly name: string | undefined;
}

export const MOST_RULES = 1000; // every read is bounded

export async function readStanding(
  orm: Database["orm"],
  email: string,
  fixed: readonly RoleRule[],
): Promise<Standing> {
  const [[user], [person]] = await Promise.all([
    orm.select({ disabledAt: users.disabledAt }).from(users).where(eq(users.email, email)),
    orm.select().from(identities).where(eq(identities.userEmail, email)),
  ]);
  const isDisabled = Boolean(user?.disabledAt);
  const known = { isDisabled, isPerson: person !== undefined, name: person?.name };
  if (isDisabled) return { ...known, isActive: false, right: undefined, scopes: [] };
  if (person === undefined) return { ...known, isActive: true, right: "admin", scopes: [] };
  const stored = await orm.select().from(roleRules).orderBy(asc(roleRules.id)).limit(MOST_RULES);
  const rules = [...fixed, ...stored.map((row) => ({ ...row, role: row.role as Right | null }))];
  const { right, scopes } = roleFrom(person.claims, rules);
  const isActive = right !== undefined;
  return { ...known, isActive, right, scopes: isActive ? scopes : [] };
}
