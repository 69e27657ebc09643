/**
 * One recorded run, run again by the real loop with a change. Nothing is stored: the segment's writes stay in memory, so
 * a replay that is killed is simply made again, and no session, event or approval of it exists.
 */
import { fail, type JsonValue, ok, type Result, type RuntimeAgent } from "@capstan/core";
import {
  type ConversationMessage,
  compareReplay,
  createRuleSet,
  type Divergence,
  type ReplayComparison,
  type ReplaySide,
} from "@capstan/core/internal";
import { BudgetWaits } from "../budgets/budget-waits.ts";
import type { AskRules } from "../gate/ask-rules.ts";
import { ProviderCircuits } from "../providers/provider-circuits.ts";
import { RunPlaces } from "../queues/run-places.ts";
import { compileCel } from "../rules/cel.ts";
import { trialRules } from "../rules/decide-by.ts";
import { isAllowedInSession } from "../runs/approvals/session-allowance.ts";
import type { ClaimedSegment } from "../runs/claim/claimed-segment.ts";
import { RunContext } from "../runs/context/run-context.ts";
import type { RunResult, RunsParts } from "../runs/contract/run-types.ts";
import { isHarnessed } from "../runs/harness/harness-step.ts";
import { IdleHarnesses } from "../runs/harness/idle-harnesses.ts";
import type { CommitItem } from "../runs/log/commit-queue.ts";
import { EventHub } from "../runs/log/event-hub.ts";
import { runSegment } from "../runs/loop/run-loop.ts";
import type { SegmentEnd } from "../runs/steps/run-endings.ts";
import { releaseBudgets } from "../runs/steps/spend.ts";
import type { PeopleDatabase } from "../users/known-person.ts";
import { callsIn, figuresOf, outcomeOf, type RecordedRun, type StoredMessage } from "./read-recording.ts";
import { RecordedFailure, withRecordedModel } from "./recorded-model.ts";
import {
  type ChangedAgentParts,
  changedAgent,
  type ReplayChange,
  type ReplayOptions,
} from "./replay-change.ts";
import { Diverged, RecordedResults } from "./replayed-results.ts";

/** What all segments of the loop share. */
type LoopShared = ConstructorParameters<typeof RunContext>[0];

/** The parts of the loop that a replay uses; what reaches people or other systems is not among them. */
export type ReplayLoopParts = Pick<
  RunsParts,
  | "database"
  | "gate"
  | "models"
  | "budgets"
  | "textChecks"
  | "limits"
  | "retry"
  | "deferToolsAbove"
  | "readFile"
  | "countTokens"
  | "onError"
>;

export interface ReplayParts extends ReplayLoopParts, ChangedAgentParts {}

export interface ReplayRequest {
  /** Reserves budgets under this id; no run has it. */
  readonly id: string;
  readonly recording: RecordedRun;
  readonly change: ReplayChange;
  readonly options: ReplayOptions;
  /** Who made the replay: accounts of the recorded user are used for nobody else. */
  readonly by: string;
  readonly maxCostUsd?: number | undefined;
  readonly signal: AbortSignal;
}

export interface ReplayedRun {
  readonly comparison: ReplayComparison;
  /** What the replay added to the conversation. */
  readonly messages: readonly StoredMessage[];
  /** The agent with the change. */
  readonly agent: RuntimeAgent;
}

export async function replayRun(parts: ReplayParts, request: ReplayRequest): Promise<Result<ReplayedRun>> {
  const { recording, change } = request;
  const agent = await changedAgent(parts, change, recording);
  if (!agent.ok) return agent;
  if (isHarnessed(agent.value))
    return fail("replay_impossible", { run: recording.runId, why: "a coding agent's program runs it" });
  const replay = openReplay(parts, request, agent.value);
  const ended = await replay.run();
  if (!ended.ok) return ended;
  const { side, messages, diverged } = ended.value;
  return ok({ comparison: compareReplay(recording.side, side, diverged), messages, agent: agent.value });
}

type ReplayEnd = SegmentEnd | Diverged | RecordedFailure;

interface Ended {
  readonly side: ReplaySide;
  readonly messages: readonly StoredMessage[];
  readonly diverged: Divergence | undefined;
}

function openReplay(parts: ReplayParts, request: ReplayRequest, agent: RuntimeAgent) {
  const { recording, change, options, signal } = request;
  const stop = new AbortController();
  const end = (how: Diverged | RecordedFailure) => stop.abort(how);
  const results = new RecordedResults({
    ...options,
    ...recording,
    isOwn: request.by === recording.user,
    rules: rulesOf(change, parts.database),
    diverge: end,
  });
  const memory = new MemoryQueue();
  const soFar = (): readonly ConversationMessage[] => context.messages.slice(recording.before.length);
  const { messages: recorded, side } = recording;
  const models = withRecordedModel(parts.models, { recorded, outcome: side.outcome, soFar, end });
  const loop = replayLoop({ ...parts, models, gate: replayGate(parts, recording, results) }, memory, {
    agentFor: async (agentId, user) =>
      agentId === recording.agentId ? ok(agent) : parts.composer.composeFor(agentId, user),
  });
  const context = new RunContext(loop, claimOf(request), agent.spec, stop);

  const finish = async (end: ReplayEnd): Promise<Ended> => {
    await context.log.commit(); // what was staged
    const { messages } = memory;
    const calls = callsIn(messages).map((call) => {
      const told = results.told.get(call.id);
      return told ? { ...told, ...call } : { ...call, gate: "allowed" as const, source: "none" as const };
    });
    const turn = Math.max(0, messages.filter(({ role }) => role === "assistant").length - 1);
    return {
      messages,
      diverged: end instanceof Diverged ? { ...end.at, turn } : undefined,
      side: { calls, ...figuresOf(messages), ...memory.held, outcome: memory.outcomeAfter(end) },
    };
  };

  return {
    async run(): Promise<Result<Ended>> {
      const cancel = () => stop.abort(signal.reason);
      if (signal.aborted) cancel();
      signal.addEventListener("abort", cancel, { once: true });
      try {
        return ok(await finish(await runSegment(context, new IdleHarnesses(), [])));
      } catch (error) {
        if (error instanceof Diverged || error instanceof RecordedFailure) return ok(await finish(error));
        if (signal.aborted) return fail("cancelled", { what: "The replay" });
        throw error;
      } finally {
        signal.removeEventListener("abort", cancel);
        await releaseBudgets(context).catch(() => {});
      }
    },
  };
}

