/**
 * Composes an agent by its id, for a user. Reads one row set per call and recomposes only when something
 * changed: the agent's version, the effective rights, or the registry.
 */
import {
  type AgentSpec,
  type CapabilityRegistry,
  type CountTokens,
  compose,
  fail,
  type Result,
  type RuntimeAgent,
} from "@capstan/core";
import { effectiveScopes, type Follows } from "@capstan/core/internal";
import type { ConfigSeal } from "../users/config-seal.ts";
import type { UserStore } from "../users/user-store.ts";
import type { AgentAuthors } from "./agent-authors.ts";
import type { AgentStore } from "./agent-store.ts";
import type { OfferAgents } from "./offer-agents.ts";
import type { RevisionStore } from "./revision-store.ts";

export interface Composer {
  /** As it is live, or as the session or token that uses it follows it. */
  composeFor(agentId: string, userEmail: string, follows?: Follows | null): Promise<Result<RuntimeAgent>>;
  /** Composes an unsaved agent with the user's rights; one with an id and version of its own is kept under them. */
  preview(spec: AgentSpec, userEmail: string): Promise<Result<RuntimeAgent>>;
  /** Composes with every scope that the agent has, whoever uses it. */
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
  /** Opens the secrets of a config, which nothing else does. */
  unsealConfig?: ConfigSeal["open"];
  /** Takes from an agent what its author may not give. */
  authors: Pick<AgentAuthors, "limit">;
  /** Registers agents that are listed as capabilities. */
  offerAgents?: OfferAgents;
}): Composer {
  const { agents, users, registry, countTokens } = parts;
  const kept = new Map<string, Result<RuntimeAgent>>();
  registry.onChange(() => kept.clear());

  const scopesOf = async ({ id, grantedScopes }: AgentSpec): Promise<string[]> => [
    ...grantedScopes,
    ...(await users.grantsOf(`agent:${id}`)).map(({ scope }) => scope),
  ];

  async function preview(spec: AgentSpec, userEmail: string): Promise<Result<RuntimeAgent>> {
    await parts.offerAgents?.(spec.capabilities);
    const [user, agentScopes] = await Promise.all([users.get(userEmail), scopesOf(spec)]);
    if (!user.isActive) return fail("user_inactive", { user: userEmail });
    return composeWithin(spec, effectiveScopes(agentScopes, user.scopes));
  }

  function composeWithin(spec: AgentSpec, scopes: readonly string[]): Result<RuntimeAgent> {
    const { id, version, mayRequestScopes, toolPolicies, approvalExpiry } = spec;
    const limits = JSON.stringify([mayRequestScopes, toolPolicies, approvalExpiry]); // they follow the author's rights
    const key = `${id} ${version} ${[...scopes].sort().join(" ")} ${limits}`;
    const before = spec.id === "unsaved" ? undefined : kept.get(key);
    if (before) return before;
    const composed = compose(withSecrets(spec, parts.unsealConfig), registry, { scopes }, countTokens);
    if (spec.id !== "unsaved") keep(kept, key, composed);
    return composed;
  }

  return {
    preview,
    async composeOwn(spec) {
      await parts.offerAgents?.(spec.capabilities);
      return composeWithin(spec, await scopesOf(spec));
    },
    async composeFor(agentId, userEmail, follows) {
      const own = follows?.agentId === agentId ? follows : undefined;
      const followed = await parts.revisions?.readFollowed(own);
      const agent = followed ?? (await agents.get(agentId));
      if (!agent.ok) return agent;
      const isPublic = followed === undefined || own?.label === "canary"; // somebody who may made it so
      const limited = await parts.authors.limit(agent.value, isPublic ? undefined : userEmail);
      return limited.ok ? preview(limited.value, userEmail) : limited;
    },
  };
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
