/**
 * An agent never does more than its author could: lists what needs an admin, field by field. The whole agent is checked,
 * not only the change, because whoever can change the prompt decides what the rest is used for.
 */
import type { AgentSpec } from "../agent.ts";
import type { Capability } from "../capability.ts";
import { declaredPolicy, isLooser } from "../policy.ts";
import type { JsonSchema } from "../schema.ts";
import { missingScopes } from "../scopes.ts";

export interface Author {
  readonly email: string;
  readonly isAdmin: boolean;
  /** The author's scopes: an agent gets no others. */
  readonly scopes: readonly string[];
}

type AuthoredAgent = Omit<AgentSpec, "id" | "version">;

/** What the author is not allowed to put into an agent, as text; empty when the agent can be saved. */
export function beyondAuthor(
  agent: AuthoredAgent,
  author: Author,
  capabilityOf: (id: string) => Capability | undefined,
): string[] {
  if (author.isAdmin) return [];
  const { harness, allowNativeTools, folder, mayRequestScopes, approvalExpiry, grantedScopes } = agent;
  const lacking = missingScopes(grantedScopes, author.scopes);
  return [
    ...(harness === "native" ? [] : [`harness: "${harness}" runs a program on the server's machine`]),
    ...(allowNativeTools ? ["allow_native_tools: the program's own tools bypass the gate"] : []),
    ...(folder === undefined ? [] : [`folder: ${folder} is a folder of the server's machine`]),
    ...(mayRequestScopes ? ["may_request_scopes: it lets the agent ask for more rights"] : []),
    ...(approvalExpiry.policy === "escalate" && approvalExpiry.to !== author.email
      ? [`approval_expiry: it hands decisions to ${approvalExpiry.to}`]
      : []),
    ...(lacking.length === 0 ? [] : [`granted_scopes: you do not have ${lacking.join(", ")}`]),
    ...loosened(agent, capabilityOf),
    ...chosenHosts(agent.capabilities, capabilityOf),
  ];
}

/** Tools that require approval by default and no longer would. */
function loosened(
  { capabilities, toolPolicies }: AuthoredAgent,
  capabilityOf: (id: string) => Capability | undefined,
): string[] {
  return capabilities.flatMap(({ id, prefix = "" }) => {
    const capability = capabilityOf(id);
    return (capability?.tools ?? []).flatMap((tool) => {
      const chosen = toolPolicies[prefix + tool.name];
      const declared = declaredPolicy(tool.policy, capability?.risk ?? "low");
      return chosen !== undefined && isLooser(chosen, declared)
        ? [`tool_policies: "${prefix + tool.name}" requires approval, and "${chosen}" would not`]
        : [];
    });
  });
}

/** Config fields that choose where requests go: they could send an operator's secret to any host. */
export function chosenHosts(
  capabilities: AuthoredAgent["capabilities"],
  capabilityOf: (id: string) => Capability | undefined,
): string[] {
  return capabilities.flatMap(({ id, config }) => {
    if (config === null || typeof config !== "object") return [];
    const schema = capabilityOf(id)?.config?.jsonSchema;
    const properties = (schema?.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
    return Object.keys(config)
      .filter((name) => choosesHost(name, properties[name]))
      .map((name) => `config of "${id}": "${name}" chooses a host`);
  });
}

const HOST_FORMATS = new Set(["uri", "url", "hostname", "ipv4", "ipv6", "uri-template"]);
const HOST_NAME = /(^|_|-)(url|uri|host|hostname|endpoint|origin|server)$/i;
const HOST_NAME_CAMEL = /(Url|URL|Uri|URI|Host|Hostname|Endpoint|Origin|Server)$/;
/** Set by sources that know that a field is a part of an address; a field with a list of values chooses among known ones. */
export const CHOOSES_HOST = "x-capstan-chooses-host";

const choosesHost = (name: string, schema: JsonSchema | undefined): boolean =>
  !Array.isArray(schema?.enum) &&
  (schema?.[CHOOSES_HOST] === true ||
    HOST_NAME.test(name) ||
    HOST_NAME_CAMEL.test(name) ||
    HOST_FORMATS.has(String(schema?.format ?? "")));
