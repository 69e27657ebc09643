/** The working state of a running segment: its log, the conversation, its meter, its agent and user. */
import type { AgentSpec, JsonValue, Result, RuntimeAgent, RuntimeTool } from "@capstan/core";
import {
  type AssistantPart,
  type CallPath,
  type ConversationMessage,
  type Follows,
  inProgram,
  type TokenUsage,
} from "@capstan/core/internal";
import type { BudgetWaits } from "../../budgets/budget-waits.ts";
import type { ResolvedModel } from "../../providers/models.ts";
import type { ProviderCircuits } from "../../providers/provider-circuits.ts";
import type { OwnPlaces } from "../../queues/run-places.ts";
import type { ClaimedSegment } from "../claim/claimed-segment.ts";
import type { RunObservation, RunsParts } from "../contract/run-types.ts";
import type { CommitQueue } from "../log/commit-queue.ts";
import type { EventHub } from "../log/event-hub.ts";
import { runStarted, segmentIdOf } from "../log/lifecycle-events.ts";
import { type CommitExtras, type MessageToStore, RunLog } from "../log/run-log.ts";
import type { SessionSummary } from "../summary/session-summary.ts";
import { isDeferred, searchTool, shownTools } from "./deferred-tools.ts";
import { clientTools, stateTool, withTools } from "./engine-tools.ts";
import { recallTool } from "./recall-tool.ts";
import { DEFAULT_LIMITS, effectiveLimits, RunMeter } from "./run-meter.ts";
import { runPath } from "./run-path.ts";
import { withinScopes } from "./within-scopes.ts";

/** What a model call has used, at which prices. */
export interface StepUsage {
  readonly usage: TokenUsage;
  readonly prices?: ResolvedModel["prices"];
  /** Known if more than the model was paid for. */
  readonly costUsd?: number | undefined;
}

/** What all segments of a process share. */
export interface Engine {
  readonly parts: RunsParts;
  /** Where segments store what they do; a replay keeps it in memory. */
  readonly queue: Pick<CommitQueue, "write">;
  readonly hub: EventHub;
  readonly now: () => Date;
  /** Which providers keep failing. */
  readonly circuits: ProviderCircuits;
  /** Where segments of this process run; a few at once. */
  readonly places: OwnPlaces;
  /** Runs that wait for a budget's next period. */
  readonly budgetWaits: BudgetWaits;
  /** Set while the process stops: segments end at their next step and are released. */
  readonly draining: () => boolean;
  readonly agentFor: (
    agentId: string,
    userEmail: string,
    follows?: Follows | null,
  ) => Promise<Result<RuntimeAgent>>;
  /** The next `agentFor` composes again. */
  readonly forgetAgent: (agentId: string, userEmail: string) => void;
}

export class RunContext {
  readonly engine: Engine;
  readonly claim: ClaimedSegment;
  readonly log: RunLog;
  readonly messages: ConversationMessage[];
  readonly meter: RunMeter;
  readonly signal: AbortSignal;
  readonly stop: AbortController;
  readonly seen: { -readonly [Key in keyof RunObservation]: RunObservation[Key] };
  agentId: string;
  /** Of what came before `messages`; its message is the first of them. */
  summary: SessionSummary | undefined;
  state: JsonValue;
  scopeCeiling: readonly string[] | undefined;
  /** Text of the model when its stream broke. */
  partial: { readonly id: string; readonly parts: readonly AssistantPart[] } | undefined;
  /** Messages to store before a call's result: the message with the call, if a coding agent's program made it. */
  unstored: (callId: string) => readonly MessageToStore[] = () => [];
  /** A STATE_SNAPSHOT was emitted in this segment: clients know what a delta changes. */
  isStateShown = false;
  /** Budgets are reserved for the current model call. */
  hasReserved = false;
  /** The usage of an answer that a check blocked. */
  blocked: StepUsage | undefined;
  /** Frees the segment's slot while it only waits. */
  outOfPlace: <T>(waiting: () => Promise<T>) => Promise<T> = (waiting) => waiting();
  /** How often this segment failed to get a summary. */
  summaryFailures = 0;
  /** The coding agent whose program runs this segment. */
  harness: string | undefined;
  #recall: { readonly summary: SessionSummary; readonly tool: RuntimeTool } | undefined;
  #fromClient: Result<RuntimeTool[]> | undefined;
  readonly #stateTool = stateTool(() => this.state);
  /** The agent of the previous step: data such as the hash of its prompt is cached by object identity. */
  #last: { own: RuntimeAgent; more: readonly RuntimeTool[]; agent: Result<RuntimeAgent> } | undefined;
  #warned = new Set<string>();
  #defers = false;

