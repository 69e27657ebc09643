/** The rows of experiments: the request, the progress, and each cell's answer and scores. */
import { type Failure, fail, ok, type Result } from "@capstan/core";
import type { DatasetItem, Divergence, ReplayComparison, ScorerSpec, Verdict } from "@capstan/core/internal";
import type pg from "pg";
import { uuidv7 } from "uuidv7";
import type { ItemSource } from "../datasets/dataset-store.ts";
import { isUuid } from "../db/uuid.ts";
import { type LeasedItem, type LeasedQueue, leasedQueue } from "../replays/leased-queue.ts";
import type { FailedEnd } from "../replays/leased-worker.ts";
import type { StoredMessage } from "../replays/read-recording.ts";
import type { ReplayChange } from "../replays/replay-change.ts";
import { type ItemStatus, type ReplayStatus, readChange } from "../replays/replay-store.ts";
import * as statements from "./experiment-statements.ts";
import type { StoredScore } from "./score-run.ts";

export interface Variant {
  readonly name: string;
  /** Its revision is a number: labels are looked up when the experiment is created. */
  readonly change: ReplayChange;
}

export interface NewExperiment {
  readonly owner: string;
  readonly name: string;
  readonly datasetId: string;
  readonly datasetVersion: number;
  readonly agentId: string;
  readonly variants: readonly Variant[];
  readonly scorers: readonly ScorerSpec[];
  readonly repeats: number;
  readonly liveReads: boolean;
  readonly concurrency: number;
  readonly budgetUsd?: number | undefined;
}

export interface ExperimentRecord extends Omit<NewExperiment, "budgetUsd"> {
  readonly id: string;
  readonly datasetName: string;
  readonly status: ReplayStatus;
  readonly budgetUsd: number | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  /** How many cells have each status. */
  readonly cells: Readonly<Partial<Record<ItemStatus, number>>>;
  readonly tokens: number;
  readonly costUsd: number;
  readonly judgeUsd: number;
}

export interface Review {
  readonly scorer: string;
  readonly by: string;
  readonly score: number;
  readonly note: string;
  readonly at: string;
}

export interface CellScores {
  readonly id: string;
  readonly itemId: string;
  readonly variant: number;
  readonly repeat: number;
  readonly scores: readonly StoredScore[] | null;
  readonly reviews: readonly Review[] | null;
  readonly tokens: number;
  readonly costUsd: number;
  readonly modelMs: number;
}

export interface CellRecord extends CellScores {
  readonly position: number;
  readonly status: ItemStatus;
  readonly verdict: Verdict | null;
  readonly answer: string | null;
  readonly outcome: string | null;
  readonly diverged: Divergence | null;
  readonly failure: Failure | null;
  readonly judgeUsd: number;
  readonly source: ItemSource;
  readonly item?: DatasetItem;
  readonly comparison?: ReplayComparison | null;
  readonly messages?: readonly StoredMessage[] | null;
}

/** A cell that this process works on. */
export interface ClaimedCell extends LeasedItem {
  readonly user: string;
  readonly agentId: string;
  readonly variant: Variant;
  readonly item: DatasetItem;
  readonly scorers: readonly ScorerSpec[];
  readonly liveReads: boolean;
}

export interface CellEnd {
  readonly status: "done";
  readonly comparison: ReplayComparison;
  readonly messages: readonly StoredMessage[];
  readonly scores: readonly StoredScore[];
}

export type CellQueue = LeasedQueue<ClaimedCell, CellEnd | FailedEnd>;

export interface CellPage {
  readonly variant?: number | undefined;
  readonly itemId?: string | undefined;
  readonly status?: ItemStatus | undefined;
  readonly after?: number | undefined;
  readonly limit: number;
}

interface CellList {
  readonly items: CellRecord[];
  readonly nextAfter?: number;
}

