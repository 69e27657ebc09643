/**
 * The gate: the one function that every tool call passes through, whatever path it came by.
 * It is the only caller of `tool.run`; the decision itself is core's `decideCall`.
 */
import {
  type Failure,
  fail,
  type HookCall,
  type JsonValue,
  ok,
  type ProgressReport,
  type Result,
  type RuntimeAgent,
  type RuntimeTool,
  type ToolContext,
  type ToolUser,
} from "@capstan/core";
import {
  ACTOR_BY_PATH,
  type Budget,
  type CallPath,
  claimsToRead,
  decideCall,
  flowOf,
  labelsOf,
  mayRunInReplay,
  type RuleAsk,
  type RuleDecision,
} from "@capstan/core/internal";
import type { BudgetLedger } from "../budgets/budget-ledger.ts";
import { usedUpFacts } from "../budgets/used-up.ts";
import type { CallConnections } from "../connections/call-connections.ts";
import type { ConnectedCall } from "../connections/connected-call.ts";
import type { LabelStore, SessionLabels } from "../labels/session-labels.ts";
import { askHooks, runAfterHooks } from "./ask-hooks.ts";
import { type AskRules, askRules, type Ruling, ruleDenial, type TakeCounts } from "./ask-rules.ts";
import { type RecordedDecision, type RuledOutcome, recordOf } from "./call-record.ts";
import { cappedOutput } from "./capped-output.ts";
import { type ReplayedResults, readOnlyContext, replayedOutcome } from "./replayed-call.ts";
import { runWithin } from "./run-within.ts";

export interface GateRequest {
  readonly path: CallPath;
  /** When the call was made, if it is a past call; default: now. */
  readonly at?: Date | undefined;
  readonly agent: RuntimeAgent;
  readonly tool: string;
  readonly input: unknown;
  readonly user: ToolUser;
  readonly sessionId?: string | undefined;
  readonly runId?: string | undefined;
  /** Idempotency key: the same for every attempt of the same call. */
  readonly callId: string;
  readonly signal: AbortSignal;
  readonly budgets?: readonly Budget[];
  /** Set when a person approved exactly this call, with these arguments. */
  readonly approved?: boolean;
  /** Whether a person allowed this tool for the rest of the session; asked only where the tool's policy asks. */
  readonly isAllowed?: ((tool: RuntimeTool) => Promise<boolean>) | undefined;
  /** The step of a task's plan, and whether it replaces a failed step. */
  readonly step?: number;
  readonly fallback?: boolean;
  /** W3C's `traceparent` of the request that made the call. */
  readonly traceparent?: string | undefined;
  /** What the session had read before this call; loaded when a rule needs it. Default: what it has read by now. */
  readonly seen?: (() => Promise<SessionLabels>) | undefined;
  /** An operator chose this call and its receiver beforehand: default rules do not apply, saved ones do. */
  readonly isArranged?: boolean;
  /** Receives the tool's progress. */
  readonly progress?: ((report: ProgressReport) => void) | undefined;
  /** Answers in place of the tools on the path `replay`; without it, such a call is refused. */
  readonly replayed?: ReplayedResults;
}

export type GateOutcome =
  | {
      readonly kind: "done";
      readonly output: JsonValue;
      readonly capabilityId: string;
      readonly durationMs: number;
      /** In a replay: the arguments that a person gave the recorded call. */
      readonly edited?: JsonValue | undefined;
    }
  | {
      readonly kind: "refused";
      /** Whether the tool was started: it failed, or its output was refused. False when the call was not allowed. */
      readonly ran: boolean;
      readonly failure: Failure;
      readonly capabilityId?: string;
      readonly durationMs: number;
      readonly edited?: JsonValue | undefined;
    }
  /** Approval is required. The input is as parsed. */
  | {
      readonly kind: "approval";
      readonly why: string;
      readonly tool: RuntimeTool;
      readonly input: unknown;
      /** Only the tool's policy asks: an approval may apply to the rest of the session. */
      readonly allowable: boolean;
      /** Whom the rule asks, and what happens without an answer. */
      readonly ask?: RuleAsk | undefined;
    }
  /** The client runs it and sends the result. */
  | { readonly kind: "client"; readonly tool: RuntimeTool; readonly input: unknown };

