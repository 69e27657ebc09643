/** An agent while it is edited: the form's state, and its conversion to a request body. */
import {
  type Agent,
  type AgentFields,
  type AgentPatch,
  agentDefaults,
  agentPatch,
  type CapabilityEntry,
  type CapabilityOptions,
} from "@capstan/client";

export interface DraftCapability extends CapabilityOptions {
  id: string;
}

/** All fields of an agent; a capability is always an object, so that the form can set options. */
export interface AgentDraft extends Omit<AgentFields, "capabilities"> {
  capabilities: DraftCapability[];
}

const FIELDS = ["name", ...Object.keys(agentDefaults())];

export const BLANK_DRAFT: AgentDraft = { ...agentDefaults(), name: "", capabilities: [] };

export function draftOf(agent: Agent): AgentDraft {
  const fields = Object.fromEntries(Object.entries(agent).filter(([field]) => FIELDS.includes(field)));
  const capabilities = agent.capabilities.map((entry) => (typeof entry === "string" ? { id: entry } : entry));
  return { ...BLANK_DRAFT, ...fields, capabilities };
}

/** The body for create and preview. A capability without options is sent as its id. */
export function bodyOf(draft: AgentDraft): AgentFields {
  return { ...draft, name: draft.name.trim() || "Unnamed", capabilities: draft.capabilities.map(entryOf) };
}

/** The patch that makes the saved agent match the form. */
export const patchOf = (agent: Agent, draft: AgentDraft): AgentPatch => agentPatch(agent, bodyOf(draft));

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

/** Problems of single capabilities: two tools with the same name, or invalid options. */
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

/** A readable prefix that resolves a conflict: `test_weather` becomes `weather_`. */
export const suggestedPrefix = (id: string): string =>
  `${(id.split(/[._-]/).at(-1) ?? id).replaceAll(/[^a-zA-Z0-9]/g, "").slice(0, 24)}_`;
