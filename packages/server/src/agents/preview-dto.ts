/** A composed agent for the API: what would run, what would not, and what it costs. */
import type { AgentPreview } from "@capstan/client/wire";
import type { AnyTool, RuntimeAgent } from "@capstan/core";
import { flowOf } from "@capstan/core/internal";
import {
  type ConnectionProviders,
  type ConnectionState,
  type ConnectionStore,
  connectionStates,
  type UserStore,
} from "@capstan/runtime";

export function flowDto(tool: AnyTool, config?: unknown) {
  const { reads, writes } = flowOf(tool, config);
  return { reads: [...reads], writes: [...writes] };
}

/** What a preview adds to the composed agent. */
export interface PreviewFacts {
  readonly connections: readonly ConnectionState[];
  readonly scopeSources: { readonly agent: readonly string[]; readonly user: readonly string[] };
}

export interface PreviewParts {
  readonly connections: ConnectionStore;
  readonly connectionProviders: ConnectionProviders;
  readonly users: UserStore;
}

/** The three that together decide: the agent's scopes, the user's grants and the user's accounts. */
export async function previewFacts(
  parts: PreviewParts,
  { spec, tools }: RuntimeAgent,
  userEmail: string,
): Promise<PreviewFacts> {
  const [connections, user, grants] = await Promise.all([
    connectionStates(parts, { userEmail, agentId: spec.id }, tools),
    parts.users.get(userEmail),
    parts.users.grantsOf(`agent:${spec.id}`),
  ]);
  const agent = [...new Set([...spec.grantedScopes, ...grants.map(({ scope }) => scope)])];
  return { connections, scopeSources: { agent, user: user.scopes } };
}

export function previewDto(agent: RuntimeAgent, { connections, scopeSources }: PreviewFacts): AgentPreview {
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
    connections: connections.map(({ isReady, scopes, has, missing, ...rest }) => ({
      ...rest,
      scopes: [...scopes],
      has: [...has],
      missing: [...missing],
      ready: isReady,
    })),
    scope_sources: { agent: [...scopeSources.agent], user: [...scopeSources.user] },
    warnings: [...agent.warnings],
    tokens: { ...agent.tokens },
    scopes: [...agent.scopes],
    model: agent.spec.model ?? null,
    harness: agent.spec.harness,
  };
}
