/**
 * The gate's decision, pure: known? visible? actor? scopes? session? input? budget? policy? In this order, with the reason.
 * The effects around it (hooks, timeout, telemetry) are in runtime's gate, the only caller of a tool's `run`.
 */
import type { Actor } from "./authority/authority.ts";
import { mayCall, mayChangeRights } from "./authority/call-authority.ts";
import { fail } from "./failures/fail.ts";
import type { Failure } from "./failures/failure.ts";
import { nearest } from "./nearest.ts";
import type { RuntimeAgent, RuntimeTool } from "./runtime-agent.ts";
import { missingScopes } from "./scopes.ts";

export interface ToolCall {
  readonly tool: string;
  readonly input: unknown;
}

/** Used and allowed amounts, by name: steps, seconds, tokens, US dollars. */
export interface Budget {
  readonly name: string;
  readonly used: number;
  readonly limit: number;
}

export interface CallFacts {
  /** Whose call it is; what they may do is in the table of authority. */
  readonly actor: Actor;
  /** Current scopes; they may have shrunk since the agent was composed. */
  readonly scopes: readonly string[];
  readonly hasSession: boolean;
  readonly budgets: readonly Budget[];
  /** A person approved exactly this call. */
  readonly approved: boolean;
}

export type GateDecision =
  | { readonly decision: "run" | "approve" | "client"; readonly tool: RuntimeTool; readonly input: unknown }
  | { readonly decision: "refuse"; readonly failure: Failure; readonly capabilityId?: string };

export function decideCall(call: ToolCall, agent: RuntimeAgent, facts: CallFacts): GateDecision {
  const found = agent.tools.find(({ name }) => name === call.tool);
  if (!found) return refuseMissing(call.tool, agent);
  const refuse = (failure: Failure): GateDecision => ({
    decision: "refuse",
    failure,
    capabilityId: found.capabilityId,
  });

  const barred = whyBarred(call.tool, found, facts);
  if (barred) return refuse(barred);

  const parsed = found.tool.input.parse(call.input ?? {});
  if (!parsed.ok) return refuse(fail("tool_input_invalid", { tool: call.tool, where: parsed.where }).failure);

  const spent = facts.budgets.find(({ used, limit }) => used >= limit);
  if (spent) {
    return refuse(
      fail("budget_exhausted", { budget: spent.name, limit: spent.limit, used: spent.used }).failure,
    );
  }
  if (found.policy === "deny")
    return refuse(fail("tool_denied", { tool: call.tool, why: "the policy denies it" }).failure);
  if (asksFirst(found, facts)) return { decision: "approve", tool: found, input: parsed.value };
  return { decision: found.tool.policy === "client" ? "client" : "run", tool: found, input: parsed.value };
}

/** What the caller lacks, whatever the arguments are. */
function whyBarred(
  tool: string,
  found: RuntimeTool,
  { actor, scopes, hasSession }: CallFacts,
): Failure | undefined {
  if (!mayCall(actor)) return fail("tool_denied", { tool, why: `${actor} may not call tools` }).failure;
  const missing = missingScopes(found.scopes, scopes);
  if (missing.length > 0) return fail("scope_missing", { tool, missing }).failure;
  if (found.tool.requiresContext && !hasSession) return fail("session_required", { tool }).failure;
  return undefined;
}

function asksFirst({ policy, tool }: RuntimeTool, { actor, approved }: CallFacts): boolean {
  if (approved) return false;
  return policy === "approve" || (tool.changesRights === true && !mayChangeRights(actor));
}

function refuseMissing(tool: string, agent: RuntimeAgent): GateDecision {
  const hidden = agent.hidden.find(({ name }) => name === tool);
  if (!hidden) {
    const names = agent.tools.map(({ name }) => name);
    return {
      decision: "refuse",
      failure: fail("tool_unknown", { tool, nearest: nearest(tool, names), known: names }).failure,
    };
  }
  const { capabilityId, missingScopes: missing, detail } = hidden;
  const failure =
    hidden.reason === "scope"
      ? fail("scope_missing", { tool, missing })
      : hidden.reason === "policy"
        ? fail("tool_denied", { tool, why: detail })
        : fail("tool_hidden", { tool, reason: detail });
  return { decision: "refuse", failure: failure.failure, capabilityId };
}
