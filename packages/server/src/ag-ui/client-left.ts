/**
 * What happens when an AG-UI response ends: a session created for one call is deleted, and the engine is told when the
 * client disconnected before the run's end.
 */
import type { Runs, SessionStore } from "@capstan/runtime";
import { type SentEvent, STREAM_CLOSED } from "./event-stream.ts";

export interface ClientLeftParts {
  readonly sessions: Pick<SessionStore, "delete">;
  readonly runs: Pick<Runs, "clientLeft" | "run">;
  readonly stopping: AbortSignal;
}

export interface FollowedRun {
  readonly sessionId: string;
  readonly runId?: string | undefined;
  readonly ephemeral: boolean;
}

/** The same events; acts when they have ended or nobody reads them any more. */
export async function* untilClientLeaves(
  parts: ClientLeftParts,
  { sessionId, runId, ephemeral }: FollowedRun,
  events: AsyncIterable<readonly SentEvent[]>,
): AsyncGenerator<readonly SentEvent[]> {
  let ended = false;
  try {
    for await (const batch of events) {
      ended ||= batch.some(isEnd);
      yield batch;
    }
  } finally {
    if (ended && ephemeral && !(await isActive(parts.runs, runId))) await parts.sessions.delete(sessionId);
    if (!ended && runId !== undefined && !parts.stopping.aborted) await parts.runs.clientLeft(runId);
  }
}

/** An event without a number concerns the connection, not the run. */
const isEnd = ({ json, seq }: SentEvent): boolean =>
  /^\{"type":"RUN_(FINISHED|ERROR)"/.test(json) && (seq !== undefined || !json.includes(STREAM_CLOSED));

async function isActive(runs: ClientLeftParts["runs"], runId: string | undefined): Promise<boolean> {
  const run = runId === undefined ? undefined : await runs.run(runId);
  return run?.ok === true && ["queued", "running", "waiting"].includes(run.value.status);
}