export interface CallRecord {
  readonly ts: string;
  readonly path: CallPath;
  readonly capabilityId: string;
  readonly tool: string;
  readonly agentId: string;
  /** For whom it ran. */
  readonly user: string;
  readonly runId?: string;
  readonly sessionId?: string;
  readonly latencyMs: number;
  readonly outcome: "success" | "refused" | "failed" | "approval" | "client";
  readonly code?: string;
  readonly status?: number;
  readonly step?: number;
  readonly fallback?: boolean;
  readonly callId: string;
  readonly traceparent?: string;
  readonly decision?: RecordedDecision;
}

export interface GateParts {
  /** Creates the context of the running tool. */
  readonly contextFor: (request: GateRequest, tool: RuntimeTool, signal: AbortSignal) => ToolContext;
  /** Called once per call, never with payloads; must not throw or block. */
  readonly record: (record: CallRecord) => void;
  readonly now: () => Date;
  /** The rules' decision about a call; undefined where none matches. */
  readonly rules?: AskRules | undefined;
  /** Counts a call for rules that limit; false when another call took the last place first. */
  readonly takeCounts?: TakeCounts | undefined;
  /** Counts a call against budgets; the budget without room for it, if any. */
  readonly countCall?: BudgetLedger["countCall"] | undefined;
  /** The user's accounts at other services. */
  readonly connections?: CallConnections | undefined;
  /** What sessions have read. */
  readonly labels?: LabelStore | undefined;
  /** Larger outputs are truncated, with a note for the model. */
  readonly maxOutputChars: number;
}

export interface Gate {
  call(request: GateRequest): Promise<GateOutcome>;
  /** What would happen to this call, with these rules or those in effect. Runs nothing and records nothing. */
  check(request: GateRequest, rules?: AskRules): Promise<Judgement>;
}

/** The gate's decision and its rule, before anything runs. */
export type Judgement = (
  | { readonly kind: "run"; readonly tool: RuntimeTool; readonly input: unknown; readonly call: HookCall }
  | Exclude<GateOutcome, { kind: "done" }>
) & {
  readonly ruled?: RuleDecision | undefined;
  /** Rules that count the call once it is made. */
  readonly counts?: Ruling["counts"] | undefined;
};

export function createGate(parts: GateParts): Gate {
  return {
    async call(request) {
      const startedAt = performance.now();
      if (request.path === "replay") return replay(request, parts);
      const outcome = await judgeAndRun(request, parts);
      record(request, outcome, startedAt, parts);
      return outcome;
    },
    check: (request, rules = parts.rules) => judge(request, { ...parts, rules }),
  };
}

/** A recorded answer leaves no call record: nothing ran, and nothing was refused. */
async function replay(request: GateRequest, parts: GateParts): Promise<GateOutcome> {
  const startedAt = performance.now();
  const { outcome, isAnswered } = await replayedOutcome(request, {
    judge: (rules) => judge(request, { ...parts, rules: rules ?? parts.rules }),
    runReading: () =>
      judgeAndRun(request, {
        ...parts,
        labels: undefined, // the recorded session has read nothing new
        contextFor: (...asked) => readOnlyContext(parts.contextFor(...asked), request.replayed),
      }),
  });
  if (!isAnswered) record(request, outcome, startedAt, parts);
  return outcome;
}

function record(
  request: GateRequest,
  outcome: RuledOutcome,
  startedAt: number,
  parts: Pick<GateParts, "record" | "now">,
): void {
  const latencyMs = Math.round(performance.now() - startedAt);
  parts.record(recordOf(request, outcome, { at: parts.now(), latencyMs }));
}

async function judgeAndRun(request: GateRequest, parts: GateParts): Promise<RuledOutcome> {
  const judged = await judge(request, parts);
  if (judged.kind === "client") return countedJudgement(request, judged, parts);
  if (judged.kind !== "run") return judged;
  const mayRead = request.replayed?.testsPrograms ? claimsToRead : mayRunInReplay;
  if (request.path === "replay" && !mayRead(judged.tool.tool))
    return refuse(fail("replay_effect", { tool: judged.tool.name }).failure, judged.tool.capabilityId);
  const { tool, input, call } = judged;
  if (request.signal.aborted) {
    return refuse(fail("cancelled", { what: `The call of "${tool.name}"` }).failure, tool.capabilityId);
  }
  const connected = (await parts.connections?.prepare(connectingCall(request), tool)) ?? ok(undefined);
  if (!connected.ok) return refuse(connected.failure, tool.capabilityId);
  const over = await overBudget(request, tool, input, parts);
  if (over) return over;
  const counted = await countedJudgement(request, judged, parts);
  if (counted.kind !== "run") return counted;
  await addLabels(request, tool, parts);
  const outcome = await runTool(request, tool, input, call, { ...parts, connected: connected.value });
  return judged.ruled ? { ...outcome, ruled: judged.ruled } : outcome;
}

