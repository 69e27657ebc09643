/** An agent while it is edited: what the form holds, and how that becomes the body the server takes. */
import type { Agent, AgentLimits, AgentPatch, CapabilityEntry, CapabilityOptions } from "@capstan/client";
import { AGENT_DEFAULTS } from "@capstan/core/internal";

export interface DraftCapability extends CapabilityOptions {
  id: string;
}

export interface AgentDraft extends Omit<AgentPatch, "capabilities"> {
  name: string;
  description: string;
  system_prompt: string;
  model: string | null;
  harness: string;
  capabilities: DraftCapability[];
  granted_scopes: string[];
  tool_policies: NonNullable<AgentPatch["tool_policies"]>;
  limits: AgentLimits;
  approval_expiry: NonNullable<AgentPatch["approval_expiry"]>;
  may_request_scopes: boolean;
  allow_native_tools: boolean;
}

export const BLANK_DRAFT: AgentDraft = { name: "", ...AGENT_DEFAULTS };

export function draftOf(agent: Agent): AgentDraft {
  const { name, description, system_prompt, model, harness, granted_scopes, tool_policies, limits } = agent;
  const { approval_expiry, may_request_scopes, allow_native_tools } = agent;
  return {
    name,
    description,
    system_prompt,
    model,
    harness,
    granted_scopes,
    tool_policies,
    limits,
    approval_expiry,
    may_request_scopes,
    allow_native_tools,
    capabilities: agent.capabilities.map((id) => ({ id, ...agent.capability_options[id] })),
  };
}

/** The body for create, update and preview. A capability without options is sent as its id. */
export function patchOf(draft: AgentDraft): AgentPatch {
  return { ...draft, name: draft.name.trim() || "Unnamed", capabilities: draft.capabilities.map(entryOf) };
}

function entryOf({ id, config, prefix, version }: DraftCapability): CapabilityEntry {
  const options = {
    ...(config && Object.keys(config).length > 0 && { config }),
    ...(prefix && { prefix }),
    ...(version && { version }),
  };
  return Object.keys(options).length > 0 ? { id, ...options } : id;
}

export function toggled(capabilities: readonly DraftCapability[], id: string): DraftCapability[] {
  const without = capabilities.filter((each) => each.id !== id);
  return without.length < capabilities.length ? without : [...capabilities, { id }];
}

export function moved<T>(items: readonly T[], from: number, to: number): T[] {
  const item = items[from];
  return item === undefined || to < 0 || to >= items.length
    ? [...items]
    : items.toSpliced(from, 1).toSpliced(to, 0, item);
}

/** What is wrong with single capabilities: two tools of one name, or options that do not fit. */
export interface Flagged {
  readonly ids: readonly string[];
  readonly fault: "conflict" | "config" | undefined;
}

const FAULTS: Record<string, Flagged["fault"]> = {
  tool_conflict: "conflict",
  capability_config_invalid: "config",
};

/** A refusal names the capabilities in quotes. */
export function flaggedBy(
  failure: { code: string; message: string } | undefined,
  capabilities: readonly DraftCapability[],
): Flagged {
  const fault = failure && FAULTS[failure.code];
  if (!fault) return { ids: [], fault: undefined };
  return {
    ids: capabilities.filter(({ id }) => failure.message.includes(`"${id}"`)).map(({ id }) => id),
    fault,
  };
}

/** A prefix that ends a conflict and reads well: `test_weather` becomes `weather_`. */
export const suggestedPrefix = (id: string): string =>
  `${(id.split(/[._-]/).at(-1) ?? id).replaceAll(/[^a-zA-Z0-9]/g, "").slice(0, 24)}_`;
