/** Agents as capabilities of other agents. The engine that runs them needs the composer, so it comes later than this. */
import type { CapabilityRegistry } from "@capstan/core";
import {
  type AgentStore,
  agentCapability,
  type Database,
  type OfferAgents,
  offerAgents,
  type Runs,
} from "@capstan/runtime";

export function delegation(
  { pool }: Database,
  agents: AgentStore,
  registry: CapabilityRegistry,
  engine: () => Runs | undefined,
): OfferAgents {
  const runs = () => {
    const running = engine();
    if (!running) throw new Error("a tool ran before the engine was open");
    return running;
  };
  return offerAgents({ agents, registry, capabilityOf: (agent) => agentCapability(agent, { pool, runs }) });
}
