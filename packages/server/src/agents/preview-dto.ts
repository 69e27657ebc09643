/** A composed agent on the wire: what would run, what would not, and what it costs. */
import type { RuntimeAgent } from "@capstan/core";
import { z } from "@hono/zod-openapi";

const Tokens = z.object({ prompt: z.int(), tools: z.int(), total: z.int() });

export const PreviewDto = z
  .object({
    system_prompt: z.string(),
    tools: z.array(
      z.object({
        name: z.string(),
        capability_id: z.string(),
        description: z.string(),
        policy: z.enum(["auto", "approve", "client", "deny"]),
        required_scopes: z.array(z.string()),
        input_schema: z.record(z.string(), z.unknown()),
      }),
    ),
    hidden_tools: z.array(
      z.object({
        name: z.string(),
        capability_id: z.string(),
        reason: z.enum(["scope", "status", "policy", "unavailable"]),
        detail: z.string(),
        missing_scopes: z.array(z.string()),
      }),
    ),
    capabilities: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        version: z.string(),
        position: z.int(),
        required_by: z.string().optional(),
        excluded: z.boolean(),
        hooks: z.array(z.string()),
        policies: z.record(z.string(), z.string()),
        tokens: Tokens,
      }),
    ),
    warnings: z.array(z.string()),
    tokens: Tokens,
    scopes: z.array(z.string()),
    model: z.string().nullable(),
    harness: z.string(),
  })
  .openapi("AgentPreview");

export function previewDto(agent: RuntimeAgent): z.input<typeof PreviewDto> {
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
