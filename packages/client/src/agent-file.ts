/**
 * An agent as a file in a repository, and how it differs from the one on a server. The file is complete: what it
 * leaves out is at its default. Other agents are listed by name, `{ agent: "Helper" }`, because ids differ per server.
 */
import { fail, ok, type Result } from "@capstan/core";
import { isSameJson, readInput } from "@capstan/core/internal";
import { z } from "zod";
import { agentDefaults } from "./wire/agent-defaults.ts";
import { type Agent, AgentFields, CapabilityEntry, CapabilityOptions } from "./wire/agents.ts";

const Entry = z.union([
  ...CapabilityEntry.options,
  z.strictObject({ agent: z.string().min(1), ...CapabilityOptions.shape }),
]);

const AgentFileSchema = z.strictObject({
  id: z.string().optional(),
  ...AgentFields.partial().shape,
  name: AgentFields.shape.name,
  capabilities: z.array(Entry).optional(),
});

export type AgentFile = z.input<typeof AgentFileSchema>;
type FileEntry = z.input<typeof Entry>;
type FieldName = keyof AgentFields;

const DEFAULTS = agentDefaults();
const FIELDS = Object.keys(AgentFields.shape) as readonly FieldName[];

export function parseAgentFile(value: unknown): Result<AgentFile> {
  const read = readInput(AgentFileSchema, value);
  return read.ok ? read : fail("agent_file_invalid", { where: read.where });
}

/** Names of the agents that a file lists. */
export const agentsListedBy = ({ capabilities = [] }: AgentFile): string[] =>
  capabilities.flatMap((entry) => (typeof entry === "object" && "agent" in entry ? [entry.agent] : []));

/** All fields of an agent, with other agents as `agent.<id>`: the body sent to a server. */
export function agentFields(file: AgentFile, idOf: (name: string) => Result<string>): Result<AgentFields> {
  const { id: _, capabilities = [], ...rest } = file;
  const entries: CapabilityEntry[] = [];
  for (const entry of capabilities) {
    if (typeof entry === "string" || "id" in entry) {
      entries.push(plainEntry(entry));
      continue;
    }
    const { agent, ...more } = entry;
    const found = idOf(agent);
    if (!found.ok) return found;
    entries.push(plainEntry({ id: `agent.${found.value}`, ...more }));
  }
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return ok({ ...agentDefaults(), ...given, name: file.name, capabilities: entries });
}

/** The fields of a server's agent that a file can set. */
export const servedFields = (agent: AgentFields): AgentFields =>
  Object.fromEntries(FIELDS.map((field) => [field, agent[field]])) as AgentFields;

/** The agent as a file, without fields at their default. */
export function agentFile(
  agent: AgentFields & Pick<Agent, "id">,
  nameOf: (id: string) => string | undefined,
): AgentFile {
  const { name, capabilities, ...rest } = servedFields(agent);
  const changed = Object.entries(rest).filter(([field, value]) => !isSameJson(value, defaultOf(field)));
  return {
    id: agent.id,
    name,
    ...Object.fromEntries(changed),
    ...(capabilities.length > 0 && { capabilities: capabilities.map((entry) => named(entry, nameOf)) }),
  };
}

const defaultOf = (field: string): unknown => Object.entries(DEFAULTS).find(([name]) => name === field)?.[1];

const OF_AGENT = /^agent\.(.+)$/;

function named(entry: CapabilityEntry, nameOf: (id: string) => string | undefined): FileEntry {
  const { id, ...more } = typeof entry === "string" ? { id: entry } : entry;
  const name = nameOf(OF_AGENT.exec(id)?.[1] ?? "");
  return name === undefined ? entry : { agent: name, ...more };
}

export interface FieldDifference {
  readonly field: FieldName;
  readonly before: unknown;
  readonly after: unknown;
}

/** Field by field; without a second agent, what differs from the defaults. */
export function agentDifferences(before: AgentFields | undefined, after: AgentFields): FieldDifference[] {
  const from: Partial<AgentFields> = before ?? DEFAULTS;
  return FIELDS.filter((field) => !isSameJson(from[field], after[field])).map((field) => ({
    field,
    before: from[field] ?? null,
    after: after[field],
  }));
}

/** Normalised: an entry without options is its id. */
function plainEntry(entry: CapabilityEntry): CapabilityEntry {
  if (typeof entry === "string") return entry;
  return Object.values(entry).filter((value) => value !== undefined).length === 1 ? entry.id : entry;
}
