/**
 * The upper limit of a user's rights. People of an OpenID provider get what their claims grant; users known only by
 * keys are limited by those keys. A disabled user, or one without a role, has no rights. Identities are stored in the
 * first organisation; each organisation's own rules decide what claims grant.
 */
import { type Right, type RoleRule, roleFrom } from "@capstan/core/internal";
import { and, asc, eq } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { organisationMembers } from "../db/schema/organisation-tables.ts";
import { roleRules } from "../db/schema/people-tables.ts";
import { users } from "../db/schema/user-tables.ts";
import { readKnownPerson } from "./known-person.ts";

export interface Standing {
  /** False: none of their keys, tokens, logins, schedules and approvals work. */
  readonly isActive: boolean;
  readonly isDisabled: boolean;
  /** Known by an OpenID provider; then the right is their role. */
  readonly isPerson: boolean;
  /** The most that a key or login of theirs can hold. */
  readonly right: Right | undefined;
  /** From their roles. */
  readonly scopes: readonly string[];
  /** Their name at the provider; undefined if they never signed in. */
  readonly name: string | undefined;
}

export const MOST_RULES = 1000; // every read is bounded

export type StandingDatabase = Pick<Database, "orm" | "organisation">;

export async function readStanding(
  database: StandingDatabase,
  email: string,
  fixed: readonly RoleRule[],
): Promise<Standing> {
  const { orm, organisation } = database;
  const directory = organisation?.directory.orm ?? orm;
  const [isDisabledHere, person] = await Promise.all([
    isDisabledIn([...new Set([orm, directory])], email),
    readKnownPerson(database, email),
  ]);
  const isDisabled = isDisabledHere || person?.hasLeft === true;
  const known = { isDisabled, isPerson: person !== undefined, name: person?.name };
  if (isDisabled || person?.mustSignIn) return { ...known, isActive: false, right: undefined, scopes: [] };
  if (person === undefined) return { ...known, isActive: true, right: "admin", scopes: [] };
  const stored = await orm.select().from(roleRules).orderBy(asc(roleRules.id)).limit(MOST_RULES);
  const membership = await membershipOf(database, email);
  const rules = [
    ...fixed,
    ...membership,
    ...stored.map((row) => ({ ...row, role: row.role as Right | null })),
  ];
  const { right, scopes } = roleFrom({ ...person.claims, [MEMBER]: [email] }, rules);
  const isActive = right !== undefined;
  return { ...known, isActive, right, scopes: isActive ? scopes : [] };
}

const MEMBER = " member"; // no claim of a provider and no rule of an admin has this name

/** Someone may be disabled in one organisation, or, by the first one, in all. */
async function isDisabledIn(stores: readonly Database["orm"][], email: string): Promise<boolean> {
  const found = await Promise.all(
    stores.map((orm) =>
      orm.select({ disabledAt: users.disabledAt }).from(users).where(eq(users.email, email)),
    ),
  );
  return found.some(([user]) => Boolean(user?.disabledAt));
}

async function membershipOf({ organisation }: StandingDatabase, email: string): Promise<RoleRule[]> {
  if (organisation === undefined) return [];
  const { userEmail, organisationId } = organisationMembers;
  const rows = await organisation.directory.orm
    .select()
    .from(organisationMembers)
    .where(and(eq(organisationId, organisation.id), eq(userEmail, email)));
  return rows.map(({ role }) => ({ claim: MEMBER, value: email, role: role as Right, scopes: [] }));
}
