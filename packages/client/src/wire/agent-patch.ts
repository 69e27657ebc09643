/** Builds a patch from a complete agent, such as a form or a file: entries missing from its maps are removed. */
import type { AgentFields, AgentPatch } from "./agents.ts";
import { patchBetween } from "./merge-patch.ts";

type Maps = "limits" | "tool_policies" | "metadata";

export function agentPatch(before: Pick<AgentFields, Maps>, after: Partial<AgentFields>): AgentPatch {
  const { limits, tool_policies, metadata, ...rest } = after;
  return {
    ...rest,
    ...(limits && { limits: patchBetween(before.limits, limits) as AgentPatch["limits"] }),
    ...(tool_policies && {
      tool_policies: patchBetween(before.tool_policies, tool_policies) as AgentPatch["tool_policies"],
    }),
    ...(metadata && { metadata: patchBetween(before.metadata, metadata) as AgentPatch["metadata"] }),
  };
}
