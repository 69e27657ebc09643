/**
 * An agent as a file in a repository, and how it differs from the one a server has. The file is the whole truth: what it
 * leaves out is at its default. Another agent is listed by its name, `{ agent: "Helper" }`, because ids differ by server.
 */
import { z } from "zod";
import { AGENT_DEFAULTS } from "./agent-defaults.ts";
import { fail } from "./failures/fail.ts";
import { ok, type Result } from "./result.ts";
import type { ToolPolicy } from "./tool.ts";
import { whatIsWrong } from "./what-is-wrong.ts";

const options = {
  config: z.record(z.string(), z.unknown()).optional(),
  prefix: z.string().optional(),
  version: z.string().optional(),
};
const Entry = z.union([
  z.string().min(1),
  z.strictObject({ id: z.string().min(1), ...options }),
  z.strictObject({ agent: z.string().min(1), ...options }),
]);

/** Names are checked here, so that a typo is not a default; the values are checked by the server, which knows them. */
const AgentFileSchema = z.strictObject({
  id: z.string().optional(),
  name: z.string().trim().min(1).max(200),
  description: z.string().optional(),
  system_prompt: z.string().optional(),
  model: z.string().optional(),
  harness: z.string().optional(),
  capabilities: z.array(Entry).optional(),
  granted_scopes: z.array(z.string()).optional(),
  tool_policies: z
    .record(
      z.string(),
      z.custom<ToolPolicy>((value) => typeof value === "string"),
    )
    .optional(),
  limits: z
    .strictObject({
      max_steps: z.number().optional(),
      max_seconds: z.number().optional(),
      max_tokens: z.number().optional(),
      max_cost_usd: z.number().optional(),
    })
    .optional(),
  approval_expiry: z
    .strictObject({
      policy: z.enum(["wait", "expire", "escalate"]),
      after_seconds: z.number().optional(),
      to: z.string().optional(),
    })
    .optional(),
  may_request_scopes: z.boolean().optional(),
  allow_native_tools: z.boolean().optional(),
  provider: z.string().optional(),
  documentation_url: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

export type AgentFile = z.input<typeof AgentFileSchema>;
type FileEntry = z.input<typeof Entry>;

/** What an agent is made of, whole, with other agents as `agent.<id>`: what is sent to a server. */
export type AgentFields = { [Field in FieldName]: NonNullable<AgentFile[Field]> | null } & { name: string };
type FieldName = Exclude<keyof AgentFile, "id">;

const FIELDS: readonly FieldName[] = ["name", ...(Object.keys(AGENT_DEFAULTS) as FieldName[])];

/** Only for its types: `export default defineAgent({ ... })`. */
export const defineAgent = (file: AgentFile): AgentFile => file;

export function parseAgentFile(value: unknown): Result<AgentFile> {
  const parsed = AgentFileSchema.safeParse(value);
  return parsed.success ? ok(parsed.data) : fail("agent_file_invalid", { where: whatIsWrong(parsed.error) });
}

/** The names of the agents a file lists. */
export const agentsListedBy = ({ capabilities = [] }: AgentFile): string[] =>
  capabilities.flatMap((entry) => (typeof entry === "object" && "agent" in entry ? [entry.agent] : []));

export function agentFields(file: AgentFile, idOf: (name: string) => Result<string>): Result<AgentFields> {
  const { id: _, capabilities = [], ...rest } = file;
  const entries: FileEntry[] = [];
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
  return ok({ ...AGENT_DEFAULTS, ...given, name: file.name, capabilities: entries });
}

/** What the server's form of an agent has of the fields a file may set. */
export interface ServedAgent extends Omit<AgentFields, "capabilities"> {
  readonly id: string;
  readonly capabilities: readonly string[];
  readonly capability_options: Readonly<Record<string, object>>;
}

export function servedFields(agent: ServedAgent): AgentFields {
  const { capabilities, capability_options } = agent;
  const entries = capabilities.map((id) => plainEntry({ id, ...capability_options[id] }));
  const fields = { ...agent, capabilities: entries };
  return Object.fromEntries(FIELDS.map((field) => [field, fields[field]])) as AgentFields;
}

/** The agent as a file: what is at its default is left out. */
export function agentFile(agent: ServedAgent, nameOf: (id: string) => string | undefined): AgentFile {
  const fields = servedFields(agent);
  const shown = FIELDS.filter((field) => field === "name" || !isSame(fields[field], AGENT_DEFAULTS[field]));
  const file = Object.fromEntries(shown.map((field) => [field, fields[field]])) as AgentFile;
  return {
    id: agent.id,
    ...file,
    ...(file.capabilities && { capabilities: file.capabilities.map((entry) => named(entry, nameOf)) }),
  };
}

const OF_AGENT = /^agent\.(.+)$/;

function named(entry: FileEntry, nameOf: (id: string) => string | undefined): FileEntry {
  const { id, ...more } = typeof entry === "string" ? { id: entry } : "id" in entry ? entry : { id: "" };
  const name = nameOf(OF_AGENT.exec(id)?.[1] ?? "");
  return name === undefined ? entry : { agent: name, ...more };
}

export interface FieldDifference {
  readonly field: FieldName;
  readonly before: unknown;
  readonly after: unknown;
}

/** Field by field; against nothing, what differs from the defaults. */
export function agentDifferences(before: AgentFields | undefined, after: AgentFields): FieldDifference[] {
  const from: Partial<AgentFields> = before ?? AGENT_DEFAULTS;
  return FIELDS.filter((field) => !isSame(from[field], after[field])).map((field) => ({
    field,
    before: from[field] ?? null,
    after: after[field],
  }));
}

/** One form for one thing: an entry without options is its id. */
function plainEntry(entry: string | { id: string; config?: unknown }): FileEntry {
  if (typeof entry === "string") return entry;
  return Object.keys(entry).length === 1 ? entry.id : (entry as FileEntry);
}

const isSame = (left: unknown, right: unknown): boolean => orderedJson(left) === orderedJson(right);

/** The order of keys is no difference. */
const orderedJson = (value: unknown): string =>
  JSON.stringify(value ?? null, (_key, item: unknown) =>
    item !== null && typeof item === "object" && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
