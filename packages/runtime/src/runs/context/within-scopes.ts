/** Limits an agent to these scopes, for a run started by another run. Tools that need more are hidden, with the reason. */
import type { HiddenTool, RuntimeAgent } from "@capstan/core";
import { effectiveScopes, missingScopes } from "@capstan/core/internal";

export function withinScopes(agent: RuntimeAgent, ceiling: readonly string[] | undefined): RuntimeAgent {
  if (ceiling === undefined) return agent;
  const scopes = effectiveScopes(agent.scopes, ceiling);
  const lacking = (required: readonly string[]) => missingScopes(required, scopes);
  const hidden = agent.tools
    .filter((tool) => lacking(tool.scopes).length > 0)
    .map(({ name, capabilityId, scopes: required }): HiddenTool => {
      const missing = lacking(required);
      return {
        name,
        capabilityId,
        reason: "scope",
        detail: `needs ${missing.join(", ")}, which the agent that started this one does not have`,
        missingScopes: missing,
      };
    });
  return {
    ...agent,
    scopes,
    tools: agent.tools.filter((tool) => lacking(tool.scopes).length === 0),
    hidden: [...agent.hidden, ...hidden],
  };
}
