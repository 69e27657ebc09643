/** Saves an agent once it composes, its model can answer and its harness exists; records who did it. */

import { type CapabilityRegistry, fail, ok, type Result, type RuntimeAgent } from "@capstan/core";
import {
  type CapabilityPin,
  capabilityRefused,
  changeSecrets,
  faultsText,
  findCapability,
  holdsSealed,
  NATIVE_AGENT,
  SEALED_SHOWN,
  unknownField,
} from "@capstan/core/internal";
import type {
  AgentAuthors,
  AgentChange,
  AgentInput,
  AgentRecord,
  AgentReleases,
  AgentSharings,
  AgentStore,
  AuditLog,
  Composer,
  Packages,
  RevisionStore,
} from "@capstan/runtime";
import type { Harnesses } from "../harness/open-harnesses.ts";
import { type Caller, isAdmin } from "../http/caller.ts";
import type { ServerModels } from "../models/models.ts";
import { withKeptSecrets } from "./agent-wire.ts";

export interface SaveAgentParts {
  readonly agents: AgentStore;
  readonly sharing: AgentSharings;
  readonly authors: Pick<AgentAuthors, "beyond">;
  readonly registry: CapabilityRegistry;
  readonly audit: AuditLog;
  readonly composer: Composer;
  readonly releases: AgentReleases;
  readonly models: ServerModels;
  readonly harnesses: Harnesses;
  readonly revisions: RevisionStore;
  readonly packages: Pick<Packages, "list">;
}

/** How a change of an agent is kept. */
export interface Saving {
  readonly why?: string | undefined;
  /** Default: the agent's setting. */
  readonly as?: "live" | "draft" | undefined;
  /** The input is a stored revision: its secrets are already sealed. */
  readonly sealed?: boolean | undefined;
}

export async function saveAgent(
  services: SaveAgentParts,
  caller: Caller,
  given: AgentInput,
  before?: AgentRecord,
  { why, as = before?.savesAs ?? "live", sealed = false }: Saving = {},
): Promise<Result<AgentRecord>> {
  const { composer } = services;
  const input = withKeptSecrets(given, before);
  const known =
    !sealed && holdsSealed(given.capabilities)
      ? fail("input_invalid", { where: "capabilities: a sealed value is the server's own" })
      : knowsSecrets(services, input);
  if (!known.ok) return known;
  const allowed = await withinAuthor(services, caller, input, before?.id);
  if (!allowed.ok) return allowed;
  const composed = await composer.preview(
    { ...input, id: "unsaved", version: 0 },
    caller.email,
    sealed ? input.capabilities : before?.capabilities,
  );
  if (!composed.ok) return composed;
  const named = policiesNameTools(composed.value);
  if (!named.ok) return named;
  const can = await canAnswer(services, composed.value);
  if (!can.ok) return can;
  const pins = await pinsOf(services, composed.value);
  const change = { by: caller.email, why, pins, tokens: composed.value.tokens };
  if (before && as === "draft") return saveDraft(services, before, input, change);
  return saveLive(services, before?.id, input, change);
}

async function saveLive(
  services: SaveAgentParts,
  id: string | undefined,
  input: AgentInput,
  change: AgentChange,
): Promise<Result<AgentRecord>> {
  const { agents, audit } = services;
  const saved =
    id === undefined
      ? ok(await agents.create(change.by, input, change))
      : await agents.update(id, input, change);
  if (!saved.ok) return saved;
  const release = await services.releases.current(saved.value);
  if (!release.ok) return release;
  await audit.add({
    actor: change.by,
    action: id === undefined ? "agent.created" : "agent.updated",
    subject: saved.value.id,
    details: {
      name: saved.value.name,
      version: saved.value.version,
      release: release.value,
      granted_scopes: [...saved.value.grantedScopes],
      ...(change.why && { why: change.why }),
    },
  });
  return saved;
}

