/**
 * The engine: durable runs of agents in sessions. This file wires its parts and is the only one a server needs.
 * A run's truth is its rows; what is in memory here can be lost at any moment.
 */
import { fail, ok, type Result, type RuntimeAgent } from "@capstan/core";
import { inTransaction } from "../db/transaction.ts";
import { type Approval, type Approvals, approvals } from "./approvals/approvals.ts";
import { type ClientResult, storeClientResults } from "./approvals/client-results.ts";
import { type CancelOptions, cancelRun } from "./cancel.ts";
import { ADOPT, CLAIM_WAITING } from "./claim/claim-statements.ts";
import type { ClaimRow } from "./claim/claims.ts";
import { readSession, type SessionView } from "./claim/session-view.ts";
import type { Engine, RunContext } from "./context/run-context.ts";
import { storedBudgets } from "./context/stored-budgets.ts";
import type { NewMessage, RunsParts, SendOptions, Sent } from "./contract/run-types.ts";
import { IdleHarnesses } from "./harness/idle-harnesses.ts";
import {
  exportSession,
  forgetSession,
  forkSession,
  getRun,
  giveFeedback,
  listMessages,
  listRuns,
  type MessagePage,
  type RunRecord,
} from "./history/session-history.ts";
import { CommitQueue } from "./log/commit-queue.ts";
import { type EventBatch, EventHub } from "./log/event-hub.ts";
import { EventFollower } from "./log/event-stream.ts";
import { Segments, Stopped } from "./processes/active-segments.ts";
import { type DurableWorkflow, openDurableWorkflow } from "./processes/durable-workflow.ts";
import { Presence } from "./processes/presence.ts";
import { type Due, leftBy, whatIsDue } from "./processes/sweep.ts";
import { deliverWebhooks } from "./processes/webhooks.ts";
import { type ChildOf, type SendParts, send, startNext } from "./send.ts";
import type { SegmentEnd } from "./steps/run-endings.ts";

const SWEEP_MS = 2000;
const AGENT_KEPT_MS = 500; // a grant or a revocation is in force within a second, and a turn composes once

export interface Runs {
  /** Starts a run with this message, or queues it behind the one that is on. */
  send(sessionId: string, message: NewMessage, options?: SendOptions): Promise<Result<Sent>>;
  /** The same, and the events from its first on, without reading a row; nor the session, if the caller just did. */
  sendAndFollow(
    sessionId: string,
    message: NewMessage,
    options: SendOptions,
    signal: AbortSignal,
    view?: SessionView,
  ): Promise<Result<Sent & { readonly events: AsyncIterable<EventBatch> }>>;
  /** What a turn needs to know of its session, and whether this message is there already. */
  view(sessionId: string, messageId: string): Promise<SessionView | undefined>;
  /** Every event after this sequence number, then live until the signal; no gap, no double. */
  events(sessionId: string, afterSeq: number, signal: AbortSignal): AsyncIterable<EventBatch>;
  /** Sessions that somebody listens to in this process. */
  listenedTo(): readonly string[];
  lastSeq(sessionId: string): Promise<number>;
  cancel(sessionId: string, options?: CancelOptions): Promise<Result<{ runId: string }>>;
  messages(sessionId: string, page: MessagePage): ReturnType<typeof listMessages>;
  run(runId: string): Promise<Result<RunRecord>>;
  runsOf(sessionId: string): Promise<RunRecord[]>;
  fork(sessionId: string, messageId?: string): ReturnType<typeof forkSession>;
  exportLines(sessionId: string): AsyncIterable<string>;
  feedback(
    sessionId: string,
    entry: { messageId: string; by: string; value: string; words: string },
  ): Promise<Result<true>>;
  clientResults(sessionId: string, results: readonly ClientResult[]): ReturnType<typeof storeClientResults>;
  readonly approvals: Approvals;
  /** Deletes what a session's own row does not take with it. */
  forget(sessionId: string): Promise<void>;
  /** A run started by another one; for the tool that delegates. */
  sendChild(
    sessionId: string,
    message: NewMessage,
    options: SendOptions,
    child: ChildOf,
  ): Promise<Result<Sent>>;
  /** Stops accepting, lets steps finish within the time, and hands the rest over. */
  drain(withinMs: number): Promise<void>;
}

