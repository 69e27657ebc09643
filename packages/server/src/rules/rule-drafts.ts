/** Checks a rule before it is saved: who may write it, and whether the tools and fields it names exist. */
import { type Rule, RuleCreate, RulePatch } from "@capstan/client/wire";
import { type AnyTool, type Capability, type CapabilityRegistry, fail, ok, type Result } from "@capstan/core";
import { faultsText, flowOf, joinNeeds, type KnownTool, riskOf, ruleFaults } from "@capstan/core/internal";
import { type Composer, compileCel, type RuleDraft } from "@capstan/runtime";
import type { z } from "@hono/zod-openapi";
import { seesAll } from "../auth/ownership.ts";
import type { Caller } from "../http/caller.ts";
import { changesOf, mergedWith } from "../http/sent-back.ts";
import { draftOf } from "./rule-dto.ts";

export interface RuleDraftParts {
  readonly registry: CapabilityRegistry;
  readonly composer: Composer;
}

export const mayWrite = ({ owner }: Pick<RuleDraft, "owner">, caller: Caller): boolean =>
  seesAll(caller) || owner === caller.email;

export const forEverybody = () =>
  fail("forbidden", {
    message: "Only an admin can change rules that apply to everyone or to other users.",
    nextStep: 'Create a rule for your own calls: leave out "user", or set it to your own address.',
  });

/** Without the right admin a rule is one's own, unless it says otherwise, which is refused. */
export const withOwner = (draft: RuleDraft, sent: string | null | undefined, caller: Caller): RuleDraft =>
  sent === undefined && !seesAll(caller) ? { ...draft, owner: caller.email } : draft;

export const checkedDraft = async (
  parts: RuleDraftParts,
  draft: RuleDraft,
  caller: Caller,
): Promise<Result<RuleDraft>> =>
  mayWrite(draft, caller) ? checkedTools(parts, draft, caller.email) : forEverybody();

/** A rule on a missing tool or field would silently never match. */
export async function checkedTools(
  { registry, composer }: RuleDraftParts,
  draft: RuleDraft,
  email: string,
  place = "",
): Promise<Result<RuleDraft>> {
  const theirs: Capability[] = [];
  for (const each of registry.list()) if (await composer.knows(each.id, email)) theirs.push(each);
  const known: KnownTool[] = theirs.flatMap(({ id, tools, connections }) =>
    tools.map((tool) => ({
      ...knownTool(tool.name, id, tool),
      connections: providersOf(connections, tool),
    })),
  );
  if (draft.agentId !== undefined) {
    const agent = await composer.composeFor(draft.agentId, email);
    if (!agent.ok) return agent;
    for (const { name, capabilityId, tool, config, connections, scopes } of agent.value.tools)
      known.push({
        ...knownTool(name, capabilityId, tool, config),
        scopes,
        connections: connections.map(({ provider }) => provider),
      });
  }
  const faults = ruleFaults(draft, known, compileCel).map(({ path, message }) => ({
    path: place + path,
    message,
  }));
  return faults.length === 0
    ? ok(draft)
    : fail("input_invalid", { where: faultsText(faults), issues: faults });
}

/** Accounts that depend on an agent's config are known only for the agent's own tools. */
const providersOf = (shared: Capability["connections"], { connections }: AnyTool): string[] =>
  joinNeeds(shared, typeof connections === "function" ? undefined : connections).map(
    ({ provider }) => provider,
  );

const knownTool = (name: string, capabilityId: string, tool: AnyTool, config?: unknown): KnownTool => ({
  name,
  ownName: tool.name,
  capabilityId,
  risk: riskOf(tool),
  flow: flowOf(tool, config),
  scopes: tool.scopes,
  connections: [],
  inputSchema: tool.input.jsonSchema,
});

/** Undefined: nothing changes. */
export async function changedDraft(
  parts: RuleDraftParts,
  current: Rule,
  patch: z.output<typeof RulePatch>,
  caller: Caller,
): Promise<Result<RuleDraft | undefined>> {
  const changes = changesOf({ schema: RulePatch, what: "rule", current }, patch);
  if (!changes.ok || Object.keys(changes.value).length === 0) return changes.ok ? ok(undefined) : changes;
  // An expiry is one value of several shapes: a new one replaces the old one instead of being merged with it.
  const ask = changes.value.ask?.expiry ? { ...current.ask, expiry: undefined } : current.ask;
  const merged = mergedWith(RuleCreate, { ...current, ask }, changes.value);
  if (!merged.ok) return merged;
  const draft = draftOf(merged.value);
  const checked = await checkedDraft(parts, draft, caller);
  return checked.ok ? ok(draft) : checked;
}