const MOST_JUDGED = 5;

/** Counts the call for rules that limit. When another call took the last place, the rules decide again. */
async function countedJudgement<J extends Judgement>(
  request: GateRequest,
  judged: J,
  parts: GateParts,
): Promise<Exclude<Judgement, { kind: "run" }> | J> {
  let current: Judgement = judged;
  for (let times = 1; times <= MOST_JUDGED; times++) {
    if (current.kind !== judged.kind) return current as Exclude<Judgement, { kind: "run" }>;
    const { counts = [] } = current;
    if (counts.length === 0 || (await parts.takeCounts?.(counts, parts.now()))) return judged;
    current = await judge(request, parts);
  }
  return refuse(fail("tool_denied", { tool: request.tool, why: "too many calls at once" }).failure);
}

const connectingCall = ({ agent, user, callId, runId, sessionId }: GateRequest) => ({
  agentId: agent.spec.id,
  userEmail: user.email,
  callId,
  runId,
  sessionId,
});

/** Counts the call against budgets of calls. What a person approved counts too, and is made. */
async function overBudget(
  request: GateRequest,
  tool: RuntimeTool,
  input: unknown,
  { countCall }: GateParts,
): Promise<GateOutcome | undefined> {
  const { agent, user, approved = false } = request;
  const spender = { agentId: agent.spec.id, user: user.email, capabilityId: tool.capabilityId };
  const usedUp = await countCall?.(spender, approved);
  if (!usedUp) return undefined;
  const { failure } = fail("budget_used_up", usedUpFacts(usedUp));
  return usedUp.budget.atLimit === "ask"
    ? { kind: "approval", why: failure.message, tool, input, allowable: false }
    : refuse(failure, tool.capabilityId);
}

/** Stored before the tool runs: a killed process must not forget what was read. */
async function addLabels(request: GateRequest, tool: RuntimeTool, { labels }: GateParts): Promise<void> {
  const { sessionId, runId, callId } = request;
  const brought = labelsOf(flowOf(tool.tool, tool.config));
  if (sessionId === undefined || brought.length === 0) return;
  await labels?.add(sessionId, brought, { tool: tool.name, capabilityId: tool.capabilityId, runId, callId });
}

/** The policy, the rules and the hooks together; the strictest of them counts. */
async function judge(
  request: GateRequest,
  parts: Pick<GateParts, "rules" | "now" | "labels">,
): Promise<Judgement> {
  const decided = decide(request, request.approved ?? false);
  if (decided.decision === "refuse") return refuse(decided.failure, decided.capabilityId);
  const { tool, input } = decided;
  const { decision: ruled, counts } = await askRules(request, tool, input, parts);
  if (ruled?.effect === "deny") return { ...refuse(ruleDenial(tool, ruled), tool.capabilityId), ruled };
  const call = hookCall(request, tool, input);
  const verdict = await askHooks(request.agent, call);
  if (verdict.policy === "deny") {
    return refuse(fail("tool_denied", { tool: tool.name, why: verdict.why }).failure, tool.capabilityId);
  }
  const question = ruled?.effect === "ask" ? ruled : undefined;
  const isChecked = question !== undefined || verdict.policy === "approve";
  if (!request.approved && (isChecked || (await isAskedByPolicy(request, decided, ruled)))) {
    const allowable = isAllowable(tool, isChecked);
    return { kind: "approval", tool, input, allowable, ...questionOf(question, verdict) };
  }
  return isClients(decided)
    ? { kind: "client", tool, input, ruled, counts }
    : { kind: "run", tool, input, call, ruled, counts };
}

