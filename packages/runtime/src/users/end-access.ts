/**
 * Permanently revokes everything a person could return with: keys, tokens, clients' logins, links. A person who
 * returns starts from scratch.
 */
import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Database } from "../db/database.ts";
import { clientLogins } from "../db/schema/client-login-tables.ts";
import { connectionLogins } from "../db/schema/connection-tables.ts";
import { memories } from "../db/schema/memory-tables.ts";
import { organisationMembers } from "../db/schema/organisation-tables.ts";
import { identities, logins } from "../db/schema/people-tables.ts";
import { rules } from "../db/schema/rule-tables.ts";
import { sessionLinks } from "../db/schema/sharing-tables.ts";
import { tokens } from "../db/schema/token-tables.ts";
import { schedules } from "../db/schema/trigger-tables.ts";
import { apiKeys, capabilityData, capabilitySecrets, grants, users } from "../db/schema/user-tables.ts";

export interface EndedAccess {
  readonly keys: number;
  readonly tokens: number;
  readonly clients: number;
  readonly links: number;
}

/** In the organisation that asks; logins are the server's and are ended by `LoginStore`. */
export async function endAccess({ orm }: Pick<Database, "orm">, email: string): Promise<EndedAccess> {
  const ended = { revokedAt: sql`now()` };
  return orm.transaction(async (tx) => {
    const keys = await tx
      .update(apiKeys)
      .set({ revoked: true })
      .where(and(eq(sql`lower(${apiKeys.owner})`, email.toLowerCase()), eq(apiKeys.revoked, false)))
      .returning({ id: apiKeys.id });
    const ofAgents = await tx
      .update(tokens)
      .set(ended)
      .where(and(eq(tokens.userEmail, email), isNull(tokens.revokedAt)))
      .returning({ id: tokens.id });
    const clients = await tx
      .update(clientLogins)
      .set(ended)
      .where(and(eq(clientLogins.userEmail, email), isNull(clientLogins.revokedAt)))
      .returning({ id: clientLogins.id });
    const links = await tx
      .update(sessionLinks)
      .set(ended)
      .where(and(eq(sessionLinks.createdBy, email), isNull(sessionLinks.revokedAt)))
      .returning({ id: sessionLinks.id });
    return { keys: keys.length, tokens: ofAgents.length, clients: clients.length, links: links.length };
  });
}

/** How many of each are gone. */
export interface ErasedUser {
  readonly memories: number;
  readonly schedules: number;
  readonly rules: number;
  readonly secrets: number;
}

/**
 * Deletes a user's own data in this organisation. The address stays, disabled: what names them elsewhere
 * (audit log, agents, sessions that are kept) must not become someone else's.
 */
export async function eraseUser(
  database: Pick<Database, "orm" | "organisation">,
  email: string,
): Promise<ErasedUser> {
  const isFirst = database.organisation === undefined;
  return database.orm.transaction(async (tx) => {
    const remove = async (table: PgTable, which: SQL | undefined): Promise<number> =>
      (await tx.delete(table).where(which)).rowCount ?? 0;
    const counts = {
      memories: await remove(memories, and(eq(memories.scope, "user"), eq(memories.subject, email))),
      schedules: await remove(schedules, eq(schedules.user, email)),
      rules: await remove(rules, eq(rules.owner, email)),
      secrets: await remove(capabilitySecrets, eq(capabilitySecrets.user, email)),
    };
    await remove(capabilityData, eq(capabilityData.scope, `user:${email}`));
    await remove(grants, eq(grants.subject, `user:${email}`));
    await remove(apiKeys, eq(sql`lower(${apiKeys.owner})`, email.toLowerCase()));
    await remove(tokens, eq(tokens.userEmail, email));
    await remove(clientLogins, eq(clientLogins.userEmail, email));
    await remove(connectionLogins, eq(connectionLogins.userEmail, email));
    if (isFirst) {
      await remove(logins, eq(logins.userEmail, email));
      await remove(identities, eq(identities.userEmail, email));
      await remove(organisationMembers, eq(organisationMembers.userEmail, email));
    }
    const left = { scopes: [], preferences: {}, disabledAt: sql`now()`, updatedAt: sql`now()` };
    await tx
      .insert(users)
      .values({ email, ...left })
      .onConflictDoUpdate({ target: users.email, set: left });
    return counts;
  });
}
