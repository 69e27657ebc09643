/** Ends for good what somebody could come back with: keys, tokens, clients' logins, links. A person who returns starts anew. */
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { clientLogins } from "../db/schema/client-login-tables.ts";
import { sessionLinks } from "../db/schema/sharing-tables.ts";
import { tokens } from "../db/schema/token-tables.ts";
import { apiKeys } from "../db/schema/user-tables.ts";

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
