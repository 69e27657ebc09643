/**
 * The step of a run whose agent runs in a coding agent's program: from the program's start, or from where it waits, to its
 * end. The conversation is the journal; the program's own session only makes resuming cheap.
 */
import { type Failure, fail, ok, type Result, type RuntimeAgent } from "@capstan/core";
import {
  type ApprovalExpiry,
  cappedExpiry,
  NATIVE_AGENT,
  pendingCalls,
  type RunEnded,
  type ToolCallPart,
} from "@capstan/core/internal";
import { withoutRunTools } from "../context/engine-tools.ts";
import type { Engine, RunContext } from "../context/run-context.ts";
import type { HarnessDriver } from "../contract/harness-driver.ts";
import { callTools, refusal, storeResult } from "../steps/call-tools.ts";
import { concludeRun, failRun, handOverRun, type SegmentEnd, suspendRun } from "../steps/run-endings.ts";
import { programEstimate, programLimit, reserveBudgets, settleSince, spentSoFar } from "../steps/spend.ts";
import { nothingWaits } from "../steps/waits.ts";
import { type HarnessLink, pauseLink, readLink, writeLink } from "./harness-link.ts";
import { type HarnessPrompt, promptAfter, promptAfterCrash } from "./harness-prompt.ts";
import type { IdleHarnesses } from "./idle-harnesses.ts";
import { type HarnessEnd, LiveHarness } from "./live-harness.ts";
import { lateAnswer } from "./native-question.ts";

export const isHarnessed = ({ spec }: RuntimeAgent): boolean => spec.harness !== NATIVE_AGENT;

/** The driver of the agent's harness; otherwise a refusal with the next step. */
export function driverFor({ parts }: Pick<Engine, "parts">, { spec }: RuntimeAgent): Result<HarnessDriver> {
  const driver = parts.harness?.(spec.harness);
  if (driver) return ok(driver);
  return fail("not_available", {
    what: `The harness "${spec.harness}"`,
    why: "this server does not run coding agents",
    nextStep: `Set the agent's harness to "${NATIVE_AGENT}".`,
  });
}

/** Undefined when the run continues: with another agent, or with a new program. */
export async function harnessStep(
  context: RunContext,
  agent: RuntimeAgent,
  idle: IdleHarnesses,
): Promise<SegmentEnd | undefined> {
  context.harness = agent.spec.harness;
  context.seen.model = context.claim.input.model ?? agent.spec.model ?? agent.spec.harness;
  const waiting = idle.take(context.claim.runId);
  if (waiting) return continueHarness(context, agent, waiting, idle);
  const calls = pendingCalls(context.messages);
  if (calls.length > 0) return makeCalls(context, agent, calls);
  if (context.engine.draining()) return handOverRun(context);
  const spent = context.meter.exceeded;
  if (spent) return failRun(context, spent);
  const checks = await context.engine.parts.textChecks?.(agent.spec.id, context.engine.now());
  if (checks?.[0] || agent.hooks.some(({ hooks }) => hooks.beforeText))
    return failRun(context, fail("text_unchecked", { harness: agent.spec.harness }).failure);
  const stopped = await reserveBudgets(context, agent, async () => programEstimate(context));
  return (
    stopped ??
    withinBudgets(context, async () => {
      const begun = await begin(context, agent);
      return begun.ok
        ? driveHarness(context, begun.value, agent.spec.approvalExpiry, idle)
        : failRun(context, begun.failure);
    })
  );
}

/** A program that has waited for an answer continues; without room in a budget it waits on. */
async function continueHarness(
  context: RunContext,
  agent: RuntimeAgent,
  live: LiveHarness,
  idle: IdleHarnesses,
): Promise<SegmentEnd | undefined> {
  const stopped = await reserveBudgets(context, agent, async () => programEstimate(context));
  if (stopped === "waiting") idle.add(context.claim.runId, live);
  else if (stopped) live.discard();
  return (
    stopped ?? withinBudgets(context, () => driveHarness(context, { live }, agent.spec.approvalExpiry, idle))
  );
}

/** Settles what the program used, however it ends. */
async function withinBudgets<T>(context: RunContext, drive: () => Promise<T>): Promise<T> {
  const before = spentSoFar(context);
  try {
    return await drive();
  } finally {
    await settleSince(context, before);
  }
}