/** A draft is checked like a live agent, so that promoting it does not fail on faults that were known when it was saved. */
async function saveDraft(
  { revisions, audit }: SaveAgentParts,
  { id, name }: AgentRecord,
  input: AgentInput,
  change: AgentChange,
): Promise<Result<AgentRecord>> {
  const saved = await revisions.addDraft(id, input, change);
  if (!saved.ok) return saved;
  const { number } = saved.value;
  await audit.add({
    actor: change.by,
    action: "agent.drafted",
    subject: id,
    details: { name, revision: number, ...(change.why && { why: change.why }) },
  });
  return ok(saved.value.agent);
}

/** The version of everything the agent is made of, and the hash of what was installed. */
async function pinsOf(
  { packages }: Pick<SaveAgentParts, "packages">,
  { capabilities }: RuntimeAgent,
): Promise<CapabilityPin[]> {
  const installed = (await packages.list()).map(({ record }) => record);
  return capabilities.map(({ id, version }) => {
    const sha256 = installed.find(({ description }) => description.capability === id)?.sha256;
    return { id, version, ...(sha256 !== undefined && { sha256 }) };
  });
}

/** The placeholder of a secret is refused for a secret that was never set: it would be used as the value. */
function knowsSecrets({ registry }: SaveAgentParts, { capabilities }: AgentInput): Result<true> {
  const missing: string[] = [];
  for (const { id, version, config } of capabilities) {
    const schema = findCapability(registry, { id, version })?.config?.jsonSchema;
    changeSecrets(schema, config, (value, path) => {
      if (value === SEALED_SHOWN) missing.push(`${id}: ${path}`);
      return value;
    });
  }
  return missing.length === 0
    ? ok(true)
    : fail("input_invalid", { where: `capabilities: the value is needed of ${missing.join(", ")}` });
}

/** An agent never does more than its author could; anything beyond that needs an admin. */
export async function withinAuthor(
  { authors }: Pick<SaveAgentParts, "authors">,
  caller: Caller,
  input: AgentInput,
  id?: string,
): Promise<Result<true>> {
  const author = { email: caller.email, isAdmin: isAdmin(caller) };
  const beyond = await authors.beyond(input, author, id);
  if (beyond.length === 0) return ok(true);
  return fail("forbidden", {
    message: `This agent would exceed your own rights: ${beyond.join("; ")}.`,
    nextStep: "Remove that, or ask an admin to save the agent.",
  });
}

/** For an agent that is not saved yet. */
export async function canSave(
  services: SaveAgentParts,
  caller: Caller,
  input: AgentInput,
  composed: RuntimeAgent,
): Promise<Result<unknown>> {
  const allowed = await withinAuthor(services, caller, input);
  return allowed.ok ? canAnswer(services, composed) : allowed;
}

/** An unknown model, or one without a key, is reported immediately. Without a model, the server's default is used. */
async function canAnswer(
  { models, harnesses }: SaveAgentParts,
  agent: RuntimeAgent,
): Promise<Result<unknown>> {
  const { harness, model, fallbackModels } = agent.spec;
  if (harness !== NATIVE_AGENT) {
    if (fallbackModels.length > 0) {
      const where = `fallback_models: ${harness} chooses its models itself; they are for the native loop`;
      return fail("input_invalid", { where });
    }
    return harnesses.driver(harness).check(agent);
  }
  if (agent.spec.folder !== undefined)
    return fail("folder_without_tools", { why: "the native loop works on session files" });
  if (agent.spec.thinkingBudget !== undefined) {
    const message = "The native loop takes an effort, not a number of tokens";
    return capabilityRefused(NATIVE_AGENT, "thinkingBudget", message);
  }
  for (const name of [...(model === undefined ? [] : [model]), ...fallbackModels]) {
    const known = await models.check(name);
    if (!known.ok) return known;
  }
  return ok(true);
}

/** A policy for a tool that the agent does not have would protect nothing. A coding agent has tools we do not know. */
function policiesNameTools({ spec, tools, hidden }: RuntimeAgent): Result<true> {
  if (spec.harness !== NATIVE_AGENT) return ok(true);
  const known = [...tools, ...hidden].map(({ name }) => name);
  const faults = Object.keys(spec.toolPolicies)
    .filter((name) => !known.includes(name))
    .map((name) => ({ path: "tool_policies", message: unknownField(name, known) }));
  return faults.length === 0
    ? ok(true)
    : fail("input_invalid", { where: faultsText(faults), issues: faults });
}
