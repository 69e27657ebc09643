/** Who changed what: grants, approvals, keys, agents, packages. Rows are append-only, each chained to the previous one. */
import { and, asc, desc, eq, gt, isNotNull, lt, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { auditLog } from "../db/schema/user-tables.ts";
import {
  type AnchorPlaces,
  type AuditAnchor,
  type AuditAnchors,
  type AuditOrm,
  auditAnchors,
} from "./audit-anchors.ts";
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
  /** The last row's hash. */
  readonly head: string;
  /** The first row that does not match, or the end that was cut off. */
  readonly broken?: { readonly id: number; readonly why: string };
}

export interface AuditFilter {
  readonly limit: number;
  /** Rows with smaller numbers. */
  readonly before?: number | undefined;
  /** In actor, action or subject, in any letter case. */
  readonly text?: string | undefined;
  readonly actor?: string | undefined;
  /** `noun.verb`, or a noun for all its verbs. */
  readonly action?: string | undefined;
  readonly subject?: string | undefined;
}
export type AuditRow = AuditEntry & { readonly id: number; readonly createdAt: Date };

export interface AuditLog {
  add(entry: AuditEntry): Promise<void>;
  list(filter: AuditFilter): Promise<AuditRow[]>;
  /** Reads the whole log and checks its chain, and that a hash stored elsewhere is still part of it. */
  verify(expected?: string): Promise<AuditReport>;
}

const PAGE = 1000;
const ABOUT = sql`${auditLog.actor} || chr(10) || ${auditLog.action} || chr(10) || ${auditLog.subject}`;

/** Written before the next row if the log's end has moved: a later row must not hide a truncation. */
const CUT = "audit.cut";

export function openAuditLog({ orm }: Pick<Database, "orm">, places: AnchorPlaces): AuditLog {
  const anchors = auditAnchors(places);
  return {
    async add(entry) {
      const end = await orm.transaction(async (tx) => {
        await tx.execute(sql`lock table audit_log in share row exclusive mode`); // one writer at a time: a chain has no forks
        const cut = await anchors.findCut(tx);
        if (cut) await append(tx, { actor: "capstan", action: CUT, subject: String(cut.id), details: cut });
        const added = await append(tx, entry);
        await anchors.sign(tx, added);
        return added;
      });
      await anchors.remember(end);
    },
    async list({ limit, ...filter }) {
      const rows = await orm
        .select()
        .from(auditLog)
        .where(matching(filter))
        .orderBy(desc(auditLog.id))
        .limit(limit);
      return rows.map(({ previous: _, hash: __, ...row }) => ({
        ...row,
        details: row.details as Record<string, unknown>,
      }));
    },
    verify: (expected) => verifyLog(orm, anchors, expected),
  };
}

function matching({ before, text, actor, action, subject }: Omit<AuditFilter, "limit">) {
  return and(
    before === undefined ? undefined : lt(auditLog.id, before),
    text === undefined ? undefined : sql`position(lower(${text}) in lower(${ABOUT})) > 0`,
    actor === undefined ? undefined : eq(auditLog.actor, actor),
    action === undefined
      ? undefined
      : sql`(${auditLog.action} = ${action} or split_part(${auditLog.action}, '.', 1) = ${action})`,
    subject === undefined ? undefined : eq(auditLog.subject, subject),
  );
}

async function append(orm: AuditOrm, { details = {}, ...entry }: AuditEntry): Promise<AuditAnchor> {
  const [last] = await orm
    .select({ hash: auditLog.hash })
    .from(auditLog)
    .where(isNotNull(auditLog.hash))
    .orderBy(desc(auditLog.id))
    .limit(1);
  const previous = last?.hash ?? CHAIN_START;
  const row = { ...entry, details: JSON.parse(JSON.stringify(details)), createdAt: new Date() };
  const hash = chainHash(previous, row);
  const [added] = await orm
    .insert(auditLog)
    .values({ ...row, previous, hash })
    .returning({ id: auditLog.id });
  if (!added) throw new Error("the row just written is not there");
  return { id: added.id, hash };
}

async function verifyLog(
  orm: Database["orm"],
  anchors: AuditAnchors,
  expected: string | undefined,
): Promise<AuditReport> {
  const cut = (await anchors.findCut(orm)) ?? (await findLoss(orm, expected)); // read first: rows added while the chain is read are not a truncation
  const report = await verifyChain(orm);
  return report.intact && cut ? { ...report, intact: false, broken: cut } : report;
}

/** A rollback of the whole server also rolls this back; only a hash stored elsewhere shows that. */
async function findLoss(orm: AuditOrm, expected: string | undefined) {
  if (expected === undefined) return undefined;
  const [row] = await orm.select({ id: auditLog.id }).from(auditLog).where(eq(auditLog.hash, expected));
  return row ? undefined : { id: 0, why: "no row has the expected hash: the log was set back or rewritten" };
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
  if (row.action === CUT && row.actor === "capstan") return "the log was cut before this row";
  if (row.previous !== head) return "the previous row is missing or was changed";
  return row.hash === chainHash(head, row) ? undefined : "it was changed";
}
