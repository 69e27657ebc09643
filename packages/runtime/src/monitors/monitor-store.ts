/** The rows of monitors: which live runs are scored, their scores, and drift alerts. */
import { type Failure, fail, ok, type Result } from "@capstan/core";
import type { ScorerSpec, TextKind } from "@capstan/core/internal";
import type pg from "pg";
import { uuidv7 } from "uuidv7";
import { firstIdAt, isUuid } from "../db/uuid.ts";
import type { StoredScore } from "../experiments/score-run.ts";
import { type LeasedItem, type LeasedQueue, leasedQueue } from "../replays/leased-queue.ts";
import type { FailedEnd } from "../replays/leased-worker.ts";
import type { ItemStatus } from "../replays/replay-store.ts";
import * as statements from "./monitor-statements.ts";

/** A run's row may appear a little after the time in its id: written by a slow statement, or on a machine whose clock is behind. */
const LATE_MS = 120_000;
const STEP_MS = 60_000; // how far the position of sampled runs moves at once
const AT_ONCE = 2; // scores of one monitor: live runs come first
const SHOWN_RUNS = 1_000; // of each revision

export interface MonitorSettings {
  readonly name: string;
  /** In percent. */
  readonly share: number;
  /** Per day; null: no limit. */
  readonly budgetUsd: number | null;
  readonly everyRuns: number;
  readonly drop: number;
  readonly webhookUrl: string | null;
  readonly status: "running" | "paused";
}

export interface NewMonitor extends Omit<MonitorSettings, "status"> {
  readonly owner: string;
  /** Runs of every user; otherwise only the owner's. */
  readonly everybody: boolean;
  readonly agentId: string;
  readonly scorers: readonly ScorerSpec[];
  readonly scrub: readonly TextKind[];
}

export interface MonitorRecord extends NewMonitor, MonitorSettings {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly spentTodayUsd: number;
  /** How many runs have each status. */
  readonly runs: Readonly<Partial<Record<ItemStatus, number>>>;
  readonly openAlerts: number;
}

export interface MonitorScore {
  readonly id: string;
  readonly runId: string;
  readonly sessionId: string;
  readonly revision: number | null;
  readonly status: ItemStatus;
  readonly scores: readonly StoredScore[] | null;
  readonly failure: Failure | null;
  readonly tokens: number;
  readonly costUsd: number;
  readonly endedAt: Date | null;
}

export interface DriftFinding {
  readonly before: { readonly mean: number; readonly runs: number };
  readonly after: { readonly mean: number; readonly runs: number };
  readonly p: number;
  readonly level: number;
}

export interface MonitorAlert {
  readonly id: string;
  readonly monitorId: string;
  readonly scorer: string;
  readonly revision: number;
  readonly against: number;
  readonly finding: DriftFinding;
  readonly acknowledgedBy: string | null;
  readonly acknowledgedAt: Date | null;
  readonly delivery: "none" | "due" | "delivered" | "given_up";
  readonly lastError: string | null;
  readonly createdAt: Date;
}

/** A run that this process scores. */
export interface ClaimedScore extends LeasedItem {
  readonly runId: string;
  readonly agentId: string;
  readonly user: string;
  readonly scorers: readonly ScorerSpec[];
  readonly scrub: readonly TextKind[];
}

export interface ScoreEnd {
  readonly status: "done";
  readonly revision: number | null;
  readonly scores: readonly StoredScore[];
}

export type ScoreQueue = LeasedQueue<ClaimedScore, ScoreEnd | FailedEnd>;

interface Pages {
  readonly before?: string | undefined;
  readonly limit: number;
}

interface Listed<Row> {
  readonly items: Row[];
  readonly nextCursor?: string;
}

export interface MonitorStore {
  create(monitor: NewMonitor): Promise<MonitorRecord>;
  get(id: string): Promise<Result<MonitorRecord>>;
  /** Newest first. */
  list(
    page: Pages & {
      readonly owner?: string | undefined;
      readonly agentId?: string | undefined;
      readonly status?: string | undefined;
      readonly text?: string | undefined;
    },
  ): Promise<Listed<MonitorRecord>>;
  change(id: string, settings: MonitorSettings): Promise<Result<MonitorRecord>>;
  remove(id: string): Promise<void>;
  /** Newest run first; `owner`: only runs of this user's sessions. */
  scores(
    id: string,
    page: Pages & { readonly owner?: string | undefined; readonly revision?: number | undefined },
  ): Promise<Listed<MonitorScore>>;
  /** The newest scores of the ten newest revisions. */
  byRevision(id: string): Promise<{ revision: number; scores: readonly StoredScore[] }[]>;
  alerts(id: string, page: Pages): Promise<Listed<MonitorAlert>>;
  acknowledge(id: string, alertId: string, by: string): Promise<Result<MonitorAlert>>;
  countOpenAlerts(): Promise<number>;
}

