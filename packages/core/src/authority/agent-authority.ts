/**
 * An agent never does more than its author could: lists the fields that need an admin when it is saved, and removes
 * rights that the author has lost since when it is used. The whole agent is checked, not only the change, because
 * whoever can change the prompt decides what the rest is used for.
 */
import { AGENT_DEFAULTS, type AgentSpec, type CapabilityRef } from "../agent.ts";
import type { Capability } from "../capability.ts";
import { fail } from "../failures/fail.ts";
import { declaredPolicy, effectivePolicy, isLooser, stricter } from "../policy.ts";
import { ok, type Result } from "../result.ts";
import { effectiveScopes, missingScopes } from "../scopes.ts";
import type { Tool, ToolPolicy } from "../tool.ts";
import { chosenHosts } from "./chosen-hosts.ts";

export interface Author {
  readonly email: string;
  readonly isAdmin: boolean;
  /** The author's scopes: an agent gets no others. */
  readonly scopes: readonly string[];
}

type AuthoredAgent = Omit<AgentSpec, "id" | "version">;

/** A capability in the version that an agent lists. */
type CapabilityOf = (ref: CapabilityRef) => Capability | undefined;

/** What an agent is made of, as it is now. */
export interface Surroundings {
  readonly capabilityOf: CapabilityOf;
  /** Every agent that it can delegate to, directly or indirectly. */
  readonly delegates: readonly AuthoredAgent[];
}

/** What the author is not allowed to put into an agent, as text; empty when the agent can be saved. */
export function beyondAuthor(agent: AuthoredAgent, author: Author, around: Surroundings): string[] {
  if (author.isAdmin) return [];
  const { mayRequestScopes, approvalExpiry, grantedScopes } = agent;
  const lacking = missingScopes(grantedScopes, author.scopes);
  return [
    ...(mayRequestScopes ? ["may_request_scopes: it lets the agent ask for more rights"] : []),
    ...(approvalExpiry.policy === "escalate"
      ? [`approval_expiry: it hands decisions to ${approvalExpiry.to}`]
      : []),
    ...(lacking.length === 0 ? [] : [`granted_scopes: the author does not have ${lacking.join(", ")}`]),
    ...ungated(agent, around),
    ...around.delegates.flatMap((other) =>
      ungated(other, around).map((what) => `it delegates to "${other.name}", whose ${what}`),
    ),
  ];
}

/** Scopes are not included: an agent that is asked by another has at most the asking agent's scopes. */
function ungated(agent: AuthoredAgent, { capabilityOf }: Surroundings): string[] {
  const { harness, allowNativeTools, folder } = agent;
  return [
    ...(harness === "native" ? [] : [`harness: "${harness}" runs a program on the server's machine`]),
    ...(allowNativeTools ? ["allow_native_tools: the program's own tools bypass the gate"] : []),
    ...(folder === undefined ? [] : [`folder: ${folder} is a folder of the server's machine`]),
    ...loosened(agent, capabilityOf).map(
      ({ tool, chosen }) => `tool_policies: "${tool}" requires approval, and "${chosen}" would not`,
    ),
    ...relaxedByPins(agent, capabilityOf).map(
      ({ tool, version, needs }) =>
        `capabilities: "${tool}" of version ${version} runs without ${needs}, which the registered version requires`,
    ),
    ...chosenHosts(agent.capabilities, capabilityOf),
  ];
}

/**
 * The agent as its author could save it now: scopes, policies and requests for access that the author may not give any more
 * are left out. If something essential is not allowed, the agent is refused.
 */
