/** One cell: an item of the dataset, run by the real loop with one variant, then scored. Nothing with side effects runs. */
import { type DatasetItem, recordingOfItem, type ScoredRun } from "@capstan/core/internal";
import type { Database } from "../db/database.ts";
import { type FailedEnd, type LeasedWorker, startLeasedWorker } from "../replays/leased-worker.ts";
import { callsIn, type RecordedRun } from "../replays/read-recording.ts";
import { type ReplayedRun, type ReplayParts, replayRun } from "../replays/replay-run.ts";
import type { WorkAskers } from "../replays/work-askers.ts";
import { type CellEnd, type CellQueue, type ClaimedCell, cellQueue } from "./experiment-store.ts";
import { type ScoreParts, type StoredScore, scoreRun } from "./score-run.ts";

export interface CellParts extends ReplayParts, Pick<ScoreParts, "scorers"> {
  readonly database: Database;
  readonly askers: WorkAskers;
  readonly onError: (error: unknown, what: string) => void;
  /** Tells telemetry about each score, once it is stored. */
  readonly scored?: ((cell: ScoredEvent) => void) | undefined;
}

/** Of a cell of an experiment, or of a live run that a monitor scored. */
export type ScoredEvent = { readonly agentId: string; readonly scores: readonly StoredScore[] } & (
  | { readonly cellId: string; readonly experimentId: string }
  | { readonly monitorId: string; readonly runId: string }
);

export const startExperimentWorker = (parts: CellParts): Promise<LeasedWorker> =>
  startLeasedWorker({
    ...parts,
    queue: withEvents(cellQueue(parts.database.pool), parts),
    what: ({ id }) => `cell ${id} of an experiment`,
    work: (cell, signal) => runCell(parts, cell, signal),
  });

/** Emitted after the score is stored: a cell that is repeated after a crash counts once. */
const withEvents = (queue: CellQueue, { scored }: CellParts): CellQueue => ({
  ...queue,
  async end(cell, end) {
    const isStored = await queue.end(cell, end);
    if (isStored && end.status === "done")
      scored?.({ cellId: cell.id, experimentId: cell.parentId, agentId: cell.agentId, scores: end.scores });
    return isStored;
  },
});

async function runCell(
  parts: CellParts,
  cell: ClaimedCell,
  signal: AbortSignal,
): Promise<CellEnd | FailedEnd> {
  const { item, variant, leftUsd, liveReads, user, agentId, scorers } = cell;
  const allowed = await parts.askers.stillMay({ owner: user, agentId });
  if (!allowed.ok) return { status: "failed", failure: allowed.failure };
  const recording = recordingFor(cell);
  const replayed = await replayRun(parts, {
    id: cell.id,
    recording,
    change: variant.change,
    by: user,
    options: { liveReads, standIns: recordingOfItem(item).standIns },
    maxCostUsd: leftUsd ?? undefined,
    signal,
  });
  if (!replayed.ok) return { status: "failed", failure: replayed.failure };
  const { comparison, messages } = replayed.value;
  const run = scoredRun(item, replayed.value);
  const specs = [...scorers, ...(item.scorers ?? [])];
  const scores = await scoreRun(parts, { specs, run, agentId, user, signal, reservation: cell.id });
  return { status: "done", comparison, messages, scores };
}

/** The item as a recorded run. No session has this id: files and allowances of other sessions are out of reach. */
function recordingFor({ id, item, agentId, user, variant }: ClaimedCell): RecordedRun {
  const { before, messages, calls } = recordingOfItem(item);
  const { answer = "", outcome = "none", tokens = 0, cost_usd = 0, model_ms = 0 } = item.recorded ?? {};
  return {
    runId: id,
    sessionId: id,
    agentId,
    user,
    revision: variant.change.revision ?? null,
    versions: null,
    input: {},
    state: {},
    scopeCeiling: undefined,
    labels: {},
    before,
    summary: undefined,
    messages,
    calls,
    side: { calls, answer, outcome, tokens, costUsd: cost_usd, modelMs: model_ms },
  };
}

const scoredRun = (item: DatasetItem, { comparison, messages }: ReplayedRun): ScoredRun => ({
  input: item.input,
  ...(item.expected !== undefined && { expected: item.expected }),
  answer: comparison.answer.after,
  calls: callsIn(messages).map(({ tool, input }) => ({ tool, input })),
  outcome: comparison.outcome.after,
  tokens: comparison.tokens.after,
  costUsd: comparison.costUsd.after,
  modelMs: comparison.modelMs.after,
});
