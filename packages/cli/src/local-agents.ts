/** The coding agents of this machine, without a server: the client, and a doctor whose probes it counts on. */
import { access } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import {
  ALL_MANIFESTS,
  BUILT_IN_ADAPTERS,
  type CodingAgentClient,
  createClient,
  createDoctor,
  type Doctor,
  runCommand,
} from "@capstan/coding-agents";
import { type Failure, fail } from "@capstan/core";

/** A failure when one of these names is no coding agent's. */
export function refuseUnknown(agents: readonly string[]): { readonly failure: Failure } | undefined {
  const unknown = agents.find((agent) => !Object.hasOwn(BUILT_IN_ADAPTERS, agent));
  if (unknown === undefined) return undefined;
  return fail("coding_agent_unknown", { agent: unknown, known: Object.keys(BUILT_IN_ADAPTERS) });
}

export interface LocalAgents {
  readonly client: CodingAgentClient;
  readonly doctor: Doctor;
}

type Environment = Readonly<Record<string, string | undefined>>;

export async function openLocalAgents(environment: Environment): Promise<LocalAgents> {
  const env = Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const prober = createClient({ environment: { PATH: env.PATH } }); // a probe must not meet the user's login
  const home = env.HOME ?? homedir();
  const doctor = await createDoctor({
    manifests: ALL_MANIFESTS,
    folder: join(environment.CAPSTAN_DATA_DIR ?? join(home, ".capstan"), "probes"),
    runAgent: (options) => prober.run(options),
    run: runCommand,
    env,
    home,
    exists: (path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    now: () => new Date(),
  });
  return { client: createClient({ environment, effective: (agent) => doctor.effective(agent) }), doctor };
}
