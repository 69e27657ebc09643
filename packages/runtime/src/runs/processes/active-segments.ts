/**
 * The segments this process runs. A claimed segment starts at once; its workflow is recorded when it is not over within
 * a moment, because until then its own rows say all that is to know. Whatever the database answers, the rows decide: a
 * segment that cannot
 * tell whether its write arrived claims the run again and reads.
 */
import { type AgentSpec, agentSpec, fail, type RunEvent, type RunLimits } from "@capstan/core";
import { type ClaimRow, claimAgain, loadSegment } from "../claim/claims.ts";
import { type ClaimedSegment, type Engine, RunContext } from "../context/run-context.ts";
import { Fenced } from "../log/commit-queue.ts";
import { closeAndShow, runSegment } from "../loop/run-loop.ts";
import { failed, type SegmentEnd } from "../steps/run-endings.ts";
import type { DurableWorkflow } from "./durable-workflow.ts";

const MOST_SEGMENTS = 500; // beyond, recovered and new runs wait their turn: a thousand at once starve each other
const RECORD_AFTER_MS = 200; // a model's answer takes longer; what ends sooner saves eight statements
const LONGEST_PAUSE_MS = 10_000;
const MOST_ATTEMPTS = 20; // claims without a stored message: this run stops whatever process takes it
const NO_AGENT = agentSpec({ name: "gone" }); // a run whose agent was deleted ends with that as its reason

/** A person stopped the run, and its end is written already; or the process ends. */
export class Stopped extends Error {}

interface Active {
  readonly sessionId: string;
  readonly context: RunContext;
  readonly ended: Promise<void>;
  /** Its workflow is on record, so a body will come. */
  recorded: boolean;
  /** The workflow's body has come and waits: nobody else will ask. */
  awaited: boolean;
}

export class Segments {
  readonly #engine: Engine;
  readonly #onEnd: (context: RunContext, end: SegmentEnd) => void;
  readonly #active = new Map<string, Active>();
  /** Launches that ended before their workflow's body came: it has nothing left to do. */
  readonly #over = new Set<string>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #closing = false;
  workflow: DurableWorkflow | undefined;

  constructor(engine: Engine, onEnd: (context: RunContext, end: SegmentEnd) => void) {
    this.#engine = engine;
    this.#onEnd = onEnd;
  }

  /** The runs that are on here. */
  get ids(): string[] {
    return [...this.#active.keys()];
  }

  /** What a run that is on here has left of its limits. */
  leftOf(runId: string): RunLimits | undefined {
    return this.#active.get(runId)?.context.meter.left;
  }

  /** Runs a segment this process has just claimed. */
  start(claim: ClaimedSegment, spec: AgentSpec, soFar: readonly RunEvent[] = []): void {
    const context = new RunContext(this.#engine, claim, spec, new AbortController());
    const timer = setTimeout(() => this.#record(claim), RECORD_AFTER_MS);
    this.#track(context, () => this.#withRoom(() => this.#run(context, soFar))).then(() =>
      clearTimeout(timer),
    );
  }

  /** The same for a claim whose rows must be read first; `goesOn` when it had begun before. */
  async startRow(row: ClaimRow, { goesOn = false } = {}): Promise<void> {
    const loaded = await loadSegment(this.#engine.parts.database.pool, row);
    if (!loaded) return;
    this.start(loaded.claim, await this.#specOf(loaded.claim), goesOn ? loaded.events : []);
  }

  /** A workflow's body: waits for what runs here, or goes on with what another process left. */
  async body(runId: string, launch: number): Promise<void> {
    if (this.#over.delete(`${runId}:${launch}`)) return;
    const here = this.#active.get(runId);
    if (!here) return this.#withRoom(() => this.#again(runId, launch));
    here.awaited = true;
    await here.ended;
  }

  /** Stops a run here, if it is here; its rows are the caller's business. */
  stop(runId: string, reason: Error): void {
    this.#active.get(runId)?.context.stop.abort(reason);
  }

  /** Waits until nothing runs, or the time is over. */
  async quiet(withinMs: number): Promise<boolean> {
    const all = Promise.all([...this.#active.values()].map(({ ended }) => ended));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), withinMs);
    });
    const quiet = await Promise.race([all.then(() => true as const), late]);
    clearTimeout(timer);
    return quiet;
  }

  /** Abandons what still runs, as a kill would; others go on from the rows. */
  abandon(): void {
    this.#closing = true;
    for (const { context } of this.#active.values()) context.stop.abort(new Stopped("the process ends"));
  }

  /** Should it fail, the run itself is stored and goes on; should this process die then, the run is adopted. */
  #record({ runId, launch }: ClaimedSegment): void {
    const active = this.#active.get(runId);
    if (!active || !this.workflow) return; // over, or adopted while the engine opens: its rows will do
    active.recorded = true;
    this.workflow.start(runId, launch).catch((error) => {
      this.#over.delete(`${runId}:${launch}`);
      this.#report(error, `recording workflow ${runId}:${launch}`);
    });
  }

  async #run(context: RunContext, soFar: readonly RunEvent[]): Promise<void> {
    const { runId, launch, attempts } = context.claim;
    try {
      if (soFar.length > 0) await closeAndShow(context, soFar);
      const end =
        attempts > MOST_ATTEMPTS
          ? await failed(context, fail("run_gave_up", { attempts }).failure)
          : await runSegment(context);
      this.#onEnd(context, end);
    } catch (error) {
      if (error instanceof Fenced || error instanceof Stopped || this.#closing) return;
      this.#report(error, `storing run ${runId}`);
      await this.#again(runId, launch);
    }
  }

  /** Claims and reads until the database answers: the outcome of a lost write is never guessed. */
  async #again(runId: string, launch: number): Promise<void> {
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
        return await this.#track(context, () => this.#run(context, loaded.events));
      } catch (error) {
        this.#report(error, `recovering run ${runId}`);
        await new Promise((resolve) => setTimeout(resolve, Math.min(LONGEST_PAUSE_MS, 100 * 2 ** attempt)));
      }
    }
  }

  async #specOf({ agentId, userEmail }: ClaimedSegment): Promise<AgentSpec> {
    const agent = await this.#engine.agentFor(agentId, userEmail);
    return agent.ok ? agent.value.spec : NO_AGENT;
  }

  /** Lists it as running here until it ends. */
  #track(context: RunContext, work: () => Promise<void>): Promise<void> {
    const { runId, sessionId, launch } = context.claim;
    const earlier = this.#active.get(runId);
    const ended = work()
      .catch((error) => this.#report(error, `run ${runId}`))
      .finally(() => {
        if (this.#active.get(runId) === active) this.#active.delete(runId);
        if (active.recorded && !active.awaited) this.#over.add(`${runId}:${launch}`);
      });
    const { recorded = false, awaited = false } = earlier ?? {};
    const active: Active = { sessionId, context, ended, recorded, awaited };
    this.#active.set(runId, active);
    return ended;
  }

  async #withRoom(work: () => Promise<void>): Promise<void> {
    if (this.#running >= (this.#engine.parts.mostSegments ?? MOST_SEGMENTS)) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#running++;
    try {
      await work();
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  #report(error: unknown, what: string): void {
    this.#engine.parts.onError?.(error, what);
  }
}