export async function createRuns(parts: RunsParts): Promise<Runs> {
  const machine = new Machine(parts);
  try {
    await machine.open();
  } catch (error) {
    await machine.close(0).catch(() => {}); // half an engine would keep the next one from opening
    throw error;
  }
  return runsOf(machine);
}

/** The moving parts, and how they call each other. */
class Machine {
  readonly parts: RunsParts;
  readonly hub = new EventHub();
  readonly engine: Engine;
  readonly segments: Segments;
  readonly approvals: Approvals;
  readonly send: SendParts;
  draining = false;
  #presence: Presence | undefined;
  #workflow: DurableWorkflow | undefined;
  #sweepTimer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(parts: RunsParts) {
    this.parts = parts;
    const now = parts.now ?? (() => new Date());
    const { agentFor, forgetAgent } = remembered(parts.composeFor, AGENT_KEPT_MS);
    const queue = new CommitQueue(parts.database.pool, (sessions) => {
      for (const sessionId of sessions) this.#presence?.hint(sessionId);
    });
    const idleHarnesses = new IdleHarnesses(parts.harnessWaitMs);
    this.engine = {
      parts,
      queue,
      hub: this.hub,
      now,
      draining: () => this.draining,
      agentFor,
      forgetAgent,
      idleHarnesses,
    };
    this.segments = new Segments(this.engine, (context, end) => this.#ended(context, end));
    this.send = {
      engine: this.engine,
      segments: this.segments,
      abandon: async (sessionId) => void (await this.cancel(sessionId)),
      hint: (sessionId) => this.#presence?.hint(sessionId),
    };
    this.approvals = approvals({
      pool: parts.database.pool,
      executorId: parts.executorId,
      now,
      agentOf: (approval) => agentOf(parts, approval),
      resume: (row, { agentId, userEmail }) => {
        forgetAgent(agentId, userEmail);
        return this.resume(row);
      },
      execute: (approval, agent) => executeApproved(parts, approval, agent),
      audit: (entry) => parts.audit?.(entry),
    });
  }