/** Calls whose program has ended: makes calls of the agent's tools; the program gets the results when it is resumed. */
async function makeCalls(
  context: RunContext,
  agent: RuntimeAgent,
  calls: readonly ToolCallPart[],
): Promise<SegmentEnd | undefined> {
  const own = new Set([...agent.tools, ...agent.hidden].map(({ name }) => name));
  for (const call of calls.filter(({ toolName }) => !own.has(toolName))) {
    const answer = context.claim.answers.find(({ callId }) => callId === call.toolCallId);
    await storeResult(context, call, refusal(lateAnswer(call, answer)));
  }
  const waits = await callTools(
    context,
    agent,
    calls.filter(({ toolName }) => own.has(toolName)),
  );
  return nothingWaits(waits) ? undefined : suspendRun(context, waits);
}

interface Begun {
  readonly live: LiveHarness;
  /** How the program was resumed, if it was. */
  readonly resumed?: "after a crash" | "with a message" | undefined;
}

async function begin(context: RunContext, agent: RuntimeAgent): Promise<Result<Begun>> {
  const { engine, claim } = context;
  const driver = driverFor(engine, agent);
  if (!driver.ok) return driver;
  const { name } = driver.value;
  const offered = (await driver.value.takesTools()) ? agent : withoutRunTools(agent);
  const facts = await driver.value.check(offered, claim.input.model);
  if (!facts.ok) return facts;
  const link = await readLink(engine.parts.database.pool, claim.sessionId);
  const opening = openingOf(context, link?.harness === name && facts.value.canResume ? link : undefined);
  const crashed = hasCrashed(context, link);
  if (crashed && opening.resume === undefined) {
    return fail("harness_lost", { harness: name, why: "it was stopped, and has no session to resume" });
  }
  const live = new LiveHarness(context, driver.value, facts.value);
  const request = { ...requestOf(context, offered), ...opening, recovers: crashed, call: live.call };
  const process = await driver.value.start(request);
  if (!process.ok) return process;
  live.cliSession = opening.resume;
  live.onSession = (now) => {
    note(now, live).catch((error) => engine.parts.onError?.(error, `session of ${name}`));
  };
  live.begin(process.value);
  return ok({
    live,
    ...(opening.resume !== undefined && { resumed: crashed ? "after a crash" : "with a message" }),
  });
}

/** Records that a program runs and knows the stored conversation. */
async function note(context: RunContext, { cliSession = null }: { cliSession?: string | null | undefined }) {
  const { engine, claim, harness = "", messages } = context;
  const knows = messages.at(-1)?.id ?? "";
  await writeLink(engine.parts.database.pool, claim, { harness, cliSession, active: true, knows });
}

function requestOf(context: RunContext, agent: RuntimeAgent) {
  const { claim, meter } = context;
  const maxCostUsd = programLimit(context);
  return {
    runId: claim.runId,
    sessionId: claim.sessionId,
    userEmail: claim.userEmail,
    agent,
    model: claim.input.model ?? agent.spec.model,
    reasoning: claim.input.reasoning,
    maxTurns: Math.max(1, meter.limits.maxSteps - meter.usage.steps),
    ...(maxCostUsd !== undefined && { maxCostUsd }),
  };
}

const hasCrashed = ({ claim }: RunContext, link: HarnessLink | undefined): boolean =>
  link?.active === true && link.runId === claim.runId;

/** The program's prompt, and which of its sessions it resumes. */
function openingOf(
  context: RunContext,
  link: HarnessLink | undefined,
): HarnessPrompt & { readonly resume?: string } {
  const { messages, claim } = context;
  const resume = link?.cliSession ?? undefined;
  if (!link || resume === undefined) return promptAfter(messages, undefined);
  if (hasCrashed(context, link)) {
    return { ...promptAfterCrash(messages, messages.slice(claim.messages.length)), resume };
  }
  if (!messages.some(({ id }) => id === link.knows)) return promptAfter(messages, undefined);
  return { ...promptAfter(messages, link.knows), resume };
}

