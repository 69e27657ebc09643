/** The coding agents of the server's machine: client, doctor and the runs that callers started. Opened at the first question. */
import { join } from "node:path";
import type { CodingAgentClient, Doctor, MatrixRow, RunHost } from "@capstan/coding-agents";
import type { CodingAgentAdapter, CodingAgentManifest } from "@capstan/core/internal";
import type { Settings } from "../settings/settings.ts";

export interface CodingAgents {
  readonly client: CodingAgentClient;
  readonly doctor: Doctor;
  readonly host: RunHost;
  readonly manifests: readonly CodingAgentManifest[];
  /** A manifest as one line of the table that compares them. */
  readonly rowOf: (manifest: CodingAgentManifest) => MatrixRow | undefined;
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
  const { ALL_MANIFESTS, createRunHost, matrixRows, openLocalAgents } = await import(
    "@capstan/coding-agents"
  );
  const folder = join(settings.CAPSTAN_DATA_DIR, "probes");
  const { doctor, client } = await openLocalAgents({ folder, environment: env });
  for (const adapter of more) client.adapters.register(adapter);
  const rowOf = (manifest: CodingAgentManifest) => matrixRows([manifest])[0];
  return { client, doctor, host: createRunHost(client), manifests: ALL_MANIFESTS, rowOf };
}
