/**
 * The engine: durable runs of agents in sessions. This file connects its parts.
 * The rows are the truth about a run; anything in memory may be lost at any moment.
 */
import { fail, ok } from "@capstan/core";
import { BudgetWaits } from "../budgets/budget-waits.ts";
import { inTransaction } from "../db/transaction.ts";
import { ProviderCircuits } from "../providers/provider-circuits.ts";
import { RunPlaces } from "../queues/run-places.ts";
import { type Approvals, createApprovals } from "./approvals/approvals.ts";
import { agentOf, callApproved } from "./approvals/approved-calls.ts";
import { storeClientResults } from "./approvals/client-results.ts";
import { type CancelOptions, cancelRun } from "./cancel.ts";
import { ADOPT, CLAIM_WAITING } from "./claim/claim-statements.ts";
import type { ClaimRow } from "./claim/claims.ts";
import { readSession, type SessionView } from "./claim/session-view.ts";
import { compactSession } from "./compaction/compact-session.ts";
import { AgentCache } from "./context/agent-cache.ts";
import type { Engine, RunContext } from "./context/run-context.ts";
import type { NewMessage, RunsParts, SendOptions } from "./contract/run-types.ts";
import { IdleHarnesses } from "./harness/idle-harnesses.ts";
import { type ForkPlace, forkSession } from "./history/fork-session.ts";
import { dropMessages, listUserMessages, moveForks } from "./history/rewind-session.ts";
import {
  exportSession,
  forgetSession,
  getRun,
  giveFeedback,
  listMessages,
  listRuns,
} from "./history/session-history.ts";
import { listSummaries, pinMessage } from "./history/summaries.ts";
import { CommitQueue } from "./log/commit-queue.ts";
import { EventHub } from "./log/event-hub.ts";
import { EventFollower, lastSeqOf } from "./log/event-stream.ts";
import { ActiveSegments, Stopped } from "./processes/active-segments.ts";
import { type DurableWorkflow, startDurableWorkflow } from "./processes/durable-workflow.ts";
import { Presence } from "./processes/presence.ts";
import { type DueWork, findDueWork, ownedBy, Sweeper } from "./processes/sweep.ts";
import {
  findUnattended,
  forgetLeft,
  keepListenedTo,
  markLeft,
  markReturned,
  type UnattendedRun,
} from "./processes/unattended-runs.ts";
import { deliverWebhooks } from "./processes/webhooks.ts";
import type { Runs } from "./runs.ts";
import { type ChildOf, type SendParts, send, startNext } from "./send.ts";
import type { SegmentEnd } from "./steps/run-endings.ts";

export async function createRuns(parts: RunsParts): Promise<Runs> {
  const runs = new DurableRuns(parts);
  try {
    await runs.start();
  } catch (error) {
    await runs.drain(0).catch(() => {}); // a partly started engine would prevent the next one from starting
    throw error;
  }
  return runs;
}

class DurableRuns implements Runs {
  readonly approvals: Approvals;
  readonly #parts: RunsParts;
  readonly #pool: RunsParts["database"]["pool"];
  readonly #hub = new EventHub();
  readonly #engine: Engine;
  readonly #idleHarnesses: IdleHarnesses;
  readonly #segments: ActiveSegments;
  readonly #send: SendParts;
  readonly #sweeper: Sweeper;
  #draining = false;
  #presence: Presence | undefined;
  #workflow: DurableWorkflow | undefined;

