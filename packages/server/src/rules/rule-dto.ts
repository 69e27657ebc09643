/** Converts rules between the API and the code. */
import {
  camelKeys,
  type Rule,
  type RuleCheckResult,
  type RuleCreate,
  type RuleSimulation,
  snakeKeys,
} from "@capstan/client/wire";
import { type Rule as CoreRule, type RuleAsk, ruleSentence } from "@capstan/core/internal";
import type { Explained, RuleDraft, RuleRecord, SimulatedCall, Simulation } from "@capstan/runtime";
import type { z } from "@hono/zod-openapi";

type Created = z.output<typeof RuleCreate>;

export const ruleDto = (rule: RuleRecord): Rule => ({
  id: rule.id,
  ...fieldsOf(rule),
  sentence: ruleSentence(rule),
  created_by: rule.createdBy,
  created_at: rule.createdAt.toISOString(),
  updated_at: rule.updatedAt.toISOString(),
});

/** The fields a client may send, as the API names them. */
export const fieldsOf = ({
  name,
  agentId,
  tools,
  when,
  effect,
  limit,
  ask,
  words,
  expiresAt,
  owner,
}: Omit<CoreRule, "id">) => ({
  name,
  agent_id: agentId ?? null,
  user: owner ?? null,
  tools: [...tools],
  when: [...when] as Rule["when"],
  then: effect,
  limit: limit ?? null,
  ask: ask ? askDto(ask) : null,
  words: words ?? null,
  expires_at: expiresAt?.toISOString() ?? null,
});

export const draftOf = ({
  name,
  agent_id,
  user,
  tools,
  when,
  then: effect,
  limit,
  ask,
  words,
  expires_at,
}: Created): RuleDraft => ({
  name,
  tools,
  when,
  effect,
  agentId: agent_id ?? undefined,
  owner: user ?? undefined,
  limit: limit ?? undefined,
  ask: ask ? askOf(ask) : undefined,
  words: words ?? undefined,
  expiresAt: expires_at ? new Date(expires_at) : undefined,
});

const askDto = ({ whom, expiry }: RuleAsk): NonNullable<Rule["ask"]> => ({
  ...(whom !== undefined && { whom }),
  ...(expiry !== undefined && { expiry: snakeKeys(expiry) }),
});

const askOf = ({ whom, expiry }: NonNullable<Rule["ask"]>): RuleAsk => ({
  whom,
  expiry: expiry && camelKeys(expiry),
});

export const checkDto = ({ effect, rule, why }: Explained): RuleCheckResult => ({
  decision: effect,
  rule_id: rule?.id ?? null,
  why,
});

export function simulationDto({ calls, truncated, changed }: Simulation): RuleSimulation {
  const of = (effect: Explained["effect"]) =>
    changed.filter(({ after }) => after.effect === effect).map(simulatedDto);
  return { calls, truncated, newly_allowed: of("allow"), newly_asked: of("ask"), newly_denied: of("deny") };
}

export const simulatedDto = (call: SimulatedCall): RuleSimulation["newly_allowed"][number] => ({
  call_id: call.callId,
  run_id: call.runId,
  session_id: call.sessionId,
  agent_id: call.agentId,
  tool: call.tool,
  input: call.input,
  edited: call.isEdited,
  at: call.at.toISOString(),
  before: checkDto(call.before),
  after: checkDto(call.after),
});
