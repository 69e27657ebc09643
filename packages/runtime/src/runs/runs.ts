/** Durable runs of agents in sessions, as the rest of the program sees them. */
import type { Result } from "@capstan/core";
import type { Approvals } from "./approvals/approvals.ts";
import type { ClientResult, ClientResultOptions, storeClientResults } from "./approvals/client-results.ts";
import type { CancelOptions } from "./cancel.ts";
import type { SessionView } from "./claim/session-view.ts";
import type { CompactRequest, compactSession } from "./compaction/compact-session.ts";
import type { NewMessage, SendOptions, Sent } from "./contract/run-types.ts";
import type { ForkPlace, forkSession } from "./history/fork-session.ts";
import type { listUserMessages } from "./history/rewind-session.ts";
import type { listMessages, MessagePage, RunRecord } from "./history/session-history.ts";
import type { listSummaries, pinMessage } from "./history/summaries.ts";
import type { EventBatch } from "./log/event-hub.ts";
import type { ChildOf } from "./send.ts";

export interface Runs {
  /** Starts a run with this message, or queues it behind the session's active run. */
  send(sessionId: string, message: NewMessage, options?: SendOptions): Promise<Result<Sent>>;
  /** Sends, and returns the run's events without reading them back; `view` saves reading the session again. */
  sendAndFollow(
    sessionId: string,
    message: NewMessage,
    options: SendOptions,
    signal: AbortSignal,
    view?: SessionView,
  ): Promise<Result<Sent & { readonly events: AsyncIterable<EventBatch> }>>;
  /** What a turn needs to know about its session, and whether this message is known. */
  view(sessionId: string, messageId: string): Promise<SessionView | undefined>;
  /** Every event after this sequence number, then live until the signal aborts; each exactly once. */
  events(sessionId: string, afterSeq: number, signal: AbortSignal): AsyncIterable<EventBatch>;
  /** The client of a run disconnected: if its settings say so, the run is cancelled unless somebody listens in time. */
  clientLeft(runId: string): Promise<void>;
  /** A client follows the session's run again. */
  clientReturned(sessionId: string): Promise<void>;
  /** Sessions with a listener in this process. */
  listenedTo(): readonly string[];
  lastSeq(sessionId: string): Promise<number>;
  cancel(sessionId: string, options?: CancelOptions): Promise<Result<{ runId: string }>>;
  messages(sessionId: string, page: MessagePage): ReturnType<typeof listMessages>;
  run(runId: string): Promise<Result<RunRecord>>;
  runsOf(sessionId: string): Promise<RunRecord[]>;
  fork(sessionId: string, place?: ForkPlace): ReturnType<typeof forkSession>;
  exportLines(sessionId: string): AsyncIterable<string>;
  feedback(
    sessionId: string,
    entry: { messageId: string; by: string; value: string; words: string },
  ): Promise<Result<true>>;
  clientResults(
    sessionId: string,
    results: readonly ClientResult[],
    options?: ClientResultOptions,
  ): ReturnType<typeof storeClientResults>;
  /** Summarises everything but the last turn, now. */
  compact(sessionId: string, request: CompactRequest): ReturnType<typeof compactSession>;
  summaries(sessionId: string): ReturnType<typeof listSummaries>;
  /** Pins or unpins a message: a pinned one survives summaries word for word. */
  pin(sessionId: string, pin: Parameters<typeof pinMessage>[2]): ReturnType<typeof pinMessage>;
  /** All messages of the user, oldest first: compared with a client's history. */
  userMessages(sessionId: string): ReturnType<typeof listUserMessages>;
  /** Drops the messages from this position on; a branch, a separate session, keeps the whole conversation. */
  rewind(sessionId: string, position: number, by: string): ReturnType<typeof forkSession>;
  readonly approvals: Approvals;
  /** Deletes rows of a session that have no foreign key to it. */
  forget(sessionId: string): Promise<void>;
  /** Starts a run on behalf of another one; for the tool that delegates. */
  sendChild(
    sessionId: string,
    message: NewMessage,
    options: SendOptions,
    child: ChildOf,
  ): Promise<Result<Sent>>;
  /** Stops accepting messages, lets steps finish within the time, and releases the rest. */
  drain(withinMs: number): Promise<void>;
}
