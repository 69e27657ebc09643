/**
 * What happens when an AG-UI answer ends: a session that was asked for one call only is deleted, and a run whose client
 * disconnected is cancelled, if its agent or the request says so, unless somebody listens again within a grace period.
 */
import type { AgentStore, Runs, SessionStore } from "@capstan/runtime";
import { type SentEvent, STREAM_CLOSED } from "./event-stream.ts";
import type { Forwarded } from "./forwarded-props.ts";

const GRACE_SECONDS = 10; // a page that reloads or changes networks is back by then

export interface ClientLeftParts {
  readonly agents: Pick<AgentStore, "get">;
  readonly sessions: Pick<SessionStore, "delete">;
  readonly runs: Pick<Runs, "cancel" | "listenedTo" | "run">;
  readonly stopping: AbortSignal;
}

export interface FollowedRun {
  readonly agentId: string;
  readonly sessionId: string;
  readonly runId?: string | undefined;
  readonly by: string;
  readonly forwarded: Pick<Forwarded, "onDisconnect" | "disconnectGraceSeconds" | "ephemeral">;
}

/** The same events; acts when they have ended or nobody reads them any more. */
export async function* watchClient(
  parts: ClientLeftParts,
  run: FollowedRun,
  events: AsyncIterable<readonly SentEvent[]>,
): AsyncGenerator<readonly SentEvent[]> {
  let ended = false;
  try {
    for await (const batch of events) {
      ended ||= batch.some(isEnd);
      yield batch;
    }
  } finally {
    if (ended) await afterEnd(parts, run);
    else if (!parts.stopping.aborted) await afterDisconnect(parts, run);
  }
}

/** An event without a number is about the connection, not of the run. */
const isEnd = ({ json, seq }: SentEvent): boolean =>
  /^\{"type":"RUN_(FINISHED|ERROR)"/.test(json) && (seq !== undefined || !json.includes(STREAM_CLOSED));

async function afterEnd({ sessions, runs }: ClientLeftParts, run: FollowedRun): Promise<void> {
  if (!run.forwarded.ephemeral || (await isActive(runs, run.runId))) return;
  await sessions.delete(run.sessionId);
}

async function afterDisconnect(parts: ClientLeftParts, run: FollowedRun): Promise<void> {
  const { onDisconnect, disconnectGraceSeconds = GRACE_SECONDS, ephemeral = false } = run.forwarded;
  const agent = await parts.agents.get(run.agentId);
  const policy = onDisconnect ?? (agent.ok ? agent.value.onDisconnect : "continue");
  if (policy === "continue" && !ephemeral) return;
  const timer = setTimeout(() => void cancelIfAlone(parts, run), disconnectGraceSeconds * 1000);
  parts.stopping.addEventListener("abort", () => clearTimeout(timer), { once: true });
}

async function cancelIfAlone({ runs, sessions }: ClientLeftParts, run: FollowedRun): Promise<void> {
  if (runs.listenedTo().includes(run.sessionId)) return;
  if (await isActive(runs, run.runId)) await runs.cancel(run.sessionId, { by: run.by });
  if (run.forwarded.ephemeral) await sessions.delete(run.sessionId);
}

async function isActive(runs: ClientLeftParts["runs"], runId: string | undefined): Promise<boolean> {
  const run = runId === undefined ? undefined : await runs.run(runId);
  return run?.ok === true && ["queued", "running", "waiting"].includes(run.value.status);
}
