/** Who changed what: grants, approvals, keys, agents, packages. Rows are only ever added. */
import { desc, lt } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { auditLog } from "../db/schema/user-tables.ts";

export interface AuditEntry {
  readonly actor: string;
  /** `noun.verb`, such as `agent.updated`. */
  readonly action: string;
  readonly subject: string;
  readonly details?: Record<string, unknown>;
}

export interface AuditLog {
  add(entry: AuditEntry): Promise<void>;
  list(options: {
    limit: number;
    cursor?: number | undefined;
  }): Promise<(AuditEntry & { id: number; createdAt: Date })[]>;
}

export function openAuditLog({ orm }: Pick<Database, "orm">): AuditLog {
  return {
    async add({ details = {}, ...entry }) {
      await orm.insert(auditLog).values({ ...entry, details });
    },
    async list({ limit, cursor }) {
      const rows = await orm
        .select()
        .from(auditLog)
        .where(cursor === undefined ? undefined : lt(auditLog.id, cursor))
        .orderBy(desc(auditLog.id))
        .limit(limit);
      return rows.map((row) => ({ ...row, details: row.details as Record<string, unknown> }));
    },
  };
}
