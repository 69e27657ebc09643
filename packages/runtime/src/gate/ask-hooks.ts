/** The hooks of an agent's capabilities around one call. They can tighten, never loosen; one that fails denies. */
import {
  type Failure,
  fail,
  type HookCall,
  type JsonValue,
  type RuntimeAgent,
  type ToolPolicy,
} from "@capstan/core";
import { stricter } from "@capstan/core/internal";

/** The strictest verdict of all hooks, in position order. A hook that throws denies: a broken check must not allow the call. */
export async function askHooks(
  agent: RuntimeAgent,
  call: HookCall,
): Promise<{ policy: ToolPolicy; why: string; whom?: "admin" }> {
  let policy: ToolPolicy = "auto";
  let whom: "admin" | undefined;
  let why = "Approval is required for every call.";
  for (const { capabilityId, hooks } of agent.hooks) {
    if (!hooks.beforeCall) continue;
    const verdict = await settle(() => hooks.beforeCall?.(call));
    if (verdict === undefined) return { policy: "deny", why: `a check of "${capabilityId}" failed` };
    if (verdict.decision === "pass") continue;
    if (stricter(policy, verdict.decision) !== policy) why = verdict.why;
    policy = stricter(policy, verdict.decision);
    if (verdict.decision === "approve") whom ??= verdict.whom;
  }
  return { policy, why, ...(whom && { whom }) };
}

export async function runAfterHooks(
  agent: RuntimeAgent,
  call: HookCall,
  output: JsonValue,
): Promise<{ output: JsonValue } | { failure: Failure }> {
  let current = output;
  for (const { capabilityId, hooks } of agent.hooks) {
    if (!hooks.afterCall) continue;
    const after = await settle(() => hooks.afterCall?.(call, current));
    if (after === undefined) {
      return fail("tool_denied", {
        tool: call.tool,
        why: `a check of "${capabilityId}" on its output failed`,
      });
    }
    if ("failure" in after) return after;
    current = after.output;
  }
  return { output: current };
}

async function settle<T>(ask: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch {
    return undefined;
  }
}
