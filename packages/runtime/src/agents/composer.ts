/**
 * Composes an agent by its id, for a user. Reads one row set per call and recomposes only when something
 * changed: the agent's version, the effective rights, or the registry.
 */
import {
  type AgentSpec,
  type CapabilityRef,
  type CapabilityRegistry,
  type CountTokens,
  compose,
  fail,
  ok,
  type Refused,
  type Result,
  type RuntimeAgent,
} from "@capstan/core";
import { effectiveScopes, type Follows, includesRight, rightFor } from "@capstan/core/internal";
import { KeptBriefly } from "../db/kept-briefly.ts";
import type { PolicyChanges } from "../db/policy-changes.ts";
import type { ConfigSeal } from "../users/config-seal.ts";
import type { UserRecord, UserStore } from "../users/user-store.ts";
import type { AgentAuthors } from "./agent-authors.ts";
import type { AgentStore } from "./agent-store.ts";
import { onKeptVersions } from "./kept-version-refs.ts";
import { delegateIdOf, type OfferAgents } from "./offer-agents.ts";
import type { RevisionStore } from "./revision-store.ts";

export interface Composer {
  /** For use by this user: the live agent, or the revision that the session or token follows. */
  composeFor(agentId: string, userEmail: string, follows?: Follows | null): Promise<Result<RuntimeAgent>>;
  /** The same for display, which needs the right to read only. */
  showFor(agentId: string, userEmail: string, follows?: Follows | null): Promise<Result<RuntimeAgent>>;
  /** Whether this person may use the capability; an agent that they cannot see counts as missing. */
  knows(capabilityId: string, userEmail: string): Promise<boolean>;
  /**
   * An unsaved agent with the user's rights, to look at; one with an id and version of its own is kept under them. `listed`: what
   * the agent already has, saved by somebody else.
   */
  preview(
    spec: AgentSpec,
    userEmail: string,
    listed?: readonly CapabilityRef[],
  ): Promise<Result<RuntimeAgent>>;
  /** The same, for use. */
  composeUnsaved(spec: AgentSpec, userEmail: string): Promise<Result<RuntimeAgent>>;
  /** A saved agent with unsaved changes, under its own id and rights; cached by its whole content. */
  composeTrial(spec: AgentSpec, userEmail: string): Promise<Result<RuntimeAgent>>;
  /** Asks `make` again only after a moment or a change of agents, rights or capabilities: hundreds of replays begin in one. */
  keptTrial(key: string, make: () => Promise<Result<RuntimeAgent>>): Promise<Result<RuntimeAgent>>;
  /** Limited to its author's rights: the live agent, or a revision that this user chooses. */
  readSpec(agentId: string, userEmail: string, revision?: number): Promise<Result<AgentSpec>>;
  /** The revision that an earlier run used, on the versions of capabilities that it had where they are kept. */
  readRecorded(
    agentId: string,
    revision: number,
    versions?: Readonly<Record<string, string>>,
  ): Promise<Result<AgentSpec>>;
  /** Composes with all of the agent's scopes, regardless of the user. */
  composeOwn(spec: AgentSpec): Promise<Result<RuntimeAgent>>;
}

const MOST_KEPT = 1000; // composed agents are a few kilobytes each; beyond this the oldest is evicted

