/** How strict a policy is, and the stricter of two. Capabilities tighten; only the agent's operator may loosen, and never a denial. */
import type { CapabilityRisk } from "./capability.ts";
import type { ToolPolicy } from "./tool.ts";

const STRICTNESS: Record<ToolPolicy, number> = { auto: 0, client: 1, approve: 2, deny: 3 };

export const stricter = (a: ToolPolicy, b: ToolPolicy): ToolPolicy =>
  STRICTNESS[a] >= STRICTNESS[b] ? a : b;

/** What a tool does by itself: a high-risk capability asks before each call unless its tool says something stricter. */
export const declaredPolicy = (policy: ToolPolicy, risk: CapabilityRisk): ToolPolicy =>
  policy === "auto" && risk === "high" ? "approve" : policy;

export interface PolicyParts {
  readonly declared: ToolPolicy;
  /** The operator's word for this agent. */
  readonly operator?: ToolPolicy | undefined;
  /** What other capabilities of the agent demand. */
  readonly demanded: readonly ToolPolicy[];
}

export function effectivePolicy({ declared, operator, demanded }: PolicyParts): ToolPolicy {
  const chosen =
    operator !== undefined && declared === "approve" ? operator : stricter(declared, operator ?? "auto");
  return demanded.reduce(stricter, chosen);
}