async function driveHarness(
  context: RunContext,
  begun: Begun,
  expiry: ApprovalExpiry,
  idle: IdleHarnesses,
): Promise<SegmentEnd | undefined> {
  const { live } = begun;
  let end: HarnessEnd;
  try {
    await note(context, live);
    // A program that cannot be resumed must be kept for the answer.
    end = await live.drive(context, live.facts.canResume ? expiry : cappedExpiry(expiry, idle.waitMs / 1000));
  } catch (error) {
    live.discard();
    if (!context.engine.draining()) await pause(context); // a stopping process leaves the same rows as a killed one
    throw error;
  }
  if (end.kind === "waiting") return suspendHarness(context, live, end, idle);
  if (end.kind === "ended") return endHarness(context, begun, end.event);
  live.discard();
  await pause(context);
  return undefined;
}

async function suspendHarness(
  context: RunContext,
  live: LiveHarness,
  { waits }: Extract<HarnessEnd, { kind: "waiting" }>,
  idle: IdleHarnesses,
): Promise<SegmentEnd> {
  const { claim } = context;
  const message = live.waitingMessage(context);
  context.messages.push(...message.map((each) => each.message));
  if (message.length > 0) await context.log.commit(message);
  await pause(context);
  idle.add(claim.runId, live);
  try {
    return await suspendRun(context, waits);
  } catch (error) {
    idle.drop(claim.runId);
    throw error;
  }
}

async function endHarness(
  context: RunContext,
  { live, resumed }: Begun,
  event: RunEnded,
): Promise<SegmentEnd | undefined> {
  if (event.outcome === "done") {
    const last = live.finalMessage(context);
    await pause(context);
    return concludeRun(context, last);
  }
  const harness = context.harness ?? "";
  if (resumed && isSessionLost(live, event)) {
    if (resumed === "with a message") return startAnew(context, harness);
    const why = event.message ?? "its session is lost";
    return failRun(context, fail("harness_lost", { harness, why }).failure);
  }
  live.partial(context);
  await pause(context);
  return failRun(context, failureOf(context, harness, event));
}

/** The program ended before any output, and no provider refused. */
const isSessionLost = ({ wasHeard }: LiveHarness, { outcome, status, code }: RunEnded): boolean =>
  !wasHeard && outcome === "failed" && status === undefined && (code === undefined || PERHAPS_LOST.has(code));

/** It reports that the session is unknown, or gives no known reason. */
const PERHAPS_LOST: ReadonlySet<string> = new Set([
  "coding_agent_session_unknown",
  "coding_agent_failed",
  "coding_agent_protocol_broken",
]);
const DIED: ReadonlySet<string> = new Set(["coding_agent_killed", "coding_agent_protocol_broken"]);

/** The program's session is lost: the next start sends it the conversation. */
async function startAnew(context: RunContext, harness: string): Promise<undefined> {
  const { engine, claim } = context;
  const knows = context.messages.at(-1)?.id ?? "";
  const gone = { harness, cliSession: null, active: false, knows };
  await writeLink(engine.parts.database.pool, claim, gone);
  context.warn(`${harness} no longer has its session; the conversation was sent again.`);
}

function failureOf({ meter }: RunContext, harness: string, event: RunEnded): Failure {
  const { outcome, limit, message = "it stopped before it finished", status, code, nextStep } = event;
  const { limits, usage } = meter;
  if (outcome === "aborted" || (code !== undefined && DIED.has(code)))
    return fail("harness_lost", { harness, why: message }).failure;
  if (limit === "turns") return fail("run_step_limit", { limit: limits.maxSteps }).failure;
  if (limit === "cost") {
    return fail("run_cost_limit", { limitUsd: limits.maxCostUsd ?? 0, usedUsd: usage.costUsd }).failure;
  }
  if (limit === "tokens") {
    return fail("run_token_limit", { limit: limits.maxTokens ?? 0, used: meter.totalTokens }).failure;
  }
  return fail("harness_failed", { harness, message, status, reason: code, advice: nextStep }).failure;
}

/** Records that the program has ended and knows the stored conversation. */
async function pause({ engine, claim, messages }: RunContext): Promise<void> {
  await pauseLink(engine.parts.database.pool, claim, messages.at(-1)?.id ?? "");
}
