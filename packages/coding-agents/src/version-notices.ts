/**
 * Warns about runs with an untested version, and how to probe it. The version is queried once per client, in
 * parallel, so that no run waits for it.
 */
import { fail } from "@capstan/core";
import type { AgentName, CodingAgentEvent } from "@capstan/core/internal";
import type { AdapterRegistry } from "./adapter-registry.ts";
import { ALL_MANIFESTS } from "./built-in/manifests.ts";
import type { ClientOptions } from "./coding-agent-client.ts";
import { standingOf } from "./doctor/version-standing.ts";

export function versionNotices(
  adapters: AdapterRegistry,
  effective: ClientOptions["effective"],
): (agent: AgentName) => Promise<readonly CodingAgentEvent[]> {
  const known = new Map<string, Promise<readonly CodingAgentEvent[]>>();
  return (agent) => {
    const asked = known.get(agent) ?? noticesOf(agent, adapters, effective);
    known.set(agent, asked);
    return asked;
  };
}

async function noticesOf(
  agent: AgentName,
  adapters: AdapterRegistry,
  effective: ClientOptions["effective"],
): Promise<readonly CodingAgentEvent[]> {
  const tested = ALL_MANIFESTS.find(({ capabilities }) => capabilities.agent === agent)?.testedVersions;
  if (!tested) return [];
  const { version } = await adapters.detect(agent);
  if (version === undefined || standingOf(version, tested) === "tested") return [];
  // A probe of this version on this machine is a test too.
  if (Object.keys(effective?.(agent)?.observed ?? {}).length > 0) return [];
  const range = tested.from === tested.to ? tested.to : `${tested.from} to ${tested.to}`;
  const { code, message, nextStep } = fail("coding_agent_version_untested", {
    agent,
    version,
    tested: range,
  }).failure;
  return [{ type: "warning", code, message: `${message}. ${nextStep}` }];
}
