/** The doctor with real effects: this machine's commands and files, and a client for probes that only gets PATH. */
import { homedir } from "node:os";
import { ALL_MANIFESTS } from "../built-in/manifests.ts";
import { createClient } from "../client.ts";
import type { CodingAgentClient } from "../coding-agent-client.ts";
import { runCommand } from "../command/run-command.ts";
import { createDoctor, type Doctor } from "./doctor.ts";
import { exists } from "./probe-place.ts";

/** A doctor, and the client whose runs count on what it found. */
export interface LocalAgents {
  readonly doctor: Doctor;
  readonly client: CodingAgentClient;
}

/** The coding agents on this machine: used by the command line and the server. */
export async function openLocalAgents(options: OpenDoctorOptions): Promise<LocalAgents> {
  const doctor = await openDoctor(options);
  const { environment } = options;
  return { doctor, client: createClient({ environment, effective: (agent) => doctor.effective(agent) }) };
}

export interface OpenDoctorOptions {
  /** Where probe reports are kept. */
  readonly folder: string;
  /** The environment to inspect: PATH for commands, names of variables that hold logins. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export function openDoctor({ folder, environment }: OpenDoctorOptions): Promise<Doctor> {
  const env = Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  // A user's provider setting must not direct a probe to a real model.
  const probing = createClient({ environment: { PATH: env.PATH } });
  return createDoctor({
    manifests: ALL_MANIFESTS,
    folder,
    runAgent: (options) => probing.run(options),
    now: () => new Date(),
    run: runCommand,
    env,
    home: env.HOME ?? homedir(),
    exists,
  });
}
