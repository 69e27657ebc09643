/**
 * Continues a session in another program: decides how (which model, with or without the agent's thinking), reports in
 * advance what is carried over, and refuses what the program could not do as safely.
 */
import { fail, ok, type Result, type RuntimeAgent } from "@capstan/core";
import { type ContinueIn, type ConversationMessage, inProgram, NATIVE_AGENT } from "@capstan/core/internal";
import {
  type Compatibility,
  type Composer,
  compatibilityOf,
  countFiles,
  type Database,
  type HarnessFacts,
  type Runs,
  type SessionRecord,
} from "@capstan/runtime";
import type { Harnesses } from "../harness/open-harnesses.ts";
import { type Caller, isAdmin } from "../http/caller.ts";
import type { ServerModels } from "../models/models.ts";

export interface ContinueParts {
  readonly composer: Composer;
  readonly harnesses: Harnesses;
  readonly models: ServerModels;
  readonly runs: Runs;
  readonly database: Database;
}

export interface ContinueReport extends Compatibility {
  readonly from: ContinueIn;
  readonly to: ContinueIn;
  /** How the session is to be stored; a refusal when it cannot continue there. */
  readonly settled: Result<ContinueIn>;
}

const PAGE = 500;

/** Nothing changes: what would happen. */
export async function continueReport(
  parts: ContinueParts,
  session: SessionRecord,
  to: ContinueIn,
  caller: Caller,
): Promise<Result<ContinueReport>> {
  const agent = await agentOf(parts, session);
  if (!agent.ok) return agent;
  const now = inProgram(agent.value, session.continueIn);
  const settled = await settleFor(parts, agent.value, to, caller);
  const then = inProgram(agent.value, settled.ok ? settled.value : to);
  const [messages, files] = await Promise.all([
    conversation(parts.runs, session.id),
    countFiles(parts.database.pool, session.id),
  ]);
  return ok({
    ...compatibilityOf({ now, then, messages, files }),
    from: place(now),
    to: place(then),
    settled,
  });
}

/** How the session continues there, or why it cannot. */
export async function continueSession(
  parts: ContinueParts,
  session: SessionRecord,
  to: ContinueIn,
  caller: Caller,
): Promise<Result<ContinueIn>> {
  const agent = await agentOf(parts, session);
  return agent.ok ? settleFor(parts, agent.value, to, caller) : agent;
}

/** Whoever may not save an agent with this harness may not bring a session into it either. */
async function settleFor(
  parts: ContinueParts,
  agent: RuntimeAgent,
  to: ContinueIn,
  caller: Caller,
): Promise<Result<ContinueIn>> {
  const isOwn = to.harness === NATIVE_AGENT || to.harness === agent.spec.harness;
  if (isOwn || isAdmin(caller)) return settle(parts, agent, to);
  return fail("forbidden", {
    message: `'${to.harness}' runs a program on the server's machine, and this agent is not set up for it.`,
    nextStep: "Ask an admin to continue the session there, or to save an agent with that harness.",
  });
}

async function agentOf({ composer }: ContinueParts, session: SessionRecord): Promise<Result<RuntimeAgent>> {
  if (session.agentId !== null) return composer.composeFor(session.agentId, session.owner, session.follows);
  return fail("conflict", {
    message: "The session has no agent.",
    nextStep: "Set its agent_id with PATCH /v1/sessions/{id} first.",
  });
}

/** The agent's choices as far as the program supports them: model and thinking, else thinking, else neither. */
async function settle(
  parts: ContinueParts,
  agent: RuntimeAgent,
  to: ContinueIn,
): Promise<Result<ContinueIn>> {
  const { harness } = to;
  const model = to.model ?? agent.spec.model;
  const whole: ContinueIn = { harness, ...(model !== undefined && { model }) };
  const fallbacks: ContinueIn[] = to.model === undefined ? [{ harness }] : [];
  const candidates = [whole, ...fallbacks].flatMap((each) => [each, { ...each, withoutThinking: true }]);
  let refused: Result<ContinueIn> = ok(to);
  for (const candidate of candidates) {
    const can = await canContinue(parts, agent, candidate);
    if (can.ok) return ok(candidate);
    refused = can; // the reason that stays when the program is asked for least
  }
  return refused;
}

async function canContinue(
  { harnesses, models }: ContinueParts,
  agent: RuntimeAgent,
  to: ContinueIn,
): Promise<Result<unknown>> {
  const then = inProgram(agent, to);
  if (to.harness === NATIVE_AGENT) {
    if (then.spec.thinkingBudget !== undefined) return fail("input_invalid", { where: "thinking_budget" });
    return models.check(to.model);
  }
  const facts = await harnesses.driver(to.harness).check(then);
  return facts.ok ? stillAsks(agent, to, facts.value) : facts;
}

/** A program without approvals would run its own tools unasked; only an agent that names it has chosen that. */
function stillAsks({ spec }: RuntimeAgent, { harness }: ContinueIn, facts: HarnessFacts): Result<true> {
  const asks = facts.approvalModes.includes("prompt") || !spec.allowNativeTools;
  return asks || spec.harness === harness ? ok(true) : fail("continue_unasked", { harness });
}

const place = ({ spec }: RuntimeAgent): ContinueIn => ({
  harness: spec.harness,
  ...(spec.model !== undefined && { model: spec.model }),
});

async function conversation(runs: Runs, sessionId: string): Promise<ConversationMessage[]> {
  const all: ConversationMessage[] = [];
  for (let after: number | undefined = -1; after !== undefined; ) {
    const page: Awaited<ReturnType<Runs["messages"]>> = await runs.messages(sessionId, {
      limit: PAGE,
      after,
    });
    all.push(...page.items);
    after = page.nextAfter;
  }
  return all;
}