/** A rule's question comes before a capability's, but where the capability asks an admin, no rule can name somebody else. */
function questionOf(asked: RuleDecision | undefined, { why, whom }: { why: string; whom?: "admin" }) {
  const ask = whom ? { ...asked?.rule.ask, whom } : asked?.rule.ask;
  return asked ? { why: asked.why, ask, ruled: asked } : { why, ask };
}

/** `approve` stands before `client`: once it is allowed, a client's tool is still the client's. */
const isClients = ({ decision, tool }: { decision: string; tool: RuntimeTool }): boolean =>
  decision === "client" || (decision === "approve" && tool.tool.policy === "client");

const decide = (request: GateRequest, approved: boolean) =>
  decideCall(request, request.agent, {
    actor: ACTOR_BY_PATH[request.path],
    scopes: request.agent.scopes,
    hasSession: request.sessionId !== undefined,
    budgets: request.budgets ?? [],
    approved,
  });

/** Whether an approval may apply to the rest of the session: not where a rule or a check asks about this call. */
const isAllowable = ({ tool }: RuntimeTool, isChecked: boolean): boolean => !isChecked && !tool.changesRights;

const isAskedByPolicy = async (
  request: GateRequest,
  { decision, tool }: { decision: string; tool: RuntimeTool },
  ruled: RuleDecision | undefined,
): Promise<boolean> =>
  decision === "approve" && !isAllowedBy(ruled, tool) && !(await isAllowedInSession(request, tool));

/** A person may lift it for the rest of a session; the same limits apply. */
const isAllowedInSession = async (request: GateRequest, tool: RuntimeTool): Promise<boolean> =>
  !tool.tool.changesRights && (await request.isAllowed?.(tool)) === true;

/** A rule may waive the approval a policy requires, but never a denial, and never for calls that change rights. */
const isAllowedBy = (ruled: RuleDecision | undefined, { tool }: RuntimeTool): boolean =>
  ruled?.effect === "allow" && !tool.changesRights;

async function runTool(
  request: GateRequest,
  tool: RuntimeTool,
  input: unknown,
  call: HookCall,
  parts: GateParts & { readonly connected: ConnectedCall | undefined },
): Promise<GateOutcome> {
  const startedAt = performance.now();
  const took = () => Math.round(performance.now() - startedAt);
  const failed = (failure: Failure): GateOutcome => ({
    kind: "refused",
    ran: true,
    failure,
    capabilityId: tool.capabilityId,
    durationMs: took(),
  });
  const { connected } = parts;
  const ran = await runWithin(tool, request.signal, (signal) => {
    const context = parts.contextFor(request, tool, signal);
    return tool.tool.run(input, connected?.enter(context) ?? context);
  });
  const lost = connected?.lost && parts.connections?.refuse(connectingCall(request), tool, connected.lost);
  const result = lost ?? (connected ? withoutSecrets(ran, connected) : ran);
  if (!result.ok) return failed(result.failure);
  const checked = tool.tool.output?.parse(result.value);
  if (checked && !checked.ok) {
    return failed(fail("tool_output_invalid", { tool: tool.name, where: checked.where }).failure);
  }
  const after = await runAfterHooks(
    request.agent,
    call,
    cappedOutput(checked ? checked.value : result.value, parts.maxOutputChars),
  );
  if ("failure" in after) return failed(after.failure);
  return { kind: "done", output: after.output, capabilityId: tool.capabilityId, durationMs: took() };
}

/** A tool must not repeat secrets that only the provider may see. */
function withoutSecrets(ran: Result<unknown>, { redact }: ConnectedCall): Result<unknown> {
  const json = JSON.stringify(ran);
  const clean = redact(json);
  return clean === json ? ran : (JSON.parse(clean) as Result<unknown>);
}

const refuse = (failure: Failure, capabilityId?: string): Extract<GateOutcome, { kind: "refused" }> => ({
  kind: "refused",
  ran: false,
  failure,
  ...(capabilityId !== undefined && { capabilityId }),
  durationMs: 0,
});

function hookCall(request: GateRequest, tool: RuntimeTool, input: unknown): HookCall {
  return {
    tool: tool.name,
    capabilityId: tool.capabilityId,
    input,
    user: request.user.email,
    ...(request.sessionId !== undefined && { sessionId: request.sessionId }),
  };
}