export function createComposer(parts: {
  agents: AgentStore;
  /** The revisions that sessions and tokens follow. */
  revisions?: Pick<RevisionStore, "readFollowed">;
  users: UserStore;
  registry: CapabilityRegistry;
  countTokens: CountTokens;
  /** Unseals the secrets of a config; nothing else does. */
  unsealConfig?: ConfigSeal["open"];
  /** Removes from an agent what its author may not grant. */
  authors: Pick<AgentAuthors, "limit">;
  /** Whether this person may use the agent at all; every use of an agent by anyone comes through here. */
  mayUse?: MayPerson | undefined;
  /** Whether they may still change it: only then do they have the revision that they once chose. */
  mayChange?: MayPerson | undefined;
  /** Registers agents that are listed as capabilities. */
  offerAgents?: OfferAgents;
  /** Announces changes of agents and rights. */
  policyChanges?: Pick<PolicyChanges, "onChange">;
}): Composer {
  const { agents, users, registry, countTokens, offerAgents } = parts;
  const kept = new Map<string, Result<RuntimeAgent>>();
  const trials = new KeptBriefly<Result<RuntimeAgent>>();
  registry.onChange(() => {
    kept.clear();
    trials.clear();
  });
  parts.policyChanges?.onChange(() => trials.clear());

  const scopesOf = scopesWith(users);

  async function preview(
    spec: AgentSpec,
    userEmail: string,
    action: "see" | "use",
    { isTrial, listed }: PreviewOptions = {},
  ): Promise<Result<RuntimeAgent>> {
    const refused = listed && (await unknownIn(spec, listed, userEmail, knows));
    if (refused) return refused;
    await offerAgents?.(spec.capabilities);
    const [user, agentScopes] = await Promise.all([users.get(userEmail), scopesOf(spec)]);
    return refusalOf(user, action) ?? composeWithin(spec, effectiveScopes(agentScopes, user.scopes), isTrial);
  }

  function composeWithin(spec: AgentSpec, scopes: readonly string[], isTrial = false): Result<RuntimeAgent> {
    const key = keyOf(spec, scopes, isTrial);
    const before = key === undefined ? undefined : kept.get(key);
    if (before) return before;
    const composed = compose(withSecrets(spec, parts.unsealConfig), registry, { scopes }, countTokens);
    if (key !== undefined) keep(kept, key, composed);
    return composed;
  }

  /** `chosenBy`: the user of a revision that was never made live by someone who may. */
  async function specOf(
    agentId: string,
    chosenBy: string | undefined,
    follows?: Follows,
  ): Promise<Result<AgentSpec>> {
    const followed = await parts.revisions?.readFollowed(follows);
    const agent = followed ?? (await agents.get(agentId));
    return agent.ok ? parts.authors.limit(agent.value, followed ? chosenBy : undefined) : agent;
  }

  const { mayUse: isKnownTo = everybody, mayChange = everybody } = parts;
  const refusedUse = useRefusal(isKnownTo, mayChange);
  const knows = knowsThrough(isKnownTo);
  const composeSaved =
    (action: "see" | "use"): Composer["composeFor"] =>
    async (agentId, userEmail, follows) => {
      const own = follows?.agentId === agentId ? follows : undefined;
      const refused = await refusedUse(agentId, userEmail, own);
      if (refused) return refused;
      const limited = await specOf(agentId, isChosen(own) ? userEmail : undefined, own);
      return limited.ok ? preview(limited.value, userEmail, action) : limited;
    };
  return {
    knows,
    preview: (spec, userEmail, listed = []) => preview(spec, userEmail, "see", { listed }),
    composeUnsaved: (spec, userEmail) => preview(spec, userEmail, "use", { listed: [] }),
    composeTrial: (spec, userEmail) => preview(spec, userEmail, "see", { isTrial: true }),
    keptTrial: (key, make) => trials.get(key, make),
    async readSpec(agentId, userEmail, revision) {
      if (!(await isKnownTo(agentId, userEmail))) return unknown(agentId);
      return specOf(agentId, userEmail, revision === undefined ? undefined : { agentId, revision });
    },
    async composeOwn(spec) {
      await offerAgents?.(spec.capabilities);
      return composeWithin(spec, await scopesOf(spec));
    },
    readRecorded: async (agentId, revision, versions = {}) =>
      onVersions(await specOf(agentId, undefined, { agentId, revision }), versions, registry),
    composeFor: composeSaved("use"),
    showFor: composeSaved("see"),
  };
}

const onVersions = (
  spec: Result<AgentSpec>,
  versions: Readonly<Record<string, string>>,
  registry: CapabilityRegistry,
): Result<AgentSpec> =>
  spec.ok
    ? ok({ ...spec.value, capabilities: onKeptVersions(spec.value.capabilities, versions, registry) })
    : spec;

