/** How strict a policy is, and the stricter of two. Capabilities tighten; only the agent's operator may loosen, but never a denial. */
import type { CapabilityRisk } from "./capability.ts";
import type { ToolPolicy } from "./tool.ts";

const STRICTNESS: Record<ToolPolicy, number> = { auto: 0, client: 1, approve: 2, deny: 3 };

export const stricter = (a: ToolPolicy, b: ToolPolicy): ToolPolicy =>
  STRICTNESS[a] >= STRICTNESS[b] ? a : b;

/** Whether `chosen` allows a call that `declared` would block. The client runs `client` tools itself. */
export const isLooser = (chosen: ToolPolicy, declared: ToolPolicy): boolean =>
  declared === "approve" && STRICTNESS[chosen] < STRICTNESS[declared];

/** A tool's own policy: a high-risk capability requires approval unless its tool declares something stricter. */
export const declaredPolicy = (policy: ToolPolicy, risk: CapabilityRisk): ToolPolicy =>
  policy === "auto" && risk === "high" ? "approve" : policy;

export interface PolicyParts {
  readonly declared: ToolPolicy;
  /** The operator's choice for this agent. */
  readonly operator?: ToolPolicy | undefined;
  /** The call grants rights to someone: approval is always required, whatever the operator chose for the agent. */
  readonly changesRights?: boolean;
  /** Requirements of the agent's other capabilities. */
  readonly demanded: readonly ToolPolicy[];
}

export function effectivePolicy({
  declared,
  operator,
  changesRights = false,
  demanded,
}: PolicyParts): ToolPolicy {
  const mayLoosen = operator !== undefined && declared === "approve" && !changesRights;
  const own = changesRights ? stricter(declared, "approve") : declared;
  const chosen = mayLoosen ? operator : stricter(own, operator ?? "auto");
  return demanded.reduce(stricter, chosen);
}