export function limitToAuthor(agent: AgentSpec, author: Author, around: Surroundings): Result<AgentSpec> {
  if (author.isAdmin) return ok(agent);
  const lost = new Set(loosened(agent, around.capabilityOf).map(({ tool }) => tool));
  const kept = Object.entries(agent.toolPolicies).filter(([tool]) => !lost.has(tool));
  const pinned = relaxedByPins({ ...agent, toolPolicies: Object.fromEntries(kept) }, around.capabilityOf);
  const limited = {
    ...agent,
    grantedScopes: effectiveScopes(agent.grantedScopes, author.scopes),
    toolPolicies: Object.fromEntries([...kept, ...pinned.map(({ tool, required }) => [tool, required])]),
    mayRequestScopes: false,
    approvalExpiry:
      agent.approvalExpiry.policy === "escalate" ? AGENT_DEFAULTS.approvalExpiry : agent.approvalExpiry,
  };
  const beyond = beyondAuthor(limited, author, around);
  return beyond.length === 0
    ? ok(limited)
    : fail("agent_beyond_author", { name: agent.name, author: author.email, beyond });
}

/** Tools that require approval by default and no longer would. */
function loosened(
  { capabilities, toolPolicies }: AuthoredAgent,
  capabilityOf: Surroundings["capabilityOf"],
): { tool: string; chosen: string }[] {
  return withDependencies(capabilities, capabilityOf).flatMap((ref) => {
    const { prefix = "" } = ref;
    const capability = capabilityOf(ref);
    return (capability?.tools ?? []).flatMap((tool) => {
      const chosen = toolPolicies[prefix + tool.name];
      const declared = declaredPolicy(tool.policy, capability?.risk ?? "low");
      return chosen !== undefined && isLooser(chosen, declared) ? [{ tool: prefix + tool.name, chosen }] : [];
    });
  });
}

interface RelaxedTool {
  readonly tool: string;
  readonly version: string;
  /** What the registered version requires, and the policy that amounts to it here. */
  readonly needs: string;
  readonly required: ToolPolicy;
}

/** Tools of earlier versions that need fewer scopes, or no approval, while the registered version requires them or lacks the tool. */
function relaxedByPins(
  { capabilities, toolPolicies }: AuthoredAgent,
  capabilityOf: CapabilityOf,
): RelaxedTool[] {
  return capabilities.flatMap((ref) => {
    const { id, prefix = "", version } = ref;
    const pinned = capabilityOf(ref);
    const registered = capabilityOf({ id });
    if (version === undefined || !pinned || !registered) return [];
    return pinned.tools.flatMap((tool): RelaxedTool[] => {
      // Nobody says what a tool would require that is gone, perhaps to another name: a person decides.
      const now = registered.tools.find(({ name }) => name === tool.name) ?? GONE;
      const name = prefix + tool.name;
      const declared = declaredPolicy(tool.policy, pinned.risk);
      const policy = effectivePolicy({ declared, operator: toolPolicies[name], demanded: [] });
      const lacking = missingScopes(scopesOf(registered, now), scopesOf(pinned, tool));
      const required = lacking.length > 0 ? "deny" : declaredPolicy(now.policy, registered.risk);
      const needs = lacking.length > 0 ? lacking.join(", ") : `the policy "${required}"`;
      const isRelaxed = stricter(policy, required) !== policy;
      return isRelaxed ? [{ tool: name, version: pinned.version, needs, required }] : [];
    });
  });
}

const GONE: Pick<Tool, "policy" | "scopes"> = { policy: "approve", scopes: [] };

const scopesOf = (capability: Capability, tool: Pick<Tool, "scopes">): string[] => [
  ...capability.requiredScopes,
  ...tool.scopes,
];

/** Includes required capabilities: their tools have policies too. */
function withDependencies(
  listed: AuthoredAgent["capabilities"],
  capabilityOf: Surroundings["capabilityOf"],
): AuthoredAgent["capabilities"] {
  const all = new Map(listed.map((ref) => [ref.id, ref]));
  for (const ref of all.values()) // entries added here are visited too
    for (const required of capabilityOf(ref)?.dependencies ?? [])
      if (!all.has(required)) all.set(required, { id: required });
  return [...all.values()];
}
