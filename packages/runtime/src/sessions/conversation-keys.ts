/** Finds sessions by their conversation, for clients that send the whole conversation and no id. */
import { and, desc, eq, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { sessions } from "../db/schema/session-tables.ts";

export interface ConversationKeys {
  /** The newest session with exactly this conversation. */
  find(options: {
    readonly agentId: string;
    readonly owner: string;
    /** Begun by this client; undefined: by any. */
    readonly client: string | undefined;
    readonly key: string;
  }): Promise<string | undefined>;
  set(sessionId: string, key: string): Promise<void>;
}

export function conversationKeys({ orm }: Pick<Database, "orm">): ConversationKeys {
  return {
    async find({ agentId, owner, client, key }) {
      const [row] = await orm
        .select({ id: sessions.id })
        .from(sessions)
        .where(
          and(
            eq(sessions.conversationKey, key),
            eq(sessions.owner, owner),
            eq(sessions.agentId, agentId),
            client === undefined ? undefined : sql`${sessions.metadata}->>'client_login' = ${client}`,
          ),
        )
        .orderBy(desc(sessions.id))
        .limit(1);
      return row?.id;
    },
    async set(sessionId, conversationKey) {
      await orm.update(sessions).set({ conversationKey }).where(eq(sessions.id, sessionId));
    },
  };
}
