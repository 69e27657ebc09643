/**
 * The segments that run in this process. A claimed segment starts at once; its workflow is recorded only if it runs longer
 * than a moment, because until then its rows are enough to recover it. A segment that does not know whether its write
 * was stored claims the run again and reads the rows.
 */
import { type AgentSpec, agentSpec, type RunEvent, type RunLimits } from "@capstan/core";
import type { OwnPlaces } from "../../queues/run-places.ts";
import type { ClaimedSegment } from "../claim/claimed-segment.ts";
import { type ClaimRow, claimAgain, loadSegment } from "../claim/claims.ts";
import { type Engine, RunContext } from "../context/run-context.ts";
import type { IdleHarnesses } from "../harness/idle-harnesses.ts";
import { Fenced } from "../log/commit-queue.ts";
import { runSegment } from "../loop/run-loop.ts";
import type { SegmentEnd } from "../steps/run-endings.ts";
import type { DurableWorkflow } from "./durable-workflow.ts";

const RECORD_AFTER_MS = 200; // a model's answer takes longer; a shorter segment saves eight statements
const LONGEST_PAUSE_MS = 10_000;
const NO_AGENT = agentSpec({ name: "gone" }); // for a run whose agent was deleted; the run fails and says so

/** The run was cancelled and its end is already written, or the process stops. */
export class Stopped extends Error {}

interface Active {
  readonly sessionId: string;
  readonly context: RunContext;
  readonly ended: Promise<void>;
  /** Its workflow is recorded, so DBOS will call its body. */
  recorded: boolean;
  /** The workflow's body was called and waits. */
  awaited: boolean;
}

export class ActiveSegments {
  readonly #engine: Engine;
  readonly #idleHarnesses: IdleHarnesses;
  readonly #onEnd: (context: RunContext, end: SegmentEnd) => void;
  readonly #active = new Map<string, Active>();
  /** Launches that ended before their workflow's body was called; the body returns at once. */
  readonly #endedLaunches = new Set<string>();
  /** Fair between users: one who starts a thousand runs does not hold up the others. */
  readonly #places: OwnPlaces;
  #closing = false;
  workflow: DurableWorkflow | undefined;

  constructor(
    engine: Engine,
    idleHarnesses: IdleHarnesses,
    onEnd: (context: RunContext, end: SegmentEnd) => void,
  ) {
    this.#engine = engine;
    this.#idleHarnesses = idleHarnesses;
    this.#onEnd = onEnd;
    this.#places = engine.places;
  }