  async open(): Promise<void> {
    const { database, executorId } = this.parts;
    const onError = (error: unknown, what: string) => this.#report(error, what);
    const run = (runId: string, launch: number) => this.segments.body(runId, launch);
    await this.#adopt(await leftBy(database.pool, [executorId])); // by an earlier life of this process
    this.#workflow = await openDurableWorkflow({ database, executorId, run, onError });
    this.segments.workflow = this.#workflow;
    if (database.kind === "postgres") {
      this.#presence = new Presence({
        pool: database.pool,
        executorId,
        heard: (sessionId) => this.hub.hint(sessionId),
        stop: (runId) => this.#halt(runId, new Stopped("stopped by another process")),
        unpark: (runId) => this.engine.idleHarnesses.drop(runId),
        takeOver: (executorIds) => this.#takeOver(executorIds),
        listenedTo: () => this.hub.sessions(),
        onError,
      });
      await this.#presence.open();
    }
    this.#sweepSoon(0);
  }

  /** Their runs go on here, whoever else tries: the epoch lets one win. Then their workflows have nothing left to do. */
  async #takeOver(executorIds: readonly string[]): Promise<void> {
    await this.#adopt(await leftBy(this.parts.database.pool, executorIds));
    await this.#workflow?.recover(executorIds);
  }

  async #adopt(runs: NonNullable<Due["abandoned"]>): Promise<void> {
    const { database, executorId } = this.parts;
    for (const { id, epoch } of runs) {
      const { rows } = await database.pool.query<ClaimRow>(ADOPT, [id, executorId, epoch]);
      if (rows[0]) await this.segments.startRow(rows[0], { goesOn: true });
    }
  }

  async cancel(sessionId: string, options?: CancelOptions): Promise<string | undefined> {
    return cancelRun(
      {
        engine: this.engine,
        halt: (runId, reason) => {
          this.#halt(runId, reason);
          this.#presence?.tellToStop(runId);
        },
        hint: (id) => this.#presence?.hint(id),
        ended: (context) => this.#ended(context, "cancelled"),
      },
      sessionId,
      options,
    );
  }

  async resume(row: ClaimRow): Promise<void> {
    this.hub.hint(row.session_id);
    this.#presence?.hint(row.session_id);
    this.#presence?.tellToUnpark(row.id); // it goes on here; a program that waits for it elsewhere waits in vain
    await this.segments.startRow(row);
  }

  /** A waiting run goes on if what it waited for is there. */
  async resumeIfReady(runId: string): Promise<void> {
    const { pool } = this.parts.database;
    const row = await inTransaction(pool, async (client) => {
      await client.query("select id from runs where id = $1 for update", [runId]);
      return (await client.query<ClaimRow>(CLAIM_WAITING, [runId, this.parts.executorId])).rows[0];
    });
    if (row) await this.resume(row);
  }

  async close(withinMs: number): Promise<void> {
    this.draining = true;
    clearTimeout(this.#sweepTimer);
    await this.#sweeping;
    if (!(await this.segments.quiet(withinMs))) this.segments.abandon();
    await this.segments.quiet(withinMs);
    this.engine.idleHarnesses.close();
    try {
      await this.#presence?.close();
    } finally {
      await this.#workflow?.close();
    }
  }

  /** Stops a run here: its segment, or the program that waits for it. */
  #halt(runId: string, reason: Error): void {
    this.segments.stop(runId, reason);
    this.engine.idleHarnesses.drop(runId);
  }

  #ended(context: RunContext, end: SegmentEnd | "cancelled"): void {
    const { claim, seen } = context;
    if (seen.model !== "") this.parts.observed?.(seen);
    if (end === "waiting" || end === "handed_over") return;
    const { runId, sessionId, agentId } = claim;
    this.parts.ended?.({ runId, sessionId, agentId, end, usage: context.meter.usage });
    const later = async () => {
      if (context.log.nextWaits) await startNext(this.send, claim.sessionId);
      if (claim.parent) await this.resumeIfReady(claim.parent.runId);
      if (claim.input.webhookUrl !== undefined) await this.#deliver();
    };
    if (!this.draining) later().catch((error) => this.#report(error, `after run ${claim.runId}`));
  }

  async #deliver(): Promise<void> {
    const { webhooks, database } = this.parts;
    if (webhooks) await deliverWebhooks(database.pool, webhooks, this.engine.now);
  }

  #sweepSoon(ms: number): void {
    if (this.draining) return;
    this.#sweepTimer = setTimeout(() => {
      this.#sweeping = this.#sweep()
        .catch((error) => this.#report(error, "sweeping"))
        .finally(() => this.#sweepSoon(SWEEP_MS));
    }, ms);
  }

  async #sweep(): Promise<void> {
    const { database, executorId } = this.parts;
    const due = await whatIsDue(database.pool, executorId, this.segments.ids);
    if (due) await this.#settle(due);
  }

  async #settle(due: Due): Promise<void> {
    await this.#adopt(due.abandoned ?? []);
    for (const sessionId of due.queued ?? []) await startNext(this.send, sessionId);
    for (const runId of due.parents ?? []) await this.resumeIfReady(runId);
    if (due.expired) await this.approvals.expire();
    if (due.unexecuted) await this.approvals.executeLeftOver();
    if (due.webhooks) await this.#deliver();
  }

  #report(error: unknown, what: string): void {
    this.parts.onError?.(error, what);
  }
}

