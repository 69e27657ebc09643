/**
 * People of an OpenID provider. Issuer and subject identify a person. The e-mail address is only a name, chosen once,
 * because addresses are reassigned.
 */
import { fail, ok, type Result } from "@capstan/core";
import type { Claims, Right, RoleRule } from "@capstan/core/internal";
import { and, asc, eq, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { Database } from "../db/database.ts";
import { identities, roleRules } from "../db/schema/people-tables.ts";
import { isUuid } from "../db/uuid.ts";
import { MOST_RULES, readStanding, type Standing } from "./standing.ts";
import { LOCAL_USER } from "./user-store.ts";

export interface Person {
  readonly issuer: string;
  readonly subject: string;
  /** What we call them if they are new. */
  readonly email: string;
  readonly name: string;
  readonly claims: Claims;
}

export interface StoredRule extends RoleRule {
  readonly id: string;
  readonly createdBy: string;
  readonly createdAt: Date;
}

export interface PeopleStore {
  /** Their address here; remembers what the provider says now. */
  remember(person: Person): Promise<Result<{ userEmail: string; isNew: boolean }>>;
  standing(email: string): Promise<Standing>;
  rules(): Promise<StoredRule[]>;
  addRule(rule: RoleRule, by: string): Promise<Result<StoredRule>>;
  removeRule(id: string): Promise<StoredRule | undefined>;
}

export interface PeopleParts {
  readonly database: Pick<Database, "orm" | "policyChanges" | "organisation">;
  /** The operator's own rules: they cannot be removed over the API. */
  readonly fixedRules: readonly RoleRule[];
  /** Before someone's rights are read: ensures that the facts about them are recent. */
  readonly freshen?: (email: string) => Promise<void>;
}

/** Disables sign-in as them. */
const RESERVED = new Set([LOCAL_USER, "nobody@localhost"]);

export function peopleStore({ database, fixedRules, freshen }: PeopleParts): PeopleStore {
  const { orm, policyChanges } = database;
  return {
    async remember(person) {
      const known = await update(orm, person);
      await policyChanges.announce(); // their groups may have changed
      if (known) return ok({ userEmail: known, isNew: false });
      if (RESERVED.has(person.email))
        return fail("person_refused", { why: "the address is the server's own" });
      const { claims, ...row } = person;
      const [made] = await orm
        .insert(identities)
        .values({ ...row, userEmail: person.email, claims: copied(claims) })
        .onConflictDoNothing()
        .returning({ userEmail: identities.userEmail });
      if (made) return ok({ userEmail: made.userEmail, isNew: true });
      const meanwhile = await update(orm, person); // signed in twice at the same moment
      if (meanwhile) return ok({ userEmail: meanwhile, isNew: false });
      return fail("person_refused", { why: `${person.email} is somebody else's account at the provider` });
    },
    async standing(email) {
      await freshen?.(email);
      return readStanding(database, email, fixedRules);
    },
    async rules() {
      return (await orm.select().from(roleRules).orderBy(asc(roleRules.id)).limit(MOST_RULES)).map(ruleOf);
    },
    async addRule({ scopes, ...rule }, by) {
      const [count] = await orm.select({ all: sql<number>`count(*)::int` }).from(roleRules);
      if ((count?.all ?? 0) >= MOST_RULES)
        return fail("input_invalid", { where: `there are ${MOST_RULES} rules for roles already` });
      const [row] = await orm
        .insert(roleRules)
        .values({ id: uuidv7(), ...rule, scopes: [...scopes], createdBy: by })
        .returning();
      if (!row) throw new Error("the rule just written is not there");
      await policyChanges.announce();
      return ok(ruleOf(row));
    },
    async removeRule(id) {
      if (!isUuid(id)) return undefined;
      const [row] = await orm.delete(roleRules).where(eq(roleRules.id, id)).returning();
      await policyChanges.announce();
      return row && ruleOf(row);
    },
  };
}

async function update(
  orm: Database["orm"],
  { issuer, subject, name, claims }: Person,
): Promise<string | undefined> {
  const [row] = await orm
    .update(identities)
    .set({ name, claims: copied(claims), lastLoginAt: sql`now()`, endedAt: null })
    .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject)))
    .returning({ userEmail: identities.userEmail });
  return row?.userEmail;
}

const copied = (claims: Claims): Record<string, string[]> =>
  Object.fromEntries(Object.entries(claims).map(([name, values]) => [name, [...values]]));

const ruleOf = (row: typeof roleRules.$inferSelect): StoredRule => ({
  ...row,
  role: row.role as Right | null,
});
