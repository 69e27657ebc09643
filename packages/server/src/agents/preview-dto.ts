/** A composed agent for the API: what would run, what would not, and what it costs. */
import type { AgentPreview } from "@capstan/client/wire";
import type { RuntimeAgent } from "@capstan/core";

export function previewDto(agent: RuntimeAgent): AgentPreview {
  return {
    system_prompt: agent.systemPrompt,
    tools: agent.tools.map(({ name, capabilityId, policy, scopes, tool }) => ({
      name,
      capability_id: capabilityId,
      description: tool.description,
      policy,
      required_scopes: [...scopes],
      input_schema: { ...tool.input.jsonSchema },
    })),
    hidden_tools: agent.hidden.map(({ name, capabilityId, reason, detail, missingScopes }) => ({
      name,
      capability_id: capabilityId,
      reason,
      detail,
      missing_scopes: [...missingScopes],
    })),
    capabilities: agent.capabilities.map(
      ({ promptTokens, toolTokens, requiredBy, hooks, policies, ...rest }) => ({
        ...rest,
        ...(requiredBy !== undefined && { required_by: requiredBy }),
        hooks: [...hooks],
        policies: { ...policies },
        tokens: { prompt: promptTokens, tools: toolTokens, total: promptTokens + toolTokens },
      }),
    ),
    warnings: [...agent.warnings],
    tokens: { ...agent.tokens },
    scopes: [...agent.scopes],
    model: agent.spec.model ?? null,
    harness: agent.spec.harness,
  };
}
