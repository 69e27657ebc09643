/** The coding agents of this machine, without a server: the client, and a doctor whose probes it counts on. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { BUILT_IN_ADAPTERS, type LocalAgents, openLocalAgents as openAgents } from "@capstan/coding-agents";
import { type Failure, fail } from "@capstan/core";

/** A failure when one of these names is no coding agent's. */
export function refuseUnknown(agents: readonly string[]): { readonly failure: Failure } | undefined {
  const unknown = agents.find((agent) => !Object.hasOwn(BUILT_IN_ADAPTERS, agent));
  if (unknown === undefined) return undefined;
  return fail("coding_agent_unknown", { agent: unknown, known: Object.keys(BUILT_IN_ADAPTERS) });
}

/** Probes are kept where a server reads them: one that was started here, else the one of the home folder. */
export function openLocalAgents(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<LocalAgents> {
  const home = environment.HOME ?? homedir();
  const here = resolve(".capstan");
  const dataDir = environment.CAPSTAN_DATA_DIR ?? (existsSync(here) ? here : join(home, ".capstan"));
  const folder = join(dataDir, "probes");
  return openAgents({ folder, environment });
}
