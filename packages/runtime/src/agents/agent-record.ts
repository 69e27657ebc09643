/** An agent as stored, and the conversion from a row. */
import type { AgentSpec, CapabilityRef } from "@capstan/core";
import { AGENT_DEFAULTS } from "@capstan/core/internal";

export interface AgentRecord extends AgentSpec {
  readonly owner: string;
  /** Who saved this version; the owner if unknown. */
  readonly author: string;
  readonly status: "active" | "archived";
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Fields a caller sets to create or change an agent; the store adds the rest. */
export type AgentInput = Omit<AgentSpec, "id" | "version">;

/** Fields with their own column, because queries read them; all others are in one document. */
type Column = "name" | "description" | "systemPrompt" | "model" | "harness" | "grantedScopes";
export type AgentSettings = Partial<Omit<AgentInput, Column | "capabilities">>;

export interface AgentRow {
  id: string;
  owner: string;
  author: string;
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

/** A row written before a field existed gets its default. */
export function agentRecord(row: AgentRow, capabilities: readonly CapabilityRow[]): AgentRecord {
  const { settings, model, status, ...columns } = row;
  return {
    ...AGENT_DEFAULTS,
    ...(settings as AgentSettings), // written only by `settingsOf`
    ...columns,
    ...(model !== null && { model }),
    status: status === "archived" ? "archived" : "active",
    capabilities: capabilities.map(capabilityRef),
  };
}

export function settingsOf(input: AgentInput): AgentSettings {
  const { name, description, systemPrompt, model, harness, grantedScopes, capabilities, ...settings } = input;
  return settings;
}

const capabilityRef = ({ capabilityId, config, prefix, version }: CapabilityRow): CapabilityRef => ({
  id: capabilityId,
  ...(config !== null && config !== undefined && { config }),
  ...(prefix !== null && { prefix }),
  ...(version !== null && { version }),
});
