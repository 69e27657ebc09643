/**
 * Scores live runs that have ended, a few at a time. It reads the stored run, and nothing waits for it. Judges and
 * custom scorers get texts with secrets removed; declared scorers see the original run, because one of them looks for
 * leaks.
 */
import { isPlain, itemOfRun, type ScoredRun, scrub, type TextKind } from "@capstan/core/internal";
import { ALWAYS_SCRUBBED, findersOf } from "../datasets/items-of-runs.ts";
import type { Database } from "../db/database.ts";
import type { ScoredEvent } from "../experiments/run-cell.ts";
import { type ScoreParts, type StoredScore, scoreRun } from "../experiments/score-run.ts";
import { type FailedEnd, type LeasedWorker, startLeasedWorker } from "../replays/leased-worker.ts";
import { type RecordedRun, readRecording } from "../replays/read-recording.ts";
import type { WorkAskers } from "../replays/work-askers.ts";
import { type DriftAlert, findDrift } from "./find-drift.ts";
import { type ClaimedScore, type ScoreEnd, type ScoreQueue, scoreQueue } from "./monitor-store.ts";

const PLACES = 2; // per process, for all monitors

export interface MonitorParts extends ScoreParts {
  readonly database: Database;
  readonly askers: WorkAskers;
  /** Tells telemetry about each score, once it is stored. */
  readonly scored: (run: ScoredEvent | undefined) => void;
  /** Called once for each alert. */
  readonly drifted: (alert: DriftAlert) => void;
  readonly onError: (error: unknown, what: string) => void;
}

export const startMonitorWorker = (parts: MonitorParts): Promise<LeasedWorker> =>
  startLeasedWorker({
    ...parts,
    places: PLACES,
    queue: withLooks(scoreQueue(parts.database.pool), parts),
    what: ({ runId }) => `scoring run ${runId}`,
    work: (score, signal) => scoreLiveRun(parts, score, signal),
  });

/** Each claim checks for drift, so that the next process makes a check that a killed one missed. */
const withLooks = (queue: ScoreQueue, { database, scored, drifted }: MonitorParts): ScoreQueue => ({
  ...queue,
  async claim(most) {
    for (const alert of await findDrift(database.pool, () => new Date())) drifted(alert);
    return queue.claim(most);
  },
  async end(score, end) {
    const isStored = await queue.end(score, end);
    if (isStored) scored(end.status === "done" ? eventOf(score, end) : undefined);
    return isStored;
  },
});

const eventOf = ({ parentId, runId, agentId }: ClaimedScore, { scores }: ScoreEnd): ScoredEvent => ({
  monitorId: parentId,
  runId,
  agentId,
  scores,
});

async function scoreLiveRun(
  parts: MonitorParts,
  { id, runId, agentId, user, scorers, scrub: kinds }: ClaimedScore,
  signal: AbortSignal,
): Promise<ScoreEnd | FailedEnd> {
  const read = await readRecording(parts.database.pool, runId, { isOnlyRead: true });
  if (!read.ok) return { status: "failed", failure: read.failure };
  const allowed = await parts.askers.stillMay({ owner: user, agentId, user: read.value.user });
  if (!allowed.ok) return { status: "failed", failure: allowed.failure };
  const run = scoredRun(read.value);
  const clean = withoutSecrets(run, kinds);
  const scores: StoredScore[] = [];
  for (const spec of scorers) {
    const request = {
      specs: [spec],
      run: isPlain(spec) ? run : clean,
      agentId,
      user,
      signal,
      reservation: id,
    };
    scores.push(...(await scoreRun(parts, request)));
  }
  return { status: "done", revision: read.value.revision, scores: withoutSecrets(scores, kinds) };
}

function scoredRun({ runId, before, calls, side }: RecordedRun): ScoredRun {
  const { answer, outcome, tokens, costUsd, modelMs } = side;
  return {
    input: itemOfRun(runId, { ...side, before, calls }).input,
    answer,
    calls: calls.map(({ tool, input }) => ({ tool, input })),
    outcome,
    tokens,
    costUsd,
    modelMs,
  };
}

const withoutSecrets = <Value>(value: Value, kinds: readonly TextKind[]): Value =>
  scrub(value, findersOf([...ALWAYS_SCRUBBED, ...kinds])).value;
