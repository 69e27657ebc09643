/**
 * Budgets around a model call: reserved before it, settled after. Where only reservations of other calls are in the way,
 * the run waits until they settle. Without room it waits for an admin or the next period, or fails.
 */
import { fail, type RuntimeAgent } from "@capstan/core";
import { amountText } from "@capstan/core/internal";
import { uuidv7 } from "uuidv7";
import type { Estimate, Reserving, UsedUp } from "../../budgets/budget-ledger.ts";
import { isOnlyReserved, usedUpFacts } from "../../budgets/used-up.ts";
import type { ResolvedModel } from "../../providers/models.ts";
import type { Answer } from "../claim/claimed-segment.ts";
import type { RunContext, StepUsage } from "../context/run-context.ts";
import { costUsd } from "../context/run-meter.ts";
import { modelNames } from "../model/fallback.ts";
import { ANSWER_TOKENS, guessTokens } from "../model/fit-conversation.ts";
import { failRun, type SegmentEnd, suspendRun } from "./run-endings.ts";
import { noWaits } from "./waits.ts";

/** The call id of a question about a budget; never the id of a tool call. */
const BUDGET_CALL = "budget:";
const MORE_BY_DEFAULT = 0.25; // of the limit
const SETTLING_MS = 200;
// Longer than most model calls. A program reserves until it ends, and may itself wait for a run that it started.
const LONGEST_SETTLING_MS = 30_000;
const PROGRAM_USD = 1; // reserved for a coding agent's program without a limit of its own
const PROGRAM_TOKENS = 200_000;

/** Undefined when the model may be asked. */
export async function reserveBudgets(
  context: RunContext,
  agent: RuntimeAgent,
  estimate: () => Promise<Estimate>,
): Promise<SegmentEnd | undefined> {
  const { budgets } = context.engine.parts;
  if (!budgets) return undefined;
  const denied = context.claim.answers.find(isDenial);
  if (denied) return failRun(context, fail("budget_denied", { by: denied.by, words: denied.words }).failure);
  const { runId, userEmail: user } = context.claim;
  const reserving = await reserveInTime(context, () =>
    budgets.reserve(runId, { agentId: agent.spec.id, user }, estimate),
  );
  if (reserving.kind === "unpriced") {
    const { name } = reserving.budget;
    return failRun(context, fail("budget_unpriced", { budget: name, model: context.seen.model }).failure);
  }
  if (reserving.kind === "used_up") return stopAtLimit(context, agent, reserving.usedUp);
  context.hasReserved = reserving.counted;
  return undefined;
}

/** Reservations of other calls are waited for, and the next period if the budget says so, as long as the run has time. */
async function reserveInTime(context: RunContext, reserve: () => Promise<Reserving>): Promise<Reserving> {
  const { engine, meter, signal } = context;
  const user = context.claim.userEmail;
  const reserving = await reserve();
  if (reserving.kind !== "used_up") return reserving;
  const nowMs = () => engine.now().getTime();
  const settledMs = nowMs() + LONGEST_SETTLING_MS;
  let isTold = false;
  const nextTry = (usedUp: UsedUp): Date | undefined => {
    const isSettling = isOnlyReserved(usedUp) && nowMs() < settledMs;
    if (!isSettling && usedUp.budget.atLimit !== "wait") return undefined;
    const moment = isSettling ? new Date(nowMs() + SETTLING_MS) : usedUp.endsAt;
    if (moment.getTime() - nowMs() > meter.leftMs) return undefined;
    const { budget, until } = usedUpFacts(usedUp);
    if (!isSettling && !isTold) context.warn(`The budget "${budget}" is used up; waiting until ${until}.`);
    isTold ||= !isSettling;
    return moment;
  };
  if (!nextTry(reserving.usedUp)) return reserving;
  const weight = () => engine.places.weightOf(user);
  return context.outOfPlace(() =>
    engine.budgetWaits.wait(reserving.usedUp, { user, weight, reserve, nextTry, signal }),
  );
}

const isDenial = ({ callId, status }: Answer): boolean =>
  callId.startsWith(BUDGET_CALL) && status === "denied";

function stopAtLimit(context: RunContext, agent: RuntimeAgent, usedUp: UsedUp): Promise<SegmentEnd> {
  return usedUp.budget.atLimit === "ask"
    ? askForMore(context, agent, usedUp)
    : failRun(context, fail("budget_used_up", usedUpFacts(usedUp)).failure);
}

