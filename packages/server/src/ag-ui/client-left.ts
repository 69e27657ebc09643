/**
 * What happens when an AG-UI response ends: a session created for one call is deleted, and a run whose client
 * disconnected is cancelled, if its agent or the request says so, unless somebody reconnects within a grace period.
 */
import type { AgentStore, Runs, SessionStore } from "@capstan/runtime";
import { type SentEvent, STREAM_CLOSED } from "./event-stream.ts";
import type { Forwarded } from "./forwarded-props.ts";

const GRACE_SECONDS = 10; // a page that reloads or changes networks has reconnected by then

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
  /** The message that the client asked with. */
  readonly messageId?: string | undefined;
  readonly by: string;
  readonly forwarded: Pick<Forwarded, "onDisconnect" | "disconnectGraceSeconds" | "ephemeral">;
}

export class ClientsLeft {
  readonly #parts: ClientLeftParts;
  /** Runs in their grace period, by session. */
  readonly #left = new Map<string, { readonly run: FollowedRun; readonly timer: NodeJS.Timeout }>();

  constructor(parts: ClientLeftParts) {
    this.#parts = parts;
    parts.stopping.addEventListener("abort", () => {
      for (const { timer } of this.#left.values()) clearTimeout(timer);
    });
  }

  /** The same events; acts when they have ended or nobody reads them any more. */
  async *watch(
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
      if (ended) await afterEnd(this.#parts, run);
      else if (!this.#parts.stopping.aborted) await this.#afterDisconnect(run);
    }
  }

  /**
   * A client that asks something new waits no longer for the run it left: after Stop, people do not wait for the grace
   * period, and their message must not queue behind what they stopped.
   */
  async asksAnew({ sessionId, by, messageId }: Pick<FollowedRun, "sessionId" | "by" | "messageId">) {
    const left = this.#left.get(sessionId);
    if (left?.run.by !== by || messageId === undefined || messageId === left.run.messageId) return;
    this.#forget(sessionId);
    await cancel(this.#parts, left.run);
  }

  async #afterDisconnect(run: FollowedRun): Promise<void> {
    const { onDisconnect, disconnectGraceSeconds = GRACE_SECONDS, ephemeral = false } = run.forwarded;
    const agent = await this.#parts.agents.get(run.agentId);
    const policy = onDisconnect ?? (agent.ok ? agent.value.onDisconnect : "continue");
    if (policy === "continue" && !ephemeral) return;
    this.#forget(run.sessionId);
    const timer = setTimeout(() => void this.#graceEnded(run), disconnectGraceSeconds * 1000);
    this.#left.set(run.sessionId, { run, timer });
  }

  async #graceEnded(run: FollowedRun): Promise<void> {
    this.#forget(run.sessionId);
    if (!this.#parts.runs.listenedTo().includes(run.sessionId)) await cancel(this.#parts, run);
  }

  #forget(sessionId: string): void {
    clearTimeout(this.#left.get(sessionId)?.timer);
    this.#left.delete(sessionId);
  }
}

/** An event without a number concerns the connection, not the run. */
const isEnd = ({ json, seq }: SentEvent): boolean =>
  /^\{"type":"RUN_(FINISHED|ERROR)"/.test(json) && (seq !== undefined || !json.includes(STREAM_CLOSED));

async function afterEnd({ sessions, runs }: ClientLeftParts, run: FollowedRun): Promise<void> {
  if (!run.forwarded.ephemeral || (await isActive(runs, run.runId))) return;
  await sessions.delete(run.sessionId);
}

async function cancel({ runs, sessions }: ClientLeftParts, run: FollowedRun): Promise<void> {
  if (await isActive(runs, run.runId)) await runs.cancel(run.sessionId, { by: run.by });
  if (run.forwarded.ephemeral) await sessions.delete(run.sessionId);
}

async function isActive(runs: ClientLeftParts["runs"], runId: string | undefined): Promise<boolean> {
  const run = runId === undefined ? undefined : await runs.run(runId);
  return run?.ok === true && ["queued", "running", "waiting"].includes(run.value.status);
}
