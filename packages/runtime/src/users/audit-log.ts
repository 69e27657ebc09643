/** Who changed what: grants, approvals, keys, agents, packages. Rows are append-only, each chained to the previous one. */
import { and, asc, desc, gt, isNotNull, lt, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { auditLog } from "../db/schema/user-tables.ts";
import { CHAIN_START, chainHash } from "./audit-chain.ts";

export interface AuditEntry {
  readonly actor: string;
  /** `noun.verb`, such as `agent.updated`. */
  readonly action: string;
  readonly subject: string;
  readonly details?: Record<string, unknown>;
}

export interface AuditReport {
  readonly intact: boolean;
  /** Rows in the chain; older ones were written before it existed. */
  readonly checked: number;
  readonly unchained: number;
  /** The last row's hash: store it elsewhere to detect a truncated log. */
  readonly head: string;
  /** The first row that does not match. */
  readonly broken?: { readonly id: number; readonly why: string };
}

export interface AuditLog {
  add(entry: AuditEntry): Promise<void>;
  list(options: {
    limit: number;
    /** Rows with smaller numbers. */
    before?: number | undefined;
    /** In actor, action or subject, in any letter case. */
    text?: string | undefined;
  }): Promise<(AuditEntry & { id: number; createdAt: Date })[]>;
  /** Reads the whole log and checks its chain. */
  verify(): Promise<AuditReport>;
}

const PAGE = 1000;
const ABOUT = sql`${auditLog.actor} || chr(10) || ${auditLog.action} || chr(10) || ${auditLog.subject}`;

export function openAuditLog({ orm }: Pick<Database, "orm">): AuditLog {
  return {
    add: ({ details = {}, ...entry }) =>
      orm.transaction(async (tx) => {
        await tx.execute(sql`lock table audit_log in share row exclusive mode`); // one writer at a time: a chain has no forks
        const [last] = await tx
          .select({ hash: auditLog.hash })
          .from(auditLog)
          .where(isNotNull(auditLog.hash))
          .orderBy(desc(auditLog.id))
          .limit(1);
        const previous = last?.hash ?? CHAIN_START;
        const row = { ...entry, details: JSON.parse(JSON.stringify(details)), createdAt: new Date() };
        await tx.insert(auditLog).values({ ...row, previous, hash: chainHash(previous, row) });
      }),
    async list({ limit, before, text }) {
      const rows = await orm
        .select()
        .from(auditLog)
        .where(
          and(
            before === undefined ? undefined : lt(auditLog.id, before),
            text === undefined ? undefined : sql`position(lower(${text}) in lower(${ABOUT})) > 0`,
          ),
        )
        .orderBy(desc(auditLog.id))
        .limit(limit);
      return rows.map(({ previous: _, hash: __, ...row }) => ({
        ...row,
        details: row.details as Record<string, unknown>,
      }));
    },
    verify: () => verifyChain(orm),
  };
}

async function verifyChain(orm: Database["orm"]): Promise<AuditReport> {
  let head = CHAIN_START;
  let checked = 0;
  let unchained = 0;
  for await (const row of allRows(orm)) {
    if (row.hash === null && checked === 0) {
      unchained++;
      continue;
    }
    const why = faultOf(row, head);
    if (why !== undefined) return { intact: false, checked, unchained, head, broken: { id: row.id, why } };
    head = row.hash ?? head;
    checked++;
  }
  return { intact: true, checked, unchained, head };
}

async function* allRows(orm: Database["orm"]): AsyncGenerator<typeof auditLog.$inferSelect> {
  for (let after = 0, isLast = false; !isLast; ) {
    const rows = await orm
      .select()
      .from(auditLog)
      .where(gt(auditLog.id, after))
      .orderBy(asc(auditLog.id))
      .limit(PAGE);
    yield* rows;
    after = rows.at(-1)?.id ?? after;
    isLast = rows.length < PAGE;
  }
}

function faultOf(row: typeof auditLog.$inferSelect, head: string): string | undefined {
  if (row.hash === null) return "it is not part of the chain";
  if (row.previous !== head) return "the previous row is missing or was changed";
  return row.hash === chainHash(head, row) ? undefined : "it was changed";
}
