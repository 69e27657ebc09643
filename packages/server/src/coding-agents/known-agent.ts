/** A coding agent by the name in a route, or the failure for an unknown one. */
import type { CodingAgentClient, Doctor, MatrixRow, RunHost } from "@capstan/coding-agents";
import { type Failure, fail } from "@capstan/core";
import type { CodingAgentManifest } from "@capstan/core/internal";
import type { ServerModels } from "../models/models.ts";
import type { Settings } from "../settings/settings.ts";

export interface CodingAgents {
  readonly client: CodingAgentClient;
  readonly doctor: Doctor;
  readonly host: RunHost;
  readonly manifests: readonly CodingAgentManifest[];
  /** A manifest as one line of the table that compares them. */
  readonly rowOf: (manifest: CodingAgentManifest) => MatrixRow | undefined;
}

/** Opened at the first question: most servers never ask one. */
export interface LazyCodingAgents {
  open(): Promise<CodingAgents>;
}

/** The first organisation's, whose programs the others may use as well. */
export interface MachinePrograms {
  readonly codingAgents: LazyCodingAgents;
  /** What programs may see a part of. */
  readonly environment: Readonly<Record<string, string>>;
}

/** What the coding agents' routes need of the server. */
export interface CodingAgentRouteParts {
  readonly codingAgents: LazyCodingAgents;
  readonly models: ServerModels;
  /** Folders in which a caller may run an agent. */
  readonly settings: Pick<Settings, "CAPSTAN_CODING_AGENT_FOLDERS">;
}

export async function manifestOf(
  { codingAgents }: CodingAgentRouteParts,
  name: string,
): Promise<CodingAgentManifest | undefined> {
  const { manifests } = await codingAgents.open();
  return manifests.find(({ capabilities }) => capabilities.agent === name);
}

export const unknownAgent = (id: string): Failure => fail("not_found", { what: "coding agent", id }).failure;