interface PreviewOptions {
  readonly isTrial?: boolean;
  /** Set when the caller names the capabilities: those that were already listed. */
  readonly listed?: readonly CapabilityRef[];
}

type MayPerson = (agentId: string, userEmail: string) => Promise<boolean>;

const everybody: MayPerson = async () => true;

const useRefusal =
  (mayUse: MayPerson, mayChange: MayPerson) =>
  async (agentId: string, userEmail: string, follows: Follows | undefined): Promise<Refused | undefined> => {
    if (!(await mayUse(agentId, userEmail))) return unknown(agentId);
    return !isChosen(follows) || (await mayChange(agentId, userEmail)) ? undefined : NOT_CHOSEN;
  };

/** The server itself assigns canaries. */
const isChosen = (follows: Follows | undefined): boolean =>
  follows !== undefined && follows.label !== "canary";

const scopesWith =
  (users: Pick<UserStore, "grantsOf">) =>
  async ({ id, grantedScopes }: AgentSpec): Promise<string[]> => [
    ...grantedScopes,
    ...(await users.grantsOf(`agent:${id}`)).map(({ scope }) => scope),
  ];

const NOT_CHOSEN = fail("forbidden", {
  message: "This follows a chosen revision of the agent, and its user may not change the agent any more.",
  nextStep: "Start a new session, or create a new token: it uses the live revision.",
});

const unknown = (agentId: string) => fail("not_found", { what: "agent", id: agentId });

const knowsThrough =
  (isKnownTo: MayPerson): Composer["knows"] =>
  async (capabilityId, userEmail) => {
    const agentId = delegateIdOf(capabilityId);
    return agentId === undefined || isKnownTo(agentId, userEmail);
  };

/** An agent that the caller may not see is reported as an unknown capability. */
async function unknownIn(
  { capabilities }: AgentSpec,
  listed: readonly CapabilityRef[],
  userEmail: string,
  knows: Composer["knows"],
): Promise<Refused | undefined> {
  const old = new Set(listed.map(({ id }) => id));
  for (const { id } of capabilities)
    if (!old.has(id) && !(await knows(id, userEmail))) return fail("capability_unknown", { id, nearest: [] });
  return undefined;
}

/** A trial has the id and version of the saved agent, so its whole content is the key. Undefined: not cached. */
function keyOf(spec: AgentSpec, scopes: readonly string[], isTrial: boolean): string | undefined {
  const { id, version, mayRequestScopes, toolPolicies, approvalExpiry } = spec;
  const allowed = [...scopes].sort().join(" ");
  if (isTrial) return `trial ${allowed} ${JSON.stringify(spec)}`;
  const limits = JSON.stringify([mayRequestScopes, toolPolicies, approvalExpiry]); // they follow the author's rights
  return id === "unsaved" ? undefined : `${id} ${version} ${allowed} ${limits}`;
}

/** A token, login or schedule may outlive the role it was made with. A user with keys only is limited by those. */
function refusalOf({ email, isActive, role }: UserRecord, action: "see" | "use"): Refused | undefined {
  if (!isActive) return fail("user_inactive", { user: email });
  const needed = rightFor("agent", action);
  const may = role === undefined || (needed !== undefined && includesRight([role], needed));
  return may ? undefined : fail("user_may_not_run", { user: email });
}

function withSecrets(spec: AgentSpec, open: ConfigSeal["open"] | undefined): AgentSpec {
  if (open === undefined) return spec;
  const capabilities = spec.capabilities.map(({ config, ...rest }) =>
    config === undefined ? rest : { ...rest, config: open(rest.id, config) },
  );
  return { ...spec, capabilities };
}

function keep(kept: Map<string, Result<RuntimeAgent>>, key: string, composed: Result<RuntimeAgent>): void {
  kept.set(key, composed);
  const oldest = kept.keys().next().value;
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
}