export interface ExperimentStore {
  create(experiment: NewExperiment): Promise<ExperimentRecord>;
  get(id: string): Promise<Result<ExperimentRecord>>;
  /** Newest first. */
  list(page: {
    owner?: string | undefined;
    before?: string | undefined;
    datasetId?: string | undefined;
    agentId?: string | undefined;
    status?: string | undefined;
    /** In the name. */
    text?: string | undefined;
    limit: number;
  }): Promise<{ items: ExperimentRecord[]; nextCursor?: string }>;
  scores(id: string): Promise<CellScores[]>;
  cells(id: string, page: CellPage): Promise<CellList>;
  /** With both conversations. */
  cell(id: string, cellId: string): Promise<Result<CellRecord>>;
  toReview(id: string, by: string, page: { after?: number | undefined; limit: number }): Promise<CellList>;
  review(cellId: string, review: Omit<Review, "at">): Promise<void>;
  cancel(id: string): Promise<Result<ExperimentRecord>>;
  remove(id: string): Promise<void>;
}

export function experimentStore(pool: pg.Pool): ExperimentStore {
  const read = async (id: string): Promise<Result<ExperimentRecord>> => {
    const { rows } = isUuid(id) ? await pool.query<ExperimentRecord>(statements.GET, [id]) : { rows: [] };
    return rows[0] ? ok(rows[0]) : fail("not_found", { what: "experiment", id });
  };
  const cellList = async (statement: string, values: unknown[], limit: number): Promise<CellList> => {
    const { rows } = await pool.query<CellRecord>(statement, [...values, limit + 1]);
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    return { items, ...(rows.length > limit && last && { nextAfter: last.position }) };
  };
  return {
    get: read,
    async create(made) {
      const id = uuidv7();
      await pool.query(statements.CREATE, [
        id,
        made.owner,
        made.name,
        made.datasetId,
        made.datasetVersion,
        made.agentId,
        JSON.stringify(made.variants),
        JSON.stringify(made.scorers),
        made.repeats,
        made.liveReads,
        made.concurrency,
        made.budgetUsd ?? null,
      ]);
      const stored = await read(id);
      if (!stored.ok) throw new Error("an experiment that was just created is gone");
      return stored.value;
    },
    async list({ owner, before, datasetId, agentId, status, text, limit }) {
      const filter = [owner, before, datasetId, agentId, status, text].map((each) => each ?? null);
      const { rows } = await pool.query<ExperimentRecord>(statements.LIST, [...filter, limit + 1]);
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      return { items, ...(rows.length > limit && last && { nextCursor: last.id }) };
    },
    async scores(id) {
      return (await pool.query<CellScores>(statements.SCORES, [id])).rows;
    },
    cells: (id, { variant, itemId, status, after = -1, limit }) =>
      cellList(statements.CELLS, [id, variant ?? null, itemId ?? null, status ?? null, after], limit),
    async cell(id, cellId) {
      const { rows } = isUuid(cellId)
        ? await pool.query<CellRecord>(statements.CELL, [id, cellId])
        : { rows: [] };
      return rows[0] ? ok(rows[0]) : fail("not_found", { what: "cell", id: cellId });
    },
    toReview: (id, by, { after = -1, limit }) => cellList(statements.TO_REVIEW, [id, by, after], limit),
    async review(cellId, { scorer, by, score, note }) {
      await pool.query(statements.REVIEW, [uuidv7(), cellId, scorer, by, score, note]);
    },
    async cancel(id) {
      if (isUuid(id)) await pool.query(statements.LEASED.cancel, [id]);
      return read(id);
    },
    async remove(id) {
      await pool.query(statements.REMOVE, [id]);
    },
  };
}

export const cellQueue = (pool: pg.Pool): CellQueue =>
  leasedQueue(pool, {
    statements: statements.LEASED,
    endStatement: statements.END,
    endValues(end) {
      if (end.status === "failed")
        return ["failed", null, null, null, null, JSON.stringify(end.failure), 0, 0, 0, 0];
      const { comparison, messages, scores } = end;
      const judgeUsd = scores.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0);
      const judgeTokens = scores.reduce((sum, { tokens = 0 }) => sum + tokens, 0);
      return [
        "done",
        comparison.verdict,
        JSON.stringify(comparison),
        JSON.stringify(messages),
        JSON.stringify(scores),
        null,
        comparison.tokens.after + judgeTokens,
        comparison.costUsd.after + judgeUsd,
        judgeUsd,
        comparison.modelMs.after,
      ];
    },
    readItem: ({ variant, ...cell }) => ({
      ...cell,
      variant: { ...variant, change: readChange(variant.change) },
    }),
  });
