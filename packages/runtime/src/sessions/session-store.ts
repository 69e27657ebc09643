/** Sessions: a conversation with one agent, its files and its state. Messages and runs belong to the run engine. */
import { fail, ok, type Result } from "@capstan/core";
import type { ContinueIn, Follows } from "@capstan/core/internal";
import { and, desc, eq, isNotNull, isNull, or, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { uuidv7 } from "uuidv7";
import type { Page } from "../agents/agent-store.ts";
import type { Database } from "../db/database.ts";
import { isAfter, type Place, pageOf, placeAt } from "../db/keyset.ts";
import { events, messages } from "../db/schema/run-tables.ts";
import { type SessionLabels, sessions } from "../db/schema/session-tables.ts";
import { isUuid } from "../db/uuid.ts";
import { type BranchPoint, branchPoints } from "./branches.ts";

const MOST_BRANCHES = 500; // the newest forks of one conversation that are considered

export interface SessionRecord {
  readonly id: string;
  readonly agentId: string | null;
  readonly owner: string;
  readonly title: string;
  readonly status: string;
  readonly state: unknown;
  readonly metadata: unknown;
  readonly forkedFrom: string | null;
  readonly forkPosition: number | null;
  readonly conversationId: string | null;
  readonly allowedTools: readonly string[];
  readonly labels: SessionLabels;
  readonly continueIn: ContinueIn | null;
  readonly follows: Follows | null;
  readonly comparisonId: string | null;
  readonly pinnedAt: Date | null;
  readonly archivedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface NewSession {
  readonly id?: string | undefined;
  readonly agentId?: string | undefined;
  readonly owner: string;
  readonly title?: string | undefined;
  readonly metadata?: Record<string, unknown> | undefined;
  readonly state?: unknown;
  readonly forkedFrom?: string | undefined;
  /** Absent: the live agent, or its canary for the share of new sessions that it has. */
  readonly follows?: Follows | undefined;
  /** Labels that its first message brings in. */
  readonly labels?: SessionLabels | undefined;
}

export interface SessionStore {
  /** Repeating a given id returns the same session. */
  create(input: NewSession): Promise<SessionRecord>;
  get(id: string): Promise<Result<SessionRecord>>;
  list(options: SessionFilter): Promise<Page<SessionRecord>>;
  update(id: string, changes: SessionChanges): Promise<Result<SessionRecord>>;
  /** Sets the title of a session without one. */
  nameUntitled(id: string, title: string): Promise<void>;
  delete(id: string): Promise<Result<SessionRecord>>;
  /** Revokes what was allowed for the rest of a session: one tool as `capability/tool`, or all. */
  disallow(id: string, tool?: string): Promise<Result<SessionRecord>>;
  /** Where this session and its forks diverge. */
  branches(id: string): Promise<Result<BranchPoint[]>>;
}

export interface SessionChanges {
  readonly title?: string;
  readonly agentId?: string | null;
  readonly metadata?: Record<string, unknown>;
  readonly pinned?: boolean;
  readonly archived?: boolean;
  readonly continueIn?: ContinueIn | null;
  readonly follows?: Follows | null;
  readonly comparisonId?: string | null;
}

export interface SessionFilter {
  readonly limit: number;
  /** Where the previous page ended. */
  readonly after?: Place | undefined;
  readonly agentId?: string | undefined;
  readonly owner?: string | undefined;
  /** Only those, or only the others; default: both. */
  readonly archived?: boolean | undefined;
  readonly pinned?: boolean | undefined;
  /** By the last run's status: failed, waiting, running, idle. */
  readonly status?: string | undefined;
  /** Text in its title, case-insensitive. */
  readonly text?: string | undefined;
  /** The client's own id, where it differs. */
  readonly threadId?: string | undefined;
  /** The branches of this comparison. */
  readonly comparisonId?: string | undefined;
}

export function sessionStore(
  { orm }: Pick<Database, "orm">,
  assign: (agentId: string, sessionId: string) => Promise<Follows | undefined> = async () => undefined,
): SessionStore {
  const get = async (id: string): Promise<Result<SessionRecord>> => {
    const [row] = isUuid(id) ? await orm.select().from(sessions).where(eq(sessions.id, id)) : [];
    return row ? ok(row) : fail("not_found", { what: "session", id });
  };
  return {
    get,
    async create(input) {
      const id = input.id ?? uuidv7();
      const { agentId, follows = agentId && (await assign(agentId, id)) } = input;
      await orm
        .insert(sessions)
        .values({ ...newRow(id, input), follows: follows || null })
        .onConflictDoNothing();
      const made = await get(id);
      if (!made.ok) throw new Error("the session just written is not there");
      return made.value;
    },
    async list({ limit, ...filter }) {
      const found = await orm
        .select({ row: sessions, at: placeAt(sessions.createdAt) })
        .from(sessions)
        .where(matching(filter))
        .orderBy(desc(sessions.createdAt), desc(sessions.id))
        .limit(limit + 1);
      const { items, ...next } = pageOf(found, limit, ({ at, row }) => ({ at, id: row.id }));
      return { items: items.map(({ row }) => row), ...next };
    },
    async update(id, changes) {
      if (isUuid(id))
        await orm
          .update(sessions)
          .set({ ...columnsOf(changes), updatedAt: sql`now()` })
          .where(eq(sessions.id, id));
      return get(id);
    },
    async nameUntitled(id, title) {
      if (!isUuid(id)) return;
      await orm
        .update(sessions)
        .set({ title })
        .where(and(eq(sessions.id, id), eq(sessions.title, "")));
    },
    async disallow(id, tool) {
      const found = await get(id);
      if (!found.ok) return found;
      await disallowTools(orm, id, tool);
      return get(id);
    },
    async branches(id) {
      const found = await get(id);
      return found.ok ? ok(await branchesOf(orm, found.value)) : found;
    },
    async delete(id) {
      const found = await get(id);
      if (!found.ok) return found;
      // First the runs are cancelled, so that nothing writes to the session any more; then rows without a foreign key are deleted.
      await orm.delete(sessions).where(eq(sessions.id, id));
      await orm.delete(messages).where(eq(messages.sessionId, id));
      await orm.delete(events).where(eq(events.sessionId, id));
      return found;
    },
  };
}

type Orm = Database["orm"];

const newRow = (id: string, { agentId, owner, title, metadata, state, forkedFrom, labels }: NewSession) => ({
  id,
  agentId: agentId ?? null,
  owner,
  title: title ?? "",
  metadata: metadata ?? {},
  state: state ?? {},
  forkedFrom: forkedFrom ?? null,
  ...(labels && { labels }),
});

async function disallowTools(orm: Orm, id: string, tool: string | undefined): Promise<void> {
  const kept = tool === undefined ? sql`'[]'::jsonb` : without(tool);
  await orm.update(sessions).set({ allowedTools: kept }).where(eq(sessions.id, id));
}

async function branchesOf(
  orm: Orm,
  { id, conversationId }: Pick<SessionRecord, "id" | "conversationId">,
): Promise<BranchPoint[]> {
  if (conversationId === null) return [];
  const family = await orm
    .select({
      id: sessions.id,
      forkedFrom: sessions.forkedFrom,
      forkPosition: sessions.forkPosition,
      createdAt: sessions.createdAt,
      updatedAt: sessions.updatedAt,
    })
    .from(sessions)
    .where(eq(sessions.conversationId, conversationId))
    .orderBy(desc(sessions.id))
    .limit(MOST_BRANCHES);
  return branchPoints(id, family);
}

/** In one statement, so that a concurrent allowance is kept. */
const without = (tool: string) => sql`(select coalesce(jsonb_agg(entry), '[]') from
  jsonb_array_elements_text(${sessions.allowedTools}) as entry where split_part(entry, '#', 1) <> ${tool})`;

const isSet = (column: PgColumn, wanted: boolean | undefined) =>
  wanted === undefined ? undefined : wanted ? isNotNull(column) : isNull(column);

/** Pinning and archiving are timestamps in the table, booleans to callers. */
const columnsOf = ({ pinned, archived, ...changes }: SessionChanges) => ({
  ...changes,
  ...(pinned !== undefined && { pinnedAt: pinned ? sql`now()` : null }),
  ...(archived !== undefined && { archivedAt: archived ? sql`now()` : null }),
});

/** The title as indexed. */
const isThread = (threadId: string) =>
  sql`(md5(${sessions.metadata}->>'thread_id') = md5(${threadId}) and ${sessions.metadata}->>'thread_id' is not null)`;

function matching(filter: Omit<SessionFilter, "limit">) {
  const { after, agentId, owner, archived, pinned, status, text, threadId, comparisonId } = filter;
  const { id, title, createdAt } = sessions;
  return and(
    after && isAfter(createdAt, id, after),
    agentId === undefined ? undefined : eq(sessions.agentId, agentId),
    owner === undefined ? undefined : eq(sessions.owner, owner),
    comparisonId === undefined ? undefined : eq(sessions.comparisonId, comparisonId),
    isSet(sessions.archivedAt, archived),
    isSet(sessions.pinnedAt, pinned),
    status === undefined ? undefined : eq(sessions.status, status),
    text === undefined ? undefined : sql`position(lower(${text}) in lower(${title})) > 0`,
    threadId === undefined
      ? undefined
      : or(isUuid(threadId) ? eq(id, threadId) : undefined, isThread(threadId)),
  );
}
