/** An agent as it is stored, and how a row becomes one. */
import type { AgentSpec, CapabilityRef, RunLimits, ToolPolicy } from "@capstan/core";
import type { ApprovalExpiry } from "@capstan/core/internal";

export interface AgentRecord extends AgentSpec {
  readonly owner: string;
  readonly status: "active" | "archived";
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What a caller gives to make or change an agent; everything else is the store's. */
export type AgentInput = Omit<AgentSpec, "id" | "version">;

/** The part of an agent that is read and written as a whole. */
export interface AgentSettings {
  toolPolicies?: Record<string, ToolPolicy>;
  limits?: RunLimits;
  approvalExpiry?: ApprovalExpiry;
  mayRequestScopes?: boolean;
  allowNativeTools?: boolean;
  provider?: string;
  documentationUrl?: string;
  metadata?: Record<string, unknown>;
}

export interface AgentRow {
  id: string;
  owner: string;
  name: string;
  description: string;
  version: number;
  status: string;
  systemPrompt: string;
  model: string | null;
  harness: string;
  settings: unknown;
  grantedScopes: string[];
  createdAt: Date;
  updatedAt: Date;
}

export interface CapabilityRow {
  capabilityId: string;
  config: unknown;
  prefix: string | null;
  version: string | null;
}

export function agentRecord(row: AgentRow, capabilities: readonly CapabilityRow[]): AgentRecord {
  const settings = row.settings as AgentSettings; // written only by `settingsOf`
  return {
    id: row.id,
    owner: row.owner,
    name: row.name,
    description: row.description,
    version: row.version,
    status: row.status === "archived" ? "archived" : "active",
    systemPrompt: row.systemPrompt,
    ...(row.model !== null && { model: row.model }),
    harness: row.harness,
    capabilities: capabilities.map(capabilityRef),
    grantedScopes: row.grantedScopes,
    toolPolicies: settings.toolPolicies ?? {},
    limits: settings.limits ?? {},
    approvalExpiry: settings.approvalExpiry ?? { policy: "wait" },
    mayRequestScopes: settings.mayRequestScopes ?? false,
    allowNativeTools: settings.allowNativeTools ?? false,
    ...(settings.provider !== undefined && { provider: settings.provider }),
    ...(settings.documentationUrl !== undefined && { documentationUrl: settings.documentationUrl }),
    metadata: settings.metadata ?? {},
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

export function settingsOf(input: AgentInput): AgentSettings {
  return {
    toolPolicies: { ...input.toolPolicies },
    limits: input.limits,
    approvalExpiry: input.approvalExpiry,
    mayRequestScopes: input.mayRequestScopes,
    allowNativeTools: input.allowNativeTools,
    ...(input.provider !== undefined && { provider: input.provider }),
    ...(input.documentationUrl !== undefined && { documentationUrl: input.documentationUrl }),
    metadata: { ...input.metadata },
  };
}

const capabilityRef = ({ capabilityId, config, prefix, version }: CapabilityRow): CapabilityRef => ({
  id: capabilityId,
  ...(config !== null && config !== undefined && { config }),
  ...(prefix !== null && { prefix }),
  ...(version !== null && { version }),
});
