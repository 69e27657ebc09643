/**
 * An agent never does more than its author could: lists the fields that need an admin when it is saved, and removes
 * rights that the author has lost since when it is used. The whole agent is checked, not only the change, because
 * whoever can change the prompt decides what the rest is used for.
 */
import { AGENT_DEFAULTS, type AgentSpec, type CapabilityRef } from "../agent.ts";
import type { Capability } from "../capability.ts";
import { fail } from "../failures/fail.ts";
import { declaredPolicy, isLooser } from "../policy.ts";
import { ok, type Result } from "../result.ts";
import type { JsonSchema } from "../schema.ts";
import { effectiveScopes, missingScopes } from "../scopes.ts";

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
  const limited = {
    ...agent,
    grantedScopes: effectiveScopes(agent.grantedScopes, author.scopes),
    toolPolicies: Object.fromEntries(Object.entries(agent.toolPolicies).filter(([tool]) => !lost.has(tool))),
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

/** Config fields that choose where requests go: they could send an operator's secret to any host. */
export function chosenHosts(
  capabilities: AuthoredAgent["capabilities"],
  capabilityOf: CapabilityOf,
): string[] {
  return capabilities.flatMap((ref) =>
    hostFields(ref.config, capabilityOf(ref)?.config?.jsonSchema).map(
      (path) => `config of "${ref.id}": "${path}" chooses a host`,
    ),
  );
}

/** The paths of such fields, however deep. */
function hostFields(config: unknown, schema: JsonSchema | undefined): string[] {
  if (config === null || typeof config !== "object") return [];
  const properties = (schema?.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
  return Object.entries(config).flatMap(([name, value]) => {
    const field = Array.isArray(config) ? (schema?.items as JsonSchema | undefined) : properties[name];
    if (choosesHost(name, value, field)) return [name];
    return hostFields(value, field).map((path) => `${name}.${path}`);
  });
}

const HOST_FORMATS = new Set(["uri", "url", "hostname", "ipv4", "ipv6", "uri-template"]);
const HOST_NAME = /(^|_|-)(url|uri|host|hostname|endpoint|origin|server)$/i;
const HOST_NAME_CAMEL = /(Url|URL|Uri|URI|Host|Hostname|Endpoint|Origin|Server)$/;
const ADDRESS = /^\s*(https?|wss?):/i;
/** Set by sources for fields that are part of an address; a field with an enum only chooses among known values. */
export const CHOOSES_HOST = "x-capstan-chooses-host";

const choosesHost = (name: string, value: unknown, schema: JsonSchema | undefined): boolean =>
  !Array.isArray(schema?.enum) &&
  (schema?.[CHOOSES_HOST] === true ||
    (typeof value === "string" && ADDRESS.test(value)) ||
    HOST_NAME.test(name) ||
    HOST_NAME_CAMEL.test(name) ||
    HOST_FORMATS.has(String(schema?.format ?? "")));
