/**
 * compose: the prompt and tools of an agent. Dependencies first, then the agent's order.
 * Pure: the same agent, registry and grants give the same bytes. Nothing is dropped silently: a missing tool
 * is listed as hidden, with the reason.
 */
import type { AgentSpec } from "./agent.ts";
import { joinNeeds } from "./connections/connection-need.ts";
import { flowWarnings } from "./data-flow/flow-warnings.ts";
import { fail } from "./failures/fail.ts";
import { declaredPolicy, effectivePolicy } from "./policy.ts";
import type { CapabilityRegistry } from "./registry.ts";
import { resolveCapabilities } from "./resolve-capabilities.ts";
import { ok, type Result } from "./result.ts";
import type {
  ComposedCapability,
  HiddenTool,
  ResolvedCapability,
  RuntimeAgent,
  RuntimeTool,
} from "./runtime-agent.ts";
import { missingScopes } from "./scopes.ts";
import { type AnyTool, type ToolPolicy, whyUnavailable } from "./tool.ts";

export interface ComposeGrants {
  /** Scopes that both agent and user have; see `effectiveScopes`. */
  readonly scopes: readonly string[];
}

export type CountTokens = (text: string) => number;

/** The capability through which an agent requests scopes; composed last, where the agent may request and the server offers it. */
export const REQUEST_ACCESS = "request_access";

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/; // what every model provider accepts
const CHARS_PER_TOKEN = 4; // a rough estimate where no tokenizer is given

export function compose(
  agent: AgentSpec,
  registry: CapabilityRegistry,
  grants: ComposeGrants,
  countTokens: CountTokens = (text) => Math.ceil(text.length / CHARS_PER_TOKEN),
): Result<RuntimeAgent> {
  const resolved = resolveCapabilities(refsOf(agent, registry), registry);
  if (!resolved.ok) return resolved;
  const parts = resolved.value.map((part) => ({
    part,
    missing: missingScopes(part.capability.requiredScopes, grants.scopes),
  }));
  const present = parts.filter(({ missing }) => missing.length === 0).map(({ part }) => part);
  const demands = present.flatMap(({ capability }) => Object.entries(capability.policies ?? {}));

  const tools: RuntimeTool[] = [];
  const hidden: HiddenTool[] = [];
  const owners = new Map<string, string>();
  for (const { part, missing } of parts) {
    for (const tool of part.capability.tools) {
      const name = part.prefix + tool.name;
      const clash = claimName(name, part.capability.id, owners);
      if (!clash.ok) return clash;
      const placed = place(tool, { name, part, missing, agent, grants, demands });
      if ("reason" in placed) hidden.push(placed);
      else tools.push(placed);
    }
  }

  const systemPrompt = [...present.map(({ capability }) => capability.systemPrompt), agent.systemPrompt]
    .filter((text) => text !== undefined && text.trim() !== "")
    .join("\n\n");
  const toolsOf = Map.groupBy(tools, ({ capabilityId }) => capabilityId);
  const capabilities = parts.map(({ part, missing }, position) =>
    composedCapability(
      part,
      position,
      missing.length > 0,
      toolsOf.get(part.capability.id) ?? [],
      countTokens,
    ),
  );
  const toolTokens = capabilities.reduce((sum, { toolTokens }) => sum + toolTokens, 0);
  const promptTokens = countTokens(systemPrompt);
  return ok({
    spec: agent,
    systemPrompt,
    tools,
    hidden,
    capabilities,
    hooks: present.flatMap(({ capability: { id, hooks } }) => (hooks ? [{ capabilityId: id, hooks }] : [])),
    warnings: [...warningsOf(parts), ...flowWarnings(tools)],
    tokens: { prompt: promptTokens, tools: toolTokens, total: promptTokens + toolTokens },
    scopes: grants.scopes,
  });
}

function refsOf(
  { capabilities, mayRequestScopes }: AgentSpec,
  registry: CapabilityRegistry,
): AgentSpec["capabilities"] {
  const asks =
    mayRequestScopes && registry.has(REQUEST_ACCESS) && capabilities.every(({ id }) => id !== REQUEST_ACCESS);
  return asks ? [...capabilities, { id: REQUEST_ACCESS }] : capabilities;
}

