/** Evaluates the rules on a call. */
import { type Failure, fail, type RuntimeTool } from "@capstan/core";
import { type AskedCall, flowOf, type RuleCount, type RuleDecision, riskOf } from "@capstan/core/internal";
import type { SessionLabels } from "../labels/session-labels.ts";
import type { GateParts, GateRequest } from "./gate.ts";

export interface RuleFacts {
  /** What the session has read; only asked when a rule depends on it. */
  readonly seen: () => Promise<SessionLabels>;
  /** A past call: only calls before it count. */
  readonly isPast?: boolean;
}

export interface Ruling {
  readonly decision: RuleDecision | undefined;
  /** The rules that count the call once it is made, and their counts so far. */
  readonly counts: readonly (RuleCount & { readonly made: number })[];
}

export type TakeCounts = (counts: Ruling["counts"], now: Date) => Promise<boolean>;
export type AskRules = (call: AskedCall, facts: RuleFacts) => Promise<Ruling>;

export const ruleDenial = (tool: RuntimeTool, { rule, why }: RuleDecision): Failure =>
  fail("rule_denied", { tool: tool.name, rule: rule.name, id: rule.id, why }).failure;

const ruleCall = (request: GateRequest, tool: RuntimeTool, args: unknown, now: Date): AskedCall => ({
  tool: tool.name,
  ownName: tool.tool.name,
  capabilityId: tool.capabilityId,
  risk: riskOf(tool.tool),
  args,
  schema: tool.tool.input,
  user: request.user.email,
  agentId: request.agent.spec.id,
  sessionId: request.sessionId,
  scopes: tool.scopes,
  connections: tool.connections.map(({ provider }) => provider),
  path: request.path === "replay" ? "loop" : request.path,
  flow: flowOf(tool.tool, tool.config),
  isArranged: request.isArranged ?? false,
  now,
});

const NONE: Ruling = { decision: undefined, counts: [] };

/** The rules' decision about a call, now or in the past. */
export async function askRules(
  request: GateRequest,
  tool: RuntimeTool,
  input: unknown,
  { rules, now, labels }: Pick<GateParts, "rules" | "now" | "labels">,
): Promise<Ruling> {
  const { at, sessionId } = request;
  const read = async () => (sessionId === undefined ? {} : ((await labels?.read(sessionId)) ?? {}));
  const facts = { seen: request.seen ?? read, isPast: at !== undefined };
  return (await rules?.(ruleCall(request, tool, input, at ?? now()), facts)) ?? NONE;
}
