/** A composed agent for the API: what would run, what would not, and what it costs. */
import type { AgentPreview } from "@capstan/client/wire";
import type { AnyTool, RuntimeAgent } from "@capstan/core";
import { flowOf } from "@capstan/core/internal";

export function flowDto(tool: AnyTool, config?: unknown) {
  const { reads, writes } = flowOf(tool, config);
  return { reads: [...reads], writes: [...writes] };
}

export function previewDto(agent: RuntimeAgent): AgentPreview {
  return {
    system_prompt: agent.systemPrompt,
    tools: agent.tools.map(({ name, capabilityId, policy, scopes, tool, config }) => ({
      name,
      capability_id: capabilityId,
      description: tool.description,
      policy,
      required_scopes: [...scopes],
      ...flowDto(tool, config),
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