export function monitorStore(pool: pg.Pool): MonitorStore {
  const read = async (id: string): Promise<Result<MonitorRecord>> => {
    const { rows } = isUuid(id) ? await pool.query<MonitorRecord>(statements.GET, [id]) : { rows: [] };
    return rows[0] ? ok(rows[0]) : fail("not_found", { what: "monitor", id });
  };
  const readRows = async <Row>(
    statement: string,
    values: readonly unknown[],
    limit: number,
    cursorOf: (row: Row) => string,
  ): Promise<Listed<Row>> => {
    const { rows } = await pool.query(statement, [...values.map((value) => value ?? null), limit + 1]);
    const items = rows.slice(0, limit) as Row[];
    const last = items.at(-1);
    return { items, ...(rows.length > limit && last && { nextCursor: cursorOf(last) }) };
  };
  return {
    get: read,
    async create(made) {
      const id = uuidv7();
      await pool.query(statements.CREATE, [
        id,
        made.owner,
        made.everybody,
        made.name,
        made.agentId,
        JSON.stringify(made.scorers),
        made.share,
        made.budgetUsd,
        JSON.stringify(made.scrub),
        made.everyRuns,
        made.drop,
        made.webhookUrl,
        AT_ONCE,
        firstIdAt(new Date()),
      ]);
      const stored = await read(id);
      if (!stored.ok) throw new Error("a monitor that was just created is gone");
      return stored.value;
    },
    list: ({ owner, before, agentId, status, text, limit }) =>
      readRows<MonitorRecord>(statements.LIST, [owner, before, agentId, status, text], limit, ({ id }) => id),
    async change(id, { name, share, budgetUsd, everyRuns, drop, webhookUrl, status }) {
      const values = [id, name, share, budgetUsd, everyRuns, drop, webhookUrl, status, firstIdAt(new Date())];
      if (isUuid(id)) await pool.query(statements.CHANGE, values);
      return read(id);
    },
    async remove(id) {
      await pool.query(statements.REMOVE, [id]);
    },
    scores: (id, { owner, revision, before, limit }) =>
      readRows<MonitorScore>(statements.SCORES, [id, owner, revision, before], limit, ({ runId }) => runId),
    async byRevision(id) {
      return (await pool.query(statements.BY_REVISION, [id, SHOWN_RUNS])).rows;
    },
    alerts: (id, { before, limit }) =>
      readRows<MonitorAlert>(statements.ALERTS, [id, before], limit, (alert) => alert.id),
    async acknowledge(id, alertId, by) {
      const { rows } = isUuid(alertId)
        ? await pool.query<MonitorAlert>(statements.ACKNOWLEDGE, [id, alertId, by])
        : { rows: [] };
      return rows[0] ? ok(rows[0]) : fail("not_found", { what: "alert", id: alertId });
    },
    async countOpenAlerts() {
      const { rows } = await pool.query<{ count: number }>(statements.COUNT_OPEN_ALERTS);
      return rows[0]?.count ?? 0;
    },
  };
}

export const scoreQueue = (pool: pg.Pool): ScoreQueue =>
  leasedQueue(pool, {
    statements: statements.LEASED,
    endStatement: statements.END,
    endValues(end) {
      if (end.status === "failed") return ["failed", null, null, JSON.stringify(end.failure), 0, 0];
      const sum = (of: "costUsd" | "tokens") =>
        end.scores.reduce((total, score) => total + (score[of] ?? 0), 0);
      return ["done", end.revision, JSON.stringify(end.scores), null, sum("tokens"), sum("costUsd")];
    },
    readItem: (row) => row,
    async prepare(client) {
      const decided = Date.now() - LATE_MS;
      await client.query(statements.FIND, [
        firstIdAt(new Date(decided)),
        firstIdAt(new Date(decided - STEP_MS)),
      ]);
      await client.query(statements.DROP_CANCELLED);
    },
  });