  /** Ids of the runs in this process. */
  get ids(): string[] {
    return [...this.#active.keys()];
  }

  /** The remaining limits of a run in this process. */
  remainingLimits(runId: string): RunLimits | undefined {
    return this.#active.get(runId)?.context.meter.left;
  }

  /** Starts a segment that this process has just claimed; `events` are those it wrote before a crash. */
  start(claim: ClaimedSegment, spec: AgentSpec, events: readonly RunEvent[] = []): void {
    const context = new RunContext(this.#engine, claim, spec, new AbortController());
    context.emitStart();
    const timer = setTimeout(() => this.#record(claim), RECORD_AFTER_MS);
    this.#track(context, () => this.#inPlace(context, () => this.#run(context, events))).then(() =>
      clearTimeout(timer),
    );
  }

  /** Reads the rows of a claim, then starts it; `isRecovery` when the segment had started before. */
  async startRow(row: ClaimRow, { isRecovery = false } = {}): Promise<void> {
    const loaded = await loadSegment(this.#engine.parts.database.pool, row);
    if (!loaded) return;
    this.start(loaded.claim, await this.#specOf(loaded.claim), isRecovery ? loaded.events : []);
  }

  /** A workflow's body: waits for the segment in this process, or takes it over from another one. */
  async runWorkflow(runId: string, launch: number): Promise<void> {
    if (this.#endedLaunches.delete(`${runId}:${launch}`)) return;
    const here = this.#active.get(runId);
    if (!here) return this.#claimAgain(runId, launch);
    here.awaited = true;
    await here.ended;
  }

  /** Stops a run of this process; the caller writes its rows. */
  stop(runId: string, reason: Error): void {
    this.#active.get(runId)?.context.stop.abort(reason);
  }

  /** Waits until no segment runs or the time is over; true when none runs. */
  async waitUntilIdle(withinMs: number): Promise<boolean> {
    const all = Promise.all([...this.#active.values()].map(({ ended }) => ended));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), withinMs);
    });
    const idle = await Promise.race([all.then(() => true as const), late]);
    clearTimeout(timer);
    return idle;
  }

  /** Stops all segments as a kill would; other processes resume them from the rows. */
  abandon(): void {
    this.#closing = true;
    for (const { context } of this.#active.values()) context.stop.abort(new Stopped("the process ends"));
  }

  /** If recording fails, the run continues; if this process dies then, another one adopts the run. */
  #record({ runId, launch }: ClaimedSegment): void {
    const active = this.#active.get(runId);
    if (!active || !this.workflow) return; // ended, or adopted while the engine starts: its rows are enough
    active.recorded = true;
    this.workflow.start(runId, launch).catch((error) => {
      this.#endedLaunches.delete(`${runId}:${launch}`);
      this.#report(error, `recording workflow ${runId}:${launch}`);
    });
  }

  async #run(context: RunContext, events: readonly RunEvent[]): Promise<void> {
    const { runId, launch } = context.claim;
    try {
      this.#onEnd(context, await runSegment(context, this.#idleHarnesses, events));
    } catch (error) {
      if (error instanceof Fenced || error instanceof Stopped || this.#closing) return;
      this.#report(error, `storing run ${runId}`);
      await this.#claimAgain(runId, launch, (_, work) => work()); // in the slot it already has
    }
  }

  /** Claims and reads until the database answers: the outcome of a lost write is never guessed. */
  async #claimAgain(
    runId: string,
    launch: number,
    inPlace = (context: RunContext, work: () => Promise<void>) => this.#inPlace(context, work),
  ): Promise<void> {
    for (let attempt = 0; !this.#closing; attempt++) {
      try {
        const { parts } = this.#engine;
        const { pool } = parts.database;
        const row = await claimAgain(pool, { runId, launch, owner: parts.executorId });
        const loaded = row && (await loadSegment(pool, row));
        if (!loaded) return;
        const context = new RunContext(
          this.#engine,
          loaded.claim,
          await this.#specOf(loaded.claim),
          new AbortController(),
        );
        context.emitStart();
        return await this.#track(context, () => inPlace(context, () => this.#run(context, loaded.events)));
      } catch (error) {
        this.#report(error, `recovering run ${runId}`);
        await new Promise((resolve) => setTimeout(resolve, Math.min(LONGEST_PAUSE_MS, 100 * 2 ** attempt)));
      }
    }
  }

  async #specOf({ agentId, userEmail, follows }: ClaimedSegment): Promise<AgentSpec> {
    const agent = await this.#engine.agentFor(agentId, userEmail, follows);
    return agent.ok ? agent.value.spec : NO_AGENT;
  }

  /** Tracks the segment as active until it ends. */
  #track(context: RunContext, work: () => Promise<void>): Promise<void> {
    const { runId, sessionId, launch } = context.claim;
    const earlier = this.#active.get(runId);
    const ended = work()
      .catch((error) => this.#report(error, `run ${runId}`))
      .finally(() => {
        if (this.#active.get(runId) === active) this.#active.delete(runId);
        if (active.recorded && !active.awaited) this.#endedLaunches.add(`${runId}:${launch}`);
      });
    const { recorded = false, awaited = false } = earlier ?? {};
    const active: Active = { sessionId, context, ended, recorded, awaited };
    this.#active.set(runId, active);
    return ended;
  }

  /** A segment that is stopped while it waits never starts: whoever stopped it has written its end. */
  async #inPlace(context: RunContext, work: () => Promise<void>): Promise<void> {
    const user = context.claim.userEmail;
    const enter = async () => (await this.#places.enter(user, context.stop.signal)) === "entered";
    let isInside = await enter();
    if (!isInside) return;
    context.outOfPlace = async (waiting) => {
      this.#places.leave(user);
      isInside = false;
      try {
        return await waiting();
      } finally {
        isInside = await enter();
      }
    };
    try {
      await work();
    } finally {
      if (isInside) this.#places.leave(user);
    }
  }

  #report(error: unknown, what: string): void {
    this.#engine.parts.onError?.(error, what);
  }
}
