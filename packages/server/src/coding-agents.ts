/** The coding agents of the server's machine: client, doctor and the runs that callers started. Opened at the first question. */
import { access } from "node:fs/promises";
import { join } from "node:path";
import {
  ALL_MANIFESTS,
  type CodingAgentClient,
  createClient,
  createDoctor,
  createRunHost,
  type Doctor,
  type RunHost,
  runCommand,
} from "@capstan/coding-agents";
import type { CodingAgentAdapter } from "@capstan/core";
import type { Settings } from "./settings.ts";

export interface CodingAgents {
  readonly client: CodingAgentClient;
  readonly doctor: Doctor;
  readonly host: RunHost;
}

export interface LazyCodingAgents {
  open(): Promise<CodingAgents>;
  close(): Promise<void>;
}

/** `more`: adapters of the operator's own, beside the ten. */
export function codingAgents(
  settings: Settings,
  environment: Readonly<Record<string, string>>,
  more: readonly CodingAgentAdapter[] = [],
): LazyCodingAgents {
  let opened: Promise<CodingAgents> | undefined;
  return {
    open: () => (opened ??= open(settings, environment, more)),
    close: async () => (await opened)?.host.close(),
  };
}

async function open(
  settings: Settings,
  env: Readonly<Record<string, string>>,
  more: readonly CodingAgentAdapter[],
): Promise<CodingAgents> {
  const prober = createClient({ environment: { PATH: env.PATH } }); // a probe must not meet the operator's login
  const doctor = await createDoctor({
    manifests: ALL_MANIFESTS,
    folder: join(settings.CAPSTAN_DATA_DIR, "probes"),
    runAgent: (options) => prober.run(options),
    run: runCommand,
    env,
    home: env.HOME ?? "/",
    exists: (path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    now: () => new Date(),
  });
  const client = createClient({ environment: env, effective: (agent) => doctor.effective(agent) });
  for (const adapter of more) client.adapters.register(adapter);
  return { client, doctor, host: createRunHost(client) };
}