function claimName(name: string, capabilityId: string, owners: Map<string, string>): Result<true> {
  if (!TOOL_NAME.test(name)) return fail("tool_name_invalid", { name, capability: capabilityId });
  const first = owners.get(name);
  if (first !== undefined) return fail("tool_conflict", { tool: name, first, second: capabilityId });
  owners.set(name, capabilityId);
  return ok(true);
}

interface Placing {
  readonly name: string;
  readonly part: ResolvedCapability;
  readonly missing: readonly string[];
  readonly agent: AgentSpec;
  readonly grants: ComposeGrants;
  readonly demands: readonly (readonly [string, ToolPolicy])[];
}

/** A tool the agent has, or a hidden one with the first reason that hides it. */
function place(
  tool: AnyTool,
  { name, part, missing, agent, grants, demands }: Placing,
): RuntimeTool | HiddenTool {
  const { capability } = part;
  const hide = (
    reason: HiddenTool["reason"],
    detail: string,
    missingScopes: readonly string[] = [],
  ): HiddenTool => ({
    name,
    capabilityId: capability.id,
    reason,
    detail,
    missingScopes,
  });
  if (missing.length > 0) {
    return hide("scope", `the capability "${capability.id}" needs ${missing.join(", ")}`, [
      ...missing,
      ...missingScopes(tool.scopes, grants.scopes).filter((scope) => !missing.includes(scope)),
    ]);
  }
  const lacking = missingScopes(tool.scopes, grants.scopes);
  if (lacking.length > 0) return hide("scope", `needs ${lacking.join(", ")}`, lacking);
  const unavailable = whyUnavailable(tool, part.config);
  if (unavailable !== undefined) return hide("unavailable", unavailable);
  const policy = effectivePolicy({
    declared: declaredPolicy(tool.policy, capability.risk),
    operator: agent.toolPolicies[name],
    changesRights: tool.changesRights ?? false,
    demanded: demands.filter(([wanted]) => wanted === name || wanted === "*").map(([, demanded]) => demanded),
  });
  if (policy === "deny") return hide("policy", "the policy denies it");
  const scopes = [...new Set([...capability.requiredScopes, ...tool.scopes])];
  const own = typeof tool.connections === "function" ? tool.connections(part.config) : tool.connections;
  const connections = joinNeeds(capability.connections, own);
  return { name, capabilityId: capability.id, tool, policy, scopes, connections, config: part.config };
}

function composedCapability(
  { capability, requiredBy }: ResolvedCapability,
  position: number,
  excluded: boolean,
  own: readonly RuntimeTool[],
  countTokens: CountTokens,
): ComposedCapability {
  return {
    id: capability.id,
    name: capability.name,
    version: capability.version,
    position,
    ...(requiredBy !== undefined && { requiredBy }),
    promptTokens: excluded || !capability.systemPrompt ? 0 : countTokens(capability.systemPrompt),
    toolTokens: own.reduce((sum, tool) => sum + countTokens(toolText(tool)), 0),
    hooks: (["beforeCall", "afterCall"] as const).filter((name) => capability.hooks?.[name] !== undefined),
    policies: capability.policies ?? {},
    excluded,
  };
}

/** The text a model is sent for one tool, which determines its cost. */
const toolText = ({ name, tool }: Pick<RuntimeTool, "name" | "tool">): string =>
  JSON.stringify({ name, description: tool.description, parameters: tool.input.jsonSchema });

function warningsOf(parts: readonly { part: ResolvedCapability; missing: readonly string[] }[]): string[] {
  return parts.flatMap(({ part: { capability }, missing }) => {
    const warnings: string[] = [];
    if (capability.status === "deprecated")
      warnings.push(`"${capability.id}" is deprecated; it still works but may be removed.`);
    if (missing.length > 0) {
      warnings.push(
        `"${capability.id}" is left out: ${missing.join(", ")} is not granted to both the agent and the user.`,
      );
    }
    return warnings;
  });
}
