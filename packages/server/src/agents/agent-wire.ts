/**
 * Converts agents between the API (snake_case) and the code (camelCase). Driven by the schema, so a new field needs
 * no change here.
 */
import { isDeepStrictEqual } from "node:util";
import {
  AGENT_KEPT,
  type Agent,
  type AgentCreate,
  AgentFields,
  type AgentPatch,
  agentDefaults,
  type CamelKeys,
  type CapabilityEntry,
  camelCase,
  camelKeys,
  mergePatch,
  snakeKeys,
} from "@capstan/client/wire";
import { type CapabilityRef, fail, ok, type Result } from "@capstan/core";
import { hideSealed, keepSealed, readInput } from "@capstan/core/internal";
import type { AgentInput, AgentRecord } from "@capstan/runtime";
import { z } from "@hono/zod-openapi";

export const agentInput = (body: z.output<typeof AgentCreate>): AgentInput =>
  inOurWords({ ...agentDefaults(), ...settable(body), name: body.name });

/** Applies a merge patch to the agent (RFC 7396): maps are merged, lists and single values are replaced. */
export function patchedInput(before: AgentRecord, patch: z.output<typeof AgentPatch>): Result<AgentInput> {
  const current = agentDto(before);
  const changed = AGENT_KEPT.find((field) => patch[field] !== undefined && patch[field] !== current[field]);
  if (changed !== undefined) return refuseKept(changed, String(patch[changed]), String(current[changed]));
  return mergedInput(current, patch);
}

/** An unsaved agent: read-only fields sent with it are ignored. */
export const unsavedInput = (body: z.output<typeof AgentPatch>): Result<AgentInput> =>
  mergedInput({ ...agentDefaults(), name: "unsaved" }, body);

function mergedInput(current: AgentFields, patch: z.output<typeof AgentPatch>): Result<AgentInput> {
  const merged = Object.entries(settable(patch)).map(([field, value]) => [
    field,
    MERGED.has(field) ? mergePatch(fieldOf(current, field), value) : value,
  ]);
  const read = readInput(AgentFields, { ...settable(current), ...Object.fromEntries(merged) });
  return read.ok
    ? ok(inOurWords(read.value))
    : fail("input_invalid", { where: read.where, issues: read.faults });
}

export const agentDto = (agent: AgentRecord): Agent =>
  Object.fromEntries([...AGENT_KEPT, ...FIELDS].map((field) => [field, wireValue(agent, field)])) as Agent;

/** A change without effect creates no new version. */
export function isSameAgent(before: AgentRecord, after: AgentInput): boolean {
  const { id, version, owner, author, status, createdAt, updatedAt } = before;
  const changed = agentDto({ ...after, id, version, owner, author, status, createdAt, updatedAt });
  return isDeepStrictEqual(agentDto(before), changed);
}

type FieldName = keyof AgentFields;

const FIELDS = Object.keys(AgentFields.shape) as readonly FieldName[];
const isKind = (field: FieldName, ...kinds: (abstract new (...all: never[]) => z.ZodType)[]) =>
  kinds.some((kind) => AgentFields.shape[field] instanceof kind);
/** Maps that a patch merges. A union is one value. */
const MERGED: ReadonlySet<string> = new Set(
  FIELDS.filter((field) => isKind(field, z.ZodObject, z.ZodRecord)),
);
/** Maps whose own fields are renamed too. */
const NESTED: ReadonlySet<string> = new Set(
  FIELDS.filter((field) => isKind(field, z.ZodObject, z.ZodDiscriminatedUnion)),
);

type Given<T> = { [Field in keyof T & FieldName]?: Exclude<T[Field], undefined> };

/** Fields added by the server are left out. */
function settable<T extends object>(body: T): Given<T> {
  const fields = new Map(Object.entries(body));
  return Object.fromEntries(
    FIELDS.flatMap((field) => (fields.get(field) === undefined ? [] : [[field, fields.get(field)]])),
  ) as Given<T>;
}

function refuseKept(field: string, given: string, current: string): Result<never> {
  if (field === "version" || field === "updated_at")
    return fail("conflict", {
      message: `The agent has changed since you read it: its ${field} is now ${current}, not ${given}.`,
      nextStep: "Read it again, then reapply your change.",
    });
  return fail("input_invalid", { where: `${field}: set by the server, it is "${current}"` });
}

type Nullable<F> = { [Field in keyof F]: null extends F[Field] ? Field : never }[keyof F];
type Nested<Field> = Field extends AgentFields["limits" | "approval_expiry"] ? CamelKeys<Field> : Field;
/** An agent's fields under our names: null is absent. */
type InOurWords = CamelKeys<{
  [Field in Exclude<FieldName, Nullable<AgentFields> | "capabilities">]: Nested<AgentFields[Field]>;
}> &
  Partial<CamelKeys<{ [Field in Nullable<AgentFields>]: NonNullable<AgentFields[Field]> }>> & {
    capabilities: CapabilityRef[];
  };

function inOurWords(fields: AgentFields): AgentInput {
  const named = Object.entries(fields).flatMap(([field, value]) =>
    value === null ? [] : [[camelCase(field), NESTED.has(field) ? camelKeys(Object(value)) : value]],
  );
  const capabilities = fields.capabilities.map(capabilityRef);
  return { ...Object.fromEntries(named), capabilities } satisfies InOurWords as InOurWords;
}

function wireValue(agent: AgentRecord, field: string): unknown {
  const value = fieldOf(agent, camelCase(field));
  if (field === "capabilities") return agent.capabilities.map(capabilityEntry);
  if (value instanceof Date) return value.toISOString();
  return NESTED.has(field) ? snakeKeys(Object(value)) : (value ?? null);
}

const fieldOf = (value: object, field: string): unknown =>
  Object.entries(value).find(([name]) => name === field)?.[1];

const capabilityRef = (entry: CapabilityEntry): CapabilityRef =>
  typeof entry === "string" ? { id: entry } : entry;

/** A capability without options is its id. A secret in its config is a placeholder. */
const capabilityEntry = (ref: CapabilityRef): CapabilityEntry =>
  Object.keys(ref).length === 1 ? ref.id : (hideSealed(ref) as CapabilityEntry);

/** The input with the stored secrets restored where their placeholder was sent back. */
export function withKeptSecrets(input: AgentInput, before: AgentRecord | undefined): AgentInput {
  const capabilities = input.capabilities.map((ref) => {
    const stored = before?.capabilities.find(({ id }) => id === ref.id);
    return ref.config === undefined ? ref : { ...ref, config: keepSealed(stored?.config, ref.config) };
  });
  return { ...input, capabilities };
}
