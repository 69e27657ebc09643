/**
 * The rights a revision of an agent has and another does not, as text. Whoever makes it live must confirm exactly
 * this list, because labels are moved without reading the whole agent.
 */
import type { AgentSpec } from "../agent.ts";
import { isSameJson } from "../ordered-json.ts";
import { stricter } from "../policy.ts";
import { missingScopes } from "../scopes.ts";

type Authored = Pick<
  AgentSpec,
  | "harness"
  | "capabilities"
  | "grantedScopes"
  | "toolPolicies"
  | "mayRequestScopes"
  | "allowNativeTools"
  | "approvalExpiry"
>;

export function rightsGrowth(before: Authored, after: Authored): string[] {
  return [
    ...missingScopes(after.grantedScopes, before.grantedScopes).map((scope) => `granted_scopes: ${scope}`),
    ...newCapabilities(before, after),
    ...looserPolicies(before, after),
    ...(after.harness !== "native" && after.harness !== before.harness
      ? [`harness: "${after.harness}" runs a program on the server's machine`]
      : []),
    ...(after.allowNativeTools && !before.allowNativeTools ? ["allow_native_tools"] : []),
    ...(after.mayRequestScopes && !before.mayRequestScopes ? ["may_request_scopes"] : []),
    ...(after.approvalExpiry.policy === "escalate" && !isSameJson(after.approvalExpiry, before.approvalExpiry)
      ? [`approval_expiry: decisions go to ${after.approvalExpiry.to}`]
      : []),
  ];
}

const newCapabilities = (before: Authored, after: Authored): string[] =>
  after.capabilities.flatMap((ref) => {
    const had = before.capabilities.find(({ id }) => id === ref.id);
    if (!had) return [`capabilities: ${ref.id}`];
    return isSameJson(had.config, ref.config) ? [] : [`capabilities: another config of ${ref.id}`];
  });

/** A policy that was removed or is less strict. A new policy for a tool without one can only be looser if it is `auto`. */
function looserPolicies(before: Authored, after: Authored): string[] {
  const names = new Set([...Object.keys(before.toolPolicies), ...Object.keys(after.toolPolicies)]);
  return [...names].flatMap((name) => {
    const had = before.toolPolicies[name];
    const has = after.toolPolicies[name];
    if (had === has) return [];
    const isLooser =
      has === undefined ? had !== "auto" : has === "auto" || (had && stricter(had, has) !== has);
    return isLooser ? [`tool_policies: ${name} is ${has ?? "as declared"}, not ${had ?? "as declared"}`] : [];
  });
}
