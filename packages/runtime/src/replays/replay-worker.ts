/** Works on the items of replays: each run again, then compared. */
import type { Refused } from "@capstan/core";
import type { Database } from "../db/database.ts";
import { type FailedEnd, type LeasedWorker, startLeasedWorker } from "./leased-worker.ts";
import { notAsRecorded } from "./not-as-recorded.ts";
import { readRecording } from "./read-recording.ts";
import { type ReplayParts, replayRun } from "./replay-run.ts";
import type { ClaimedItem, ItemEnd, ReplayQueue } from "./replay-store.ts";
import type { WorkAskers } from "./work-askers.ts";

export interface WorkerParts extends ReplayParts {
  readonly database: Database;
  readonly askers: WorkAskers;
  readonly queue: ReplayQueue;
  readonly onError: (error: unknown, what: string) => void;
}

export const startReplayWorker = (parts: WorkerParts): Promise<LeasedWorker> =>
  startLeasedWorker({
    ...parts,
    what: ({ runId }) => `replaying run ${runId}`,
    work: (item, signal) => replayItem(parts, item, signal),
  });

async function replayItem(parts: WorkerParts, item: ClaimedItem, signal: AbortSignal): Promise<ItemEnd> {
  const { id, runId, change, leftUsd } = item;
  const recording = await readRecording(parts.database.pool, runId);
  if (!recording.ok) return failed(recording);
  const { agentId, user } = recording.value;
  const allowed = await parts.askers.stillMay({ owner: item.owner, agentId, user });
  if (!allowed.ok) return failed(allowed);
  const replayed = await replayRun(parts, {
    id,
    recording: recording.value,
    change,
    options: item,
    by: item.owner,
    maxCostUsd: leftUsd ?? undefined,
    signal,
  });
  if (!replayed.ok) return failed(replayed);
  const { comparison, messages, agent } = replayed.value;
  const { pool } = parts.database;
  const other = await notAsRecorded(pool, { recording: recording.value, change, agent, messages });
  return { status: "done", messages, comparison: { ...comparison, notAsRecorded: other } };
}

const failed = ({ failure }: Refused): FailedEnd => ({ status: "failed", failure });
