/**
 * The gate's decision, pure: known? visible? scopes? session? input? budget? policy? In this order, with the reason.
 * The effects around it (hooks, timeout, telemetry) are in runtime's gate, the only caller of a tool's `run`.
 */
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

  const missing = missingScopes(found.scopes, facts.scopes);
  if (missing.length > 0) return refuse(fail("scope_missing", { tool: call.tool, missing }).failure);
  if (found.tool.requiresContext && !facts.hasSession)
    return refuse(fail("session_required", { tool: call.tool }).failure);

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
  if (found.policy === "approve" && !facts.approved)
    return { decision: "approve", tool: found, input: parsed.value };
  return { decision: found.tool.policy === "client" ? "client" : "run", tool: found, input: parsed.value };
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
