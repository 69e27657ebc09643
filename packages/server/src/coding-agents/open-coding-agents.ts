/** The coding agents of the server's machine: client, doctor and the runs started by callers. Opened on first use. */
import { join } from "node:path";
import type { CodingAgentAdapter, CodingAgentManifest } from "@capstan/core/internal";
import type { Feature } from "../http/feature.ts";
import type { Settings } from "../settings/settings.ts";
import { codingAgentRoutes } from "./coding-agent-routes.ts";
import type {
  CodingAgentRouteParts,
  CodingAgents,
  LazyCodingAgents,
  MachinePrograms,
} from "./known-agent.ts";

export interface CodingAgentParts extends Omit<CodingAgentRouteParts, "codingAgents"> {
  readonly settings: Settings;
  readonly environment: Readonly<Record<string, string>>;
  /** Agents added by the operator, besides the ten. */
  readonly adapters: readonly CodingAgentAdapter[];
  /** Set for an organisation after the first: the same programs, with its own runs. */
  readonly programs?: MachinePrograms | undefined;
}

export function openCodingAgents(
  parts: CodingAgentParts,
): Feature & { readonly codingAgents: LazyCodingAgents } {
  let opened: Promise<CodingAgents> | undefined;
  const codingAgents = { open: () => (opened ??= parts.programs ? openAgain(parts.programs) : open(parts)) };
  return {
    codingAgents,
    routes: [codingAgentRoutes({ ...parts, codingAgents })],
    close: async () => (await opened)?.host.close(),
  };
}

async function openAgain({ codingAgents }: MachinePrograms): Promise<CodingAgents> {
  const { createRunHost } = await import("@capstan/coding-agents");
  const shared = await codingAgents.open();
  return { ...shared, host: createRunHost(shared.client) };
}

async function open({ settings, environment, adapters }: CodingAgentParts): Promise<CodingAgents> {
  const { ALL_MANIFESTS, createRunHost, matrixRows, openLocalAgents } = await import(
    "@capstan/coding-agents"
  );
  const folder = join(settings.CAPSTAN_DATA_DIR, "probes");
  const { doctor, client } = await openLocalAgents({ folder, environment });
  for (const adapter of adapters) client.adapters.register(adapter);
  const rowOf = (manifest: CodingAgentManifest) => matrixRows([manifest])[0];
  return { client, doctor, host: createRunHost(client), manifests: ALL_MANIFESTS, rowOf };
}