function runsOf(machine: Machine): Runs {
  const { pool } = machine.parts.database;
  const follow = (sessionId: string) => new EventFollower({ pool, hub: machine.hub }, sessionId);
  /** Listens from when it is first read: one that nobody reads is kept by nobody. */
  const events: Runs["events"] = (sessionId, afterSeq, signal) => ({
    [Symbol.asyncIterator]: () => follow(sessionId).from(afterSeq, signal),
  });
  return {
    approvals: machine.approvals,
    send: (sessionId, message, options = {}) => send(machine.send, sessionId, message, options),
    sendChild: (sessionId, message, options, child) => {
      const limits = machine.segments.leftOf(child.runId);
      return send(machine.send, sessionId, message, { ...options, ...(limits && { limits }) }, { child });
    },
    view: (sessionId, messageId) => readSession(pool, sessionId, messageId),
    async sendAndFollow(sessionId, message, options, signal, view) {
      const follower = follow(sessionId);
      const sent = await send(machine.send, sessionId, message, options, { view }).catch((error) => {
        follower.close();
        throw error;
      });
      if (!sent.ok) {
        follower.close();
        return sent;
      }
      const { afterSeq } = sent.value;
      if (afterSeq === undefined) {
        follower.close();
        return ok({ ...sent.value, events: events(sessionId, await lastSeq(pool, sessionId), signal) });
      }
      const close = () => follower.close(); // also when nobody ever reads it
      if (signal.aborted) close();
      else signal.addEventListener("abort", close, { once: true });
      return ok({ ...sent.value, events: follower.from(afterSeq, signal, { sinceSubscribed: true }) });
    },
    events,
    listenedTo: () => machine.hub.sessions(),
    lastSeq: (sessionId) => lastSeq(pool, sessionId),
    async cancel(sessionId, options) {
      const runId = await machine.cancel(sessionId, options);
      return runId === undefined ? fail("run_not_active", { session: sessionId }) : ok({ runId });
    },
    messages: (sessionId, page) => listMessages(pool, sessionId, page),
    run: (runId) => getRun(pool, runId),
    runsOf: (sessionId) => listRuns(pool, sessionId),
    fork: (sessionId, messageId) => forkSession(pool, sessionId, messageId, machine.parts.copyFiles),
    exportLines: (sessionId) => exportSession(machine.parts.database, sessionId),
    feedback: (sessionId, entry) => giveFeedback(pool, sessionId, entry),
    clientResults: (sessionId, results) =>
      storeClientResults(
        { pool, executorId: machine.parts.executorId, resume: (row) => machine.resume(row) },
        sessionId,
        results,
      ),
    forget: (sessionId) => forgetSession(pool, sessionId),
    drain: (withinMs) => machine.close(withinMs),
  };
}

async function lastSeq(pool: RunsParts["database"]["pool"], sessionId: string): Promise<number> {
  const { rows } = await pool.query<{ last: number | null }>(
    "select max(last_seq) as last from events where session_id = $1",
    [sessionId],
  );
  return rows[0]?.last ?? 0;
}

/** The same answer for a moment: all steps of a burst of turns need one. */
function remembered(compose: RunsParts["composeFor"], keptMs: number) {
  const kept = new Map<string, { at: number; agent: Promise<Result<RuntimeAgent>> }>();
  const keyOf = (agentId: string, userEmail: string) => `${agentId} ${userEmail}`;
  const agentFor: RunsParts["composeFor"] = (agentId, userEmail) => {
    const key = keyOf(agentId, userEmail);
    const before = kept.get(key);
    const now = performance.now();
    if (before && now - before.at < keptMs) return before.agent;
    for (const [old, { at }] of kept) if (now - at >= keptMs) kept.delete(old);
    const agent = compose(agentId, userEmail);
    kept.set(key, { at: now, agent });
    agent.catch(() => kept.delete(key));
    return agent;
  };
  return {
    agentFor,
    forgetAgent: (agentId: string, userEmail: string) => void kept.delete(keyOf(agentId, userEmail)),
  };
}

function agentOf(parts: RunsParts, approval: Approval): Promise<Result<RuntimeAgent>> {
  const { agentId, userEmail, capabilityId, config } = approval;
  return agentId === "unsaved" && parts.composeSingle
    ? parts.composeSingle(capabilityId, config, userEmail)
    : parts.composeFor(agentId, userEmail);
}

async function executeApproved({ gate, database }: RunsParts, approval: Approval, agent: RuntimeAgent) {
  const { sessionId } = approval;
  return gate.call({
    path: "rest",
    agent,
    tool: approval.tool,
    input: approval.editedArguments ?? approval.arguments,
    user: { email: approval.userEmail, scopes: agent.scopes },
    sessionId: sessionId ?? undefined,
    callId: approval.id,
    signal: new AbortController().signal,
    budgets: sessionId === null ? [] : await storedBudgets(database.pool, sessionId, agent.spec.limits),
    approved: true,
  });
}