/** Ends the segment with a question to the admins; it expires with the period, and the run then continues in the next. */
async function askForMore(context: RunContext, agent: RuntimeAgent, usedUp: UsedUp): Promise<SegmentEnd> {
  const { claim, engine } = context;
  const { budget, subject, startsAt, endsAt, spent } = usedUp;
  const id = uuidv7();
  const expiresAt = endsAt.toISOString();
  const { spent: used, limit } = usedUpFacts(usedUp);
  const reason = `The budget "${budget.name}" is used up: ${used} of ${limit}.`;
  const args = {
    budget_id: budget.id,
    budget: budget.name,
    subject,
    period_start: startsAt.toISOString(),
    measure: budget.measure,
    limit: budget.limit,
    spent,
    more: budget.limit * MORE_BY_DEFAULT,
  };
  const waits = noWaits(agent.spec.approvalExpiry);
  const afterSeconds = Math.max(1, Math.ceil((endsAt.getTime() - engine.now().getTime()) / 1000));
  waits.approvals.push({
    id,
    kind: "budget",
    agent_id: context.agentId,
    user_email: claim.userEmail,
    capability_id: "budget",
    tool: "spend_more",
    call_id: `${BUDGET_CALL}${budget.id}`,
    arguments: args,
    pin: "",
    assignee: engine.parts.rightsApprover ?? claim.userEmail,
    reason,
    allowable: false,
    expiry: { policy: "expire", afterSeconds },
    expires_at: expiresAt,
  });
  waits.interrupts.push({
    id,
    reason: "budget",
    message: `${reason} Allow ${amountText(budget.measure, args.more)} more?`,
    responseSchema: MORE_SCHEMA,
    expiresAt,
    metadata: { budget: budget.name, arguments: args },
  });
  return suspendRun(context, waits);
}

const MORE_SCHEMA = {
  type: "object",
  properties: {
    approved: { type: "boolean" },
    editedArgs: { type: "object", properties: { more: { type: "number", exclusiveMinimum: 0 } } },
    reason: { type: "string" },
  },
  required: ["approved"],
};

/** The most that the next answer may cost: the whole conversation and a full-length answer by the most expensive model. */
export async function modelEstimate(context: RunContext, agent: RuntimeAgent): Promise<Estimate> {
  const { models } = context.engine.parts;
  const found = await Promise.all(modelNames(context, agent).map((name) => models.resolve(name)));
  const tools = context.visibleTools(agent).map(({ tool }) => [tool.description, tool.input.jsonSchema]);
  const inputTokens = guessTokens(agent.systemPrompt + JSON.stringify([context.messages, tools]));
  const estimates = found.flatMap((model) => (model.ok ? [estimateFor(model.value, inputTokens)] : []));
  const unknown = estimates.find(({ costUsd: cost }) => cost === undefined);
  context.seen.model = unknown?.name ?? context.seen.model;
  return {
    costUsd: unknown ? undefined : Math.max(0, ...estimates.map(({ costUsd: cost = 0 }) => cost)),
    tokens: Math.max(0, ...estimates.map(({ tokens }) => tokens)),
  };
}

export function estimateFor(model: ResolvedModel, asked: number): Estimate & { readonly name: string } {
  const { prices, isFree, contextWindow, maxOutputTokens = ANSWER_TOKENS, name } = model;
  const inputTokens = Math.min(asked, contextWindow);
  const outputTokens = Math.min(maxOutputTokens, ANSWER_TOKENS);
  const known = prices ? costUsd(prices, { inputTokens, outputTokens }) : undefined;
  return { name, costUsd: isFree ? 0 : known, tokens: inputTokens + outputTokens };
}

/** A program makes many model calls; its limit is what is reserved. */
export const programEstimate = ({ meter: { left } }: RunContext): Estimate => ({
  costUsd: Math.min(left.maxCostUsd ?? PROGRAM_USD, PROGRAM_USD),
  tokens: Math.min(left.maxTokens ?? PROGRAM_TOKENS, PROGRAM_TOKENS),
});

/** The limit in US dollars for a program whose spending is reserved. */
export const programLimit = (context: RunContext): number | undefined =>
  context.hasReserved ? programEstimate(context).costUsd : context.meter.left.maxCostUsd;

export async function settleAnswer(context: RunContext, answer: StepUsage): Promise<void> {
  if (!context.hasReserved) return;
  const { usage, prices } = answer;
  const isReported = usage.totalTokens !== undefined;
  await settle(context, {
    costUsd: isReported ? (answer.costUsd ?? costUsd(prices, usage)) : undefined,
    tokens: usage.totalTokens,
  });
}

/** Settles what the meter has counted since `before`; runs that this one started settle their own. */
export async function settleSince(context: RunContext, before: Estimate): Promise<void> {
  if (!context.hasReserved) return;
  const now = spentSoFar(context);
  await settle(context, {
    costUsd: (now.costUsd ?? 0) - (before.costUsd ?? 0),
    tokens: now.tokens - before.tokens,
  });
}

export function spentSoFar({ meter: { usage } }: RunContext): Estimate {
  const tokens = usage.tokens.reduce((sum, { totalTokens = 0 }) => sum + totalTokens, 0);
  return { costUsd: usage.costUsd - (usage.childCostUsd ?? 0), tokens };
}

async function settle(
  context: RunContext,
  spent: { costUsd: number | undefined; tokens: number | undefined },
) {
  context.hasReserved = false;
  await context.engine.parts.budgets?.settle(context.claim.runId, spent);
}

/** After a call that was not made or was interrupted. */
export async function releaseBudgets(context: RunContext): Promise<void> {
  if (!context.hasReserved) return;
  context.hasReserved = false;
  await context.engine.parts.budgets?.release(context.claim.runId);
}