  constructor(engine: Engine, claim: ClaimedSegment, spec: AgentSpec, stop: AbortController) {
    this.engine = engine;
    this.claim = claim;
    this.log = new RunLog(claim, engine.queue, engine.hub);
    this.messages = [...claim.messages];
    const limits = effectiveLimits(spec.limits, claim.input.limits, {
      ...DEFAULT_LIMITS,
      ...engine.parts.limits,
    });
    this.meter = new RunMeter(limits, claim);
    for (const usage of claim.children) this.meter.addChild(usage);
    this.stop = stop;
    this.signal = AbortSignal.any([stop.signal, this.log.lost.signal]);
    this.agentId = claim.agentId;
    this.summary = claim.summary;
    this.state = claim.state;
    this.scopeCeiling = claim.input.scopeCeiling ?? claim.metadata.scopeCeiling;
    this.seen = {
      agentId: claim.agentId,
      model: "",
      reasoning: false,
      encryptedReasoning: false,
      toolCalls: false,
      parallelCalls: false,
      interrupts: false,
      structuredOutput: false,
      subagents: false,
      handoffs: false,
      mediaTypes: [],
    };
  }

  /** The id of this segment in events. */
  get segmentId(): string {
    return segmentIdOf(this.claim.runId, this.claim.segment);
  }

  /** Emits RUN_STARTED unless it is written. */
  emitStart(): void {
    const { sessionId, parent, isStarted } = this.claim;
    if (isStarted) return;
    const { segmentId } = this;
    this.log.emit(runStarted({ sessionId, segmentId, parentRunId: parent?.runId, at: this.engine.now() }));
  }

  /** The agent with its current rights and the tools of this turn; rights may change between steps. */
  async agent(): Promise<Result<RuntimeAgent>> {
    const composed = await this.engine.agentFor(this.agentId, this.claim.userEmail, this.claim.follows);
    if (!composed.ok) return composed;
    const { continueIn } = this.claim.input;
    const run = inProgram(composed.value, continueIn?.agentId === this.agentId ? continueIn : undefined);
    const own = withinScopes(run, this.scopeCeiling);
    const more = this.#turnTools();
    if (!more.ok) return more;
    this.#defers = isDeferred(own, this.engine.parts.deferToolsAbove);
    if (this.#defers) return withTools(own, [...more.value, searchTool(own)]);
    const isAsBefore = this.#last?.own === own && areSame(this.#last.more, more.value);
    if (this.#last === undefined || !isAsBefore)
      this.#last = { own, more: more.value, agent: withTools(own, more.value) };
    return this.#last.agent;
  }

  /** Recomposed, so that a person's latest change applies to this call. */
  agentNow(): Promise<Result<RuntimeAgent>> {
    this.engine.forgetAgent(this.agentId, this.claim.userEmail);
    return this.agent();
  }

  /** The tools that the model sees. Every call passes the gate, whether its tool is visible or not. */
  visibleTools(agent: RuntimeAgent): readonly RuntimeTool[] {
    return this.#defers ? shownTools(agent, this.messages) : agent.tools;
  }

  /** The path by which a call of this tool reaches the gate. */
  pathOf(tool: string): CallPath {
    return runPath(tool, this.claim.input, { isHarness: this.harness !== undefined, defers: this.#defers });
  }

  /** The webhook delivery that the run's last commit stores, if the run has a webhook. */
  webhook(result: object): CommitExtras {
    const { runId, sessionId, input } = this.claim;
    const url = input.webhookUrl;
    if (url === undefined || !this.engine.parts.webhooks) return {};
    const at = this.engine.now().toISOString();
    const { type: _, ...told } = result as { type?: unknown };
    const usage = this.meter.usage;
    const payload = {
      event: "run.ended",
      run_id: runId,
      session_id: sessionId,
      agent_id: this.agentId,
      at,
      usage,
      ...told,
    };
    return { webhook: { url, payload } };
  }

  /** Warns the client once per kind, however often it happens. */
  warn(text: string): void {
    if (this.#warned.has(text)) return;
    this.#warned.add(text);
    this.log.emit({ type: "CUSTOM", name: "capstan.warning", value: { message: text } });
  }

  #turnTools(): Result<RuntimeTool[]> {
    this.#fromClient ??= clientTools(this.claim.input.clientTools ?? []);
    const fromClient = this.#fromClient;
    if (!fromClient.ok) return fromClient;
    const sharesState = !isEmpty(this.state) || this.claim.input.sharesState;
    return {
      ok: true,
      value: [...fromClient.value, ...(sharesState ? [this.#stateTool] : []), ...this.#recallTools()],
    };
  }

  /** Made once per summary: describing a tool costs more than a step. */
  #recallTools(): RuntimeTool[] {
    const { summary } = this;
    if (!summary) return [];
    if (this.#recall?.summary !== summary) {
      const tool = recallTool(this.engine.parts.database.pool, this.claim.sessionId, summary);
      this.#recall = { summary, tool };
    }
    return [this.#recall.tool];
  }
}

const areSame = (some: readonly RuntimeTool[], others: readonly RuntimeTool[]): boolean =>
  some.length === others.length && some.every((tool, at) => tool === others[at]);

const isEmpty = (state: JsonValue): boolean =>
  state === null || (typeof state === "object" && Object.keys(state).length === 0);