  constructor(parts: RunsParts) {
    this.#parts = parts;
    this.#pool = parts.database.pool;
    const now = parts.now ?? (() => new Date());
    const agents = new AgentCache(parts.composeFor);
    parts.database.policyChanges.onChange(() => agents.clear());
    this.#engine = {
      parts,
      queue: new CommitQueue(this.#pool, (sessions) => {
        for (const sessionId of sessions) this.#presence?.hint(sessionId);
      }),
      hub: this.#hub,
      now,
      places: parts.places ?? new RunPlaces().of("", () => 1),
      budgetWaits: new BudgetWaits(now),
      circuits: new ProviderCircuits(() => now().getTime()),
      draining: () => this.#draining,
      agentFor: (agentId, userEmail, follows) => agents.get(agentId, userEmail, follows),
      forgetAgent: (agentId, userEmail) => agents.forget(agentId, userEmail),
    };
    this.#idleHarnesses = new IdleHarnesses(parts.harnessWaitMs);
    this.#segments = new ActiveSegments(this.#engine, this.#idleHarnesses, (context, end) =>
      this.#afterSegment(context, end),
    );
    this.#send = {
      engine: this.#engine,
      segments: this.#segments,
      abandon: async (sessionId) => void (await this.#cancelRun(sessionId)),
      hint: (sessionId) => this.#presence?.hint(sessionId),
    };
    this.#sweeper = new Sweeper(
      () => this.#sweep(),
      (error) => this.#report(error, "sweeping"),
    );
    this.approvals = createApprovals({
      pool: this.#pool,
      executorId: parts.executorId,
      now,
      agentOf: (approval) => agentOf(parts, approval),
      resume: (row, { agentId, userEmail }) => {
        agents.forget(agentId, userEmail);
        return this.#resume(row);
      },
      execute: (approval, agent) => callApproved(parts, approval, agent),
      rightsApprover: parts.rightsApprover,
      audit: (entry) => parts.audit?.(entry),
      sealConfig: parts.sealConfig ?? ((_, config) => config),
    });
  }

  async start(): Promise<void> {
    const { database, executorId } = this.#parts;
    const onError = (error: unknown, what: string) => this.#report(error, what);
    const run = (runId: string, launch: number) => this.#segments.runWorkflow(runId, launch);
    await this.#adopt(await ownedBy(this.#pool, [executorId])); // left by an earlier process with this id
    this.#workflow = await startDurableWorkflow({ database, executorId, run, onError });
    this.#segments.workflow = this.#workflow;
    if (database.kind === "postgres") {
      this.#presence = new Presence({
        pool: this.#pool,
        sessionPool: database.sessionPool,
        executorId,
        onEvents: (sessionId) => this.#hub.hint(sessionId),
        stop: (runId) => this.#stop(runId, new Stopped("stopped by another process")),
        dropIdleHarness: (runId) => this.#idleHarnesses.drop(runId),
        policiesChanged: () => database.policyChanges.apply(),
        takeOver: (executorIds) => this.#takeOver(executorIds),
        listenedTo: () => this.#hub.sessions(),
        shares: this.#engine.places.shared,
        onError,
      });
      await this.#presence.start();
      database.policyChanges.connect(async () => this.#presence?.tellPoliciesChanged());
    }
    this.#sweeper.start();
  }

  send(sessionId: string, message: NewMessage, options: SendOptions = {}) {
    return send(this.#send, sessionId, message, options);
  }

  sendChild(sessionId: string, message: NewMessage, options: SendOptions, child: ChildOf) {
    const limits = this.#segments.remainingLimits(child.runId);
    return send(this.#send, sessionId, message, { ...options, ...(limits && { limits }) }, { child });
  }

  async sendAndFollow(
    sessionId: string,
    message: NewMessage,
    options: SendOptions,
    signal: AbortSignal,
    view?: SessionView,
  ): ReturnType<Runs["sendAndFollow"]> {
    const follower = this.#follow(sessionId); // before the send: no event of the run is missed
    const sent = await send(this.#send, sessionId, message, options, { view }).catch((error) => {
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
      const events = this.events(sessionId, await this.lastSeq(sessionId), signal);
      return ok({ ...sent.value, events });
    }
    const close = () => follower.close(); // also when the events are never read
    if (signal.aborted) close();
    else signal.addEventListener("abort", close, { once: true });
    return ok({ ...sent.value, events: follower.from(afterSeq, signal, { sinceSubscribed: true }) });
  }

  view(sessionId: string, messageId: string) {
    return readSession(this.#pool, sessionId, messageId);
  }

  /** Subscribes on first read, so that unread events are not buffered. */
  events(sessionId: string, afterSeq: number, signal: AbortSignal): ReturnType<Runs["events"]> {
    return { [Symbol.asyncIterator]: () => this.#follow(sessionId).from(afterSeq, signal) };
  }

  listenedTo() {
    return this.#hub.sessions();
  }

  async clientLeft(runId: string): Promise<void> {
    const isDue = await markLeft(this.#pool, runId);
    if (isDue) await this.#cancelUnattended(await findUnattended(this.#pool));
  }

  clientReturned(sessionId: string) {
    return markReturned(this.#pool, sessionId);
  }

  lastSeq(sessionId: string) {
    return lastSeqOf(this.#pool, sessionId);
  }

  async cancel(sessionId: string, options?: CancelOptions): ReturnType<Runs["cancel"]> {
    const runId = await this.#cancelRun(sessionId, options);
    return runId === undefined ? fail("run_not_active", { session: sessionId }) : ok({ runId });
  }

  messages(sessionId: string, page: Parameters<Runs["messages"]>[1]) {
    return listMessages(this.#pool, sessionId, page);
  }

  run(runId: string) {
    return getRun(this.#pool, runId);
  }

  runsOf(sessionId: string) {
    return listRuns(this.#pool, sessionId);
  }

  fork(sessionId: string, place?: ForkPlace) {
    return forkSession(this.#pool, sessionId, place, this.#parts.copyFiles);
  }

  exportLines(sessionId: string) {
    return exportSession(this.#parts.database, sessionId);
  }

  feedback(sessionId: string, entry: Parameters<Runs["feedback"]>[1]) {
    return giveFeedback(this.#pool, sessionId, entry);
  }

  clientResults(...[sessionId, results, options]: Parameters<Runs["clientResults"]>) {
    const { executorId } = this.#parts;
    const resume = (row: ClaimRow) => this.#resume(row);
    return storeClientResults({ pool: this.#pool, executorId, resume }, sessionId, results, options);
  }

  compact(...[sessionId, request]: Parameters<Runs["compact"]>) {
    return compactSession(this.#engine, sessionId, request);
  }

  summaries(sessionId: string) {
    return listSummaries(this.#pool, sessionId);
  }

  pin(...[sessionId, pin]: Parameters<Runs["pin"]>) {
    return pinMessage(this.#pool, sessionId, pin);
  }

  userMessages(sessionId: string) {
    return listUserMessages(this.#pool, sessionId);
  }

  async rewind(sessionId: string, position: number, by: string) {
    await this.#cancelRun(sessionId, { by, queued: true });
    const branch = await this.fork(sessionId);
    if (!branch.ok) return branch;
    await dropMessages(this.#pool, sessionId, position);
    await moveForks(this.#pool, { from: sessionId, to: branch.value.sessionId, position });
    return branch;
  }

  forget(sessionId: string) {
    return forgetSession(this.#pool, sessionId);
  }

  async drain(withinMs: number): Promise<void> {
    this.#draining = true;
    await this.#sweeper.stop();
    if (!(await this.#segments.waitUntilIdle(withinMs))) this.#segments.abandon();
    await this.#segments.waitUntilIdle(withinMs);
    this.#idleHarnesses.close();
    try {
      await this.#presence?.close();
    } finally {
      await this.#workflow?.close();
    }
  }

  #follow(sessionId: string): EventFollower {
    return new EventFollower({ pool: this.#pool, hub: this.#hub }, sessionId);
  }

  #cancelRun(sessionId: string, options?: CancelOptions): Promise<string | undefined> {
    return cancelRun(
      {
        engine: this.#engine,
        stop: (runId, reason) => {
          this.#stop(runId, reason);
          this.#presence?.tellToStop(runId);
        },
        hint: (id) => this.#presence?.hint(id),
        onEnd: (context) => this.#afterSegment(context, "cancelled"),
      },
      sessionId,
      options,
    );
  }

  /** Stops a run in this process: its segment, or the program that waits for it. */
  #stop(runId: string, reason: Error): void {
    this.#segments.stop(runId, reason);
    this.#idleHarnesses.drop(runId);
  }

  async #resume(row: ClaimRow): Promise<void> {
    this.#hub.hint(row.session_id);
    this.#presence?.hint(row.session_id);
    this.#presence?.tellToDropIdleHarness(row.id); // the run continues here; another process's program is not needed
    await this.#segments.startRow(row);
  }

  /** Resumes a waiting run if everything it waits for has arrived. */
  async #resumeIfReady(runId: string): Promise<void> {
    const row = await inTransaction(this.#pool, async (client) => {
      await client.query("select id from runs where id = $1 for update", [runId]);
      return (await client.query<ClaimRow>(CLAIM_WAITING, [runId, this.#parts.executorId])).rows[0];
    });
    if (row) await this.#resume(row);
  }

  /** Continues the runs of dead processes; the epoch decides if several try. DBOS then finds nothing left to do. */
  async #takeOver(executorIds: readonly string[]): Promise<void> {
    await this.#adopt(await ownedBy(this.#pool, executorIds));
    await this.#workflow?.recover(executorIds);
  }

  async #adopt(runs: NonNullable<DueWork["abandoned"]>): Promise<void> {
    for (const { id, epoch } of runs) {
      const { rows } = await this.#pool.query<ClaimRow>(ADOPT, [id, this.#parts.executorId, epoch]);
      if (rows[0]) await this.#segments.startRow(rows[0], { isRecovery: true });
    }
  }

  #afterSegment(context: RunContext, end: SegmentEnd | "cancelled"): void {
    const { claim, seen } = context;
    if (seen.model !== "") this.#parts.observed?.(seen);
    if (end === "waiting" || end === "handed_over") return;
    const { runId, sessionId, agentId } = claim;
    this.#parts.ended?.({ runId, sessionId, agentId, end, usage: context.meter.usage });
    if (this.#draining) return;
    this.#startFollowers(context).catch((error) => this.#report(error, `after run ${runId}`));
  }

  /** Starts what waited for the end of this run: the next message, the parent run, a webhook. */
  async #startFollowers({ claim, log }: RunContext): Promise<void> {
    if (log.hasQueuedMessage) await startNext(this.#send, claim.sessionId);
    if (claim.parent) await this.#resumeIfReady(claim.parent.runId);
    if (claim.input.webhookUrl !== undefined) await this.#deliverWebhooks();
  }

  async #deliverWebhooks(): Promise<void> {
    const { webhooks } = this.#parts;
    if (webhooks) await deliverWebhooks(this.#pool, webhooks, this.#engine.now);
  }

  async #cancelUnattended(due: readonly UnattendedRun[]): Promise<void> {
    const listenedTo = new Set(this.#hub.sessions());
    for (const { id, sessionId, client } of due) {
      if (listenedTo.has(sessionId)) continue;
      await this.#cancelRun(sessionId, { by: client.by, runId: id });
      await forgetLeft(this.#pool, id);
      if (client.ephemeral) await this.#parts.deleteSession?.(sessionId);
    }
  }

  async #sweep(): Promise<void> {
    await keepListenedTo(this.#pool, this.#hub.sessions());
    const due = await findDueWork(this.#pool, this.#parts.executorId, this.#segments.ids);
    if (!due) return;
    await this.#adopt(due.abandoned ?? []);
    for (const sessionId of due.queued ?? []) await startNext(this.#send, sessionId);
    for (const runId of due.parents ?? []) await this.#resumeIfReady(runId);
    await this.#cancelUnattended(due.unattended ?? []);
    if (due.expired) await this.approvals.expire();
    if (due.unexecuted) await this.approvals.executeMissed();
    if (due.webhooks) await this.#deliverWebhooks();
  }

  #report(error: unknown, what: string): void {
    this.#parts.onError?.(error, what);
  }
}
