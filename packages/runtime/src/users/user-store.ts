/** Users and their grants. The loopback user exists implicitly and has every scope. */
import { EVERY_SCOPE, type Right, type RoleRule } from "@capstan/core/internal";
import { and, desc, eq, gt, isNull, or, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { Database } from "../db/database.ts";
import { grants, users } from "../db/schema/user-tables.ts";
import { readStanding } from "./standing.ts";

export const LOCAL_USER = "local@localhost";
const MOST_USERS = 100_000;
const MOST_GRANTS = 10_000; // far beyond what people grant one by one; every read is bounded

export interface UserRecord {
  readonly email: string;
  /** False: disabled, or without a role; then there are no scopes either. */
  readonly isActive: boolean;
  readonly isDisabled: boolean;
  /** Of someone whom an OpenID provider knows; undefined for who has keys alone. */
  readonly role: Right | undefined;
  /** Effective: the user's own scopes, unexpired grants, and those of their roles. */
  readonly scopes: string[];
  /** Without grants: what `put` sets. */
  readonly ownScopes: string[];
  readonly preferences: Record<string, unknown>;
  /** The weight when runs wait for slots. */
  readonly weight: number;
}

export interface GrantInput {
  /** `user:<email>` or `agent:<id>`. */
  readonly subject: string;
  readonly scope: string;
  readonly grantedBy: string;
  readonly reason?: string;
  readonly expiresAt?: Date;
}

export interface GrantRecord extends GrantInput {
  readonly id: string;
  readonly createdAt: Date;
}

export interface UserStore {
  get(email: string): Promise<UserRecord>;
  put(
    email: string,
    changes: {
      scopes?: readonly string[];
      preferences?: Record<string, unknown>;
      isDisabled?: boolean;
      weight?: number;
    },
  ): Promise<UserRecord>;
  /** All known users; their scopes are read with `get`. */
  list(): Promise<{ email: string; createdAt: Date }[]>;
  grant(input: GrantInput): Promise<GrantRecord>;
  /** The revoked grant; undefined when there is no active one. */
  revoke(grantId: string): Promise<Pick<GrantRecord, "subject" | "scope"> | undefined>;
  grantsOf(subject: string): Promise<GrantRecord[]>;
  /** Active grants, of one subject or of all, newest first. */
  grants(subject?: string): Promise<GrantRecord[]>;
}

export function userStore(
  database: Pick<Database, "orm" | "policyChanges" | "organisation">,
  fixedRules: readonly RoleRule[] = [],
  freshen: (email: string) => Promise<void> = async () => {},
): UserStore {
  const { orm, policyChanges } = database;
  const inForce = (subject: string | undefined) => grantsInForce(orm, subject);
  const grantsOf = (subject: string) => inForce(subject);
  const get = async (email: string): Promise<UserRecord> => {
    await freshen(email);
    const [[row], granted, standing] = await Promise.all([
      orm.select().from(users).where(eq(users.email, email)),
      grantsOf(`user:${email}`),
      readStanding(database, email, fixedRules),
    ]);
    const own = row?.scopes ?? (email === LOCAL_USER ? [EVERY_SCOPE] : []);
    const { isActive, isDisabled } = standing;
    const role = standing.isPerson ? standing.right : undefined;
    const all = [...own, ...granted.map(({ scope }) => scope), ...standing.scopes];
    return {
      email,
      isActive,
      isDisabled,
      role,
      scopes: isActive ? [...new Set(all)] : [],
      ownScopes: own,
      preferences: (row?.preferences as Record<string, unknown> | undefined) ?? {},
      weight: row?.weight ?? 1,
    };
  };
  return {
    get,
    grantsOf,
    grants: inForce,
    async put(email, { scopes, preferences, isDisabled, weight }) {
      const set = {
        ...(weight !== undefined && { weight }),
        ...(isDisabled !== undefined && { disabledAt: isDisabled ? new Date() : null }),
        ...(scopes && { scopes: [...scopes] }),
        ...(preferences && { preferences }),
      };
      await orm
        .insert(users)
        .values({ email, scopes: email === LOCAL_USER ? [EVERY_SCOPE] : [], ...set })
        .onConflictDoUpdate({ target: users.email, set: { ...set, updatedAt: sql`now()` } });
      await policyChanges.announce();
      return get(email);
    },
    async list() {
      const { email, createdAt } = users;
      const rows = await orm.select({ email, createdAt }).from(users).limit(MOST_USERS);
      const hasLocal = rows.some((row) => row.email === LOCAL_USER);
      return hasLocal ? rows : [...rows, { email: LOCAL_USER, createdAt: new Date(0) }]; // there from the beginning
    },
    async grant(input) {
      const id = uuidv7();
      const [row] = await orm
        .insert(grants)
        .values({ id, ...input, reason: input.reason ?? "", expiresAt: input.expiresAt ?? null })
        .returning({ createdAt: grants.createdAt });
      await policyChanges.announce();
      return { ...input, id, createdAt: row?.createdAt ?? new Date() };
    },
    async revoke(grantId) {
      const rows = await orm
        .update(grants)
        .set({ revokedAt: sql`now()` })
        .where(and(eq(grants.id, grantId), isNull(grants.revokedAt)))
        .returning({ subject: grants.subject, scope: grants.scope });
      await policyChanges.announce();
      return rows[0];
    },
  };
}

async function grantsInForce(orm: Database["orm"], subject: string | undefined): Promise<GrantRecord[]> {
  const rows = await orm
    .select()
    .from(grants)
    .where(
      and(
        subject === undefined ? undefined : eq(grants.subject, subject),
        isNull(grants.revokedAt),
        or(isNull(grants.expiresAt), gt(grants.expiresAt, sql`now()`)),
      ),
    )
    .orderBy(desc(grants.id))
    .limit(MOST_GRANTS);
  return rows.map(({ expiresAt, revokedAt: _, ...row }) => ({ ...row, ...(expiresAt && { expiresAt }) }));
}