/** Rules on trial are compiled once for a replay. */
function rulesOf({ rules }: ReplayChange, database: PeopleDatabase): AskRules | undefined {
  if (!rules) return undefined;
  const set = createRuleSet(
    rules.map((rule, index) => ({ ...rule, id: `trial-${index + 1}` })),
    compileCel,
  );
  return trialRules(set, database).made;
}

/** Every call of the loop takes the path `replay`, whichever path the recorded run took. */
function replayGate(
  { gate, database }: ReplayParts,
  { sessionId, calls }: RecordedRun,
  results: RecordedResults,
): RunsParts["gate"] {
  const askedBefore = (name: string): number =>
    calls.filter(({ tool, gate: said }) => tool === name && said === "asked").length;
  return {
    check: gate.check,
    call(request) {
      const seen = results.labels; // of this moment: calls of one answer do not see each other's results
      return gate.call({
        ...request,
        path: "replay",
        replayed: results,
        seen: async () => seen,
        // A person allowed the tool at some point of the session, after the last question about it.
        isAllowed: async (tool) =>
          results.askedAbout(tool.name) >= askedBefore(tool.name) &&
          (await isAllowedInSession(database.pool, sessionId, request.agent, tool)),
      });
    },
  };
}

function replayLoop(
  parts: ReplayParts,
  queue: LoopShared["queue"],
  { agentFor }: Pick<LoopShared, "agentFor">,
): LoopShared {
  const now = () => new Date();
  const { composer, ...loopParts } = parts;
  return {
    parts: { ...loopParts, composeFor: composer.composeFor, executorId: "replay" },
    queue,
    hub: new EventHub(),
    now,
    circuits: new ProviderCircuits(),
    places: new RunPlaces().of("", () => 1),
    budgetWaits: new BudgetWaits(() => new Date()),
    draining: () => false,
    agentFor,
    forgetAgent: () => {},
  };
}

function claimOf({ id, recording, change, maxCostUsd }: ReplayRequest): ClaimedSegment {
  const {
    webhookUrl: _,
    client: _client,
    traceparent: _trace,
    branchSessionId: _branch,
    ...input
  } = recording.input;
  const { model = input.model } = change;
  const limits = maxCostUsd === undefined ? input.limits : { ...input.limits, maxCostUsd };
  return {
    runId: id,
    sessionId: recording.sessionId,
    epoch: 1,
    segment: 0,
    launch: 0,
    isStarted: true,
    input: { ...input, ...(model !== undefined && { model }), ...(limits && { limits }) },
    agentId: recording.agentId,
    userEmail: recording.user,
    state: recording.state,
    metadata: recording.scopeCeiling ? { scopeCeiling: recording.scopeCeiling } : {},
    follows: null,
    seq: 0,
    position: 0,
    messages: recording.before,
    summary: recording.summary,
    usages: [],
    activeMs: 0,
    children: [],
    attempts: 0,
    answers: [],
  };
}

interface Written {
  readonly messages: readonly StoredMessage[];
  readonly run?: { readonly status?: string; readonly outcome?: RunResult };
  readonly approvals: readonly { readonly kind?: string; readonly arguments: JsonValue }[];
}

/** Replaces the database: keeps what a segment would have stored. */
class MemoryQueue {
  readonly messages: StoredMessage[] = [];
  #outcome: RunResult | null = null;
  /** An answer that a check holds for a person to read: it counts as what the model said. */
  held: { readonly answer?: string } = {};
  #question: string | undefined;

  async write({ json }: CommitItem): Promise<boolean> {
    const { messages, run, approvals } = JSON.parse(json) as Written;
    this.messages.push(...messages);
    this.#outcome = run?.outcome ?? this.#outcome;
    for (const { kind, arguments: asked } of approvals) {
      this.#question = kind;
      const { text } = (asked ?? {}) as { text?: unknown };
      if (kind === "text" && typeof text === "string") this.held = { answer: text };
    }
    return false;
  }

  outcomeAfter(end: ReplayEnd): string {
    if (end instanceof Diverged) return "diverged";
    if (end instanceof RecordedFailure) return end.code;
    return end === "waiting" ? `asks_about_${this.#question ?? "a call"}` : outcomeOf(this.#outcome);
  }
}
