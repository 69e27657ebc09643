/** Agents as capabilities of other agents. The engine needs the composer that calls this, so `runs` is read when a tool runs. */
import type { CapabilityRegistry } from "@capstan/core";
import type pg from "pg";
import { storedRelease } from "../../agents/agent-releases.ts";
import type { AgentStore } from "../../agents/agent-store.ts";
import { type OfferAgents, offerAgents } from "../../agents/offer-agents.ts";
import type { Runs } from "../runs.ts";
import { agentCapability } from "./subagents.ts";

export interface DelegationParts {
  readonly pool: pg.Pool;
  readonly agents: AgentStore;
  readonly registry: CapabilityRegistry;
  readonly runs: () => Runs;
}

export function delegation({ pool, agents, registry, runs }: DelegationParts): OfferAgents {
  return offerAgents({
    agents,
    registry,
    releaseOf: (agent) => storedRelease(pool, agent),
    capabilityOf: (agent, release) => agentCapability({ ...agent, release }, { pool, runs }),
  });
}
