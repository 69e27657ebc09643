/** The coding agents on this machine, without a server: the client, and a doctor whose probes it uses. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { BUILT_IN_ADAPTERS, type LocalAgents, openLocalAgents as openAgents } from "@capstan/coding-agents";
import { type Failure, fail } from "@capstan/core";

/** A failure when one of these names is not a coding agent. */
export function refuseUnknown(agents: readonly string[]): { readonly failure: Failure } | undefined {
  const unknown = agents.find((agent) => !Object.hasOwn(BUILT_IN_ADAPTERS, agent));
  if (unknown === undefined) return undefined;
  return fail("coding_agent_unknown", { agent: unknown, known: Object.keys(BUILT_IN_ADAPTERS) });
}

/** Probes are stored where a server reads them: in the folder of a server started here, otherwise in the home folder. */
export function openLocalAgents(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<LocalAgents> {
  const home = environment.HOME ?? homedir();
  const here = resolve(".capstan");
  const dataDir = environment.CAPSTAN_DATA_DIR ?? (existsSync(here) ? here : join(home, ".capstan"));
  const folder = join(dataDir, "probes");
  return openAgents({ folder, environment });
}
