/** The rows of replays: the request, the progress, and the comparison of each run. */
import { type Failure, fail, ok, type Result } from "@capstan/core";
import type { ReplayComparison, Verdict } from "@capstan/core/internal";
import type pg from "pg";
import { uuidv7 } from "uuidv7";
import { isUuid } from "../db/uuid.ts";
import { type LeasedItem, type LeasedQueue, leasedQueue } from "./leased-queue.ts";
import type { StoredMessage } from "./read-recording.ts";
import type { ReplayChange, ReplayOptions } from "./replay-change.ts";
import * as statements from "./replay-statements.ts";

export type ReplayStatus = "running" | "done" | "cancelled";
export type ItemStatus = "queued" | "running" | "done" | "failed" | "skipped" | "cancelled";

export interface NewReplay extends ReplayOptions {
  readonly owner: string;
  /** Secrets in configs are sealed. */
  readonly change: ReplayChange;
  readonly runIds: readonly string[];
  readonly concurrency: number;
  readonly budgetUsd?: number | undefined;
}

export interface ReplayRecord extends ReplayOptions {
  readonly id: string;
  readonly owner: string;
  readonly status: ReplayStatus;
  readonly change: ReplayChange;
  readonly concurrency: number;
  readonly budgetUsd: number | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  /** How many items have each status. */
  readonly items: Readonly<Partial<Record<ItemStatus, number>>>;
  readonly verdicts: Readonly<Partial<Record<Verdict, number>>>;
  readonly tokens: number;
  readonly costUsd: number;
}

export interface ReplayItem {
  readonly id: string;
  readonly position: number;
  readonly runId: string;
  readonly sessionId: string;
  readonly status: ItemStatus;
  readonly verdict: Verdict | null;
  readonly comparison: ReplayComparison | null;
  readonly failure: Failure | null;
  readonly messages?: readonly StoredMessage[] | null;
}

/** An item that this process works on. */
export interface ClaimedItem extends LeasedItem, ReplayOptions {
  /** Who made the replay. */
  readonly owner: string;
  readonly runId: string;
  readonly change: ReplayChange;
}

export type ItemEnd =
  | {
      readonly status: "done";
      readonly comparison: ReplayComparison;
      readonly messages: readonly StoredMessage[];
    }
  | { readonly status: "failed"; readonly failure: Failure };

export interface ItemPage {
  /** Whose runs may be seen; everybody's if absent. */
  readonly owner?: string | undefined;
  readonly verdict?: Verdict | undefined;
  /** Positions after this one. */
  readonly after?: number | undefined;
  readonly limit: number;
}

interface ReplayPageQuery {
  readonly owner?: string | undefined;
  readonly before?: string | undefined;
  /** With a run of this agent. */
  readonly agentId?: string | undefined;
  readonly status?: string | undefined;
  /** In the model or the system prompt that is tried. */
  readonly text?: string | undefined;
  readonly limit: number;
}

export interface ReplayStore {
  create(replay: NewReplay): Promise<ReplayRecord>;
  get(id: string): Promise<Result<ReplayRecord>>;
  /** Newest first. */
  list(page: ReplayPageQuery): Promise<{ items: ReplayRecord[]; nextCursor?: string }>;
  items(id: string, page: ItemPage): Promise<{ items: ReplayItem[]; nextAfter?: number }>;
  /** One of its runs, with the replayed conversation; `owner`: whose runs may be seen, everybody's if absent. */
  item(id: string, runId: string, owner: string | undefined): Promise<Result<ReplayItem>>;
  cancel(id: string): Promise<Result<ReplayRecord>>;
  remove(id: string): Promise<Result<true>>;
}

export type ReplayQueue = LeasedQueue<ClaimedItem, ItemEnd>;

export function replayStore(pool: pg.Pool): ReplayStore {
  const read = async (id: string): Promise<Result<ReplayRecord>> => {
    const { rows } = isUuid(id) ? await pool.query<ReplayRecord>(statements.GET, [id]) : { rows: [] };
    return rows[0] ? ok(recordOf(rows[0])) : fail("not_found", { what: "replay", id });
  };
  return {
    get: read,
    async create(replay) {
      const id = uuidv7();
      const { owner, change, standIns, liveReads, concurrency, budgetUsd } = replay;
      const items = replay.runIds.map((runId, position) => ({ id: uuidv7(), run_id: runId, position }));
      await pool.query(statements.CREATE, [
        id,
        owner,
        JSON.stringify(change),
        JSON.stringify(standIns),
        liveReads,
        concurrency,
        budgetUsd ?? null,
        JSON.stringify(items),
      ]);
      const made = await read(id);
      if (!made.ok) throw new Error("a replay that was just created is gone");
      return made.value;
    },
    async list({ owner, before, agentId, status, text, limit }) {
      const filter = [owner, before, agentId, status, text].map((each) => each ?? null);
      const { rows } = await pool.query<ReplayRecord>(statements.LIST, [...filter, limit + 1]);
      const items = rows.slice(0, limit).map(recordOf);
      const last = items.at(-1);
      return { items, ...(rows.length > limit && last && { nextCursor: last.id }) };
    },
    async items(id, { owner, verdict, after = -1, limit }) {
      const { rows } = await pool.query<ReplayItem>(statements.ITEMS, [
        id,
        owner ?? null,
        verdict ?? null,
        after,
        limit + 1,
      ]);
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      return { items, ...(rows.length > limit && last && { nextAfter: last.position }) };
    },
    async item(id, runId, owner) {
      const { rows } =
        isUuid(id) && isUuid(runId)
          ? await pool.query<ReplayItem>(statements.ITEM, [id, owner ?? null, runId])
          : { rows: [] };
      return rows[0] ? ok(rows[0]) : fail("not_found", { what: "replayed run", id: runId });
    },
    async cancel(id) {
      if (isUuid(id)) await pool.query(statements.LEASED.cancel, [id]);
      return read(id);
    },
    async remove(id) {
      const { rowCount } = isUuid(id) ? await pool.query(statements.REMOVE, [id]) : { rowCount: 0 };
      return rowCount ? ok(true) : fail("not_found", { what: "replay", id });
    },
  };
}

export const replayQueue = (pool: pg.Pool): ReplayQueue =>
  leasedQueue(pool, {
    statements: statements.LEASED,
    endStatement: statements.END,
    endValues(end) {
      const done = end.status === "done" ? end : undefined;
      return [
        end.status,
        done?.comparison.verdict ?? null,
        done ? JSON.stringify(done.comparison) : null,
        done ? JSON.stringify(done.messages) : null,
        end.status === "failed" ? JSON.stringify(end.failure) : null,
        done?.comparison.tokens.after ?? 0,
        done?.comparison.costUsd.after ?? 0,
      ];
    },
    readItem: (row) => ({ ...row, change: readChange(row.change) }),
  });

const recordOf = (row: ReplayRecord): ReplayRecord => ({ ...row, change: readChange(row.change) });

/** JSON keeps dates as text; a rule's expiry is one. */
export function readChange({ rules, ...change }: ReplayChange): ReplayChange {
  const read = rules?.map(({ expiresAt, ...rule }) =>
    expiresAt === undefined ? rule : { ...rule, expiresAt: new Date(expiresAt) },
  );
  return read ? { ...change, rules: read } : change;
}
