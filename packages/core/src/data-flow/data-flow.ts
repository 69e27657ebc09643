/**
 * What a tool brings into a conversation and what it sends out. The gate keeps what was read as labels of the session;
 * rules decide what may follow.
 *
 * Surprisingly, a tool without a declaration counts as an external write but as reading nothing. If both were
 * assumed, the second call of every undeclared tool would require approval, and people would approve without reading.
 */
import type { AnyTool } from "../tool.ts";
import { endpointReads } from "./usual-flow.ts";

/** `untrusted`: text of others, such as a web page or a mail. `private`: data only this user may see. `public`: neither. */
export const DATA_READS = ["untrusted", "private", "public"] as const;
export type DataRead = (typeof DATA_READS)[number];

/** `external`: leaves this installation. `internal`: stays in it. `irreversible`: cannot be undone. */
export const DATA_WRITES = ["external", "internal", "irreversible"] as const;
export type DataWrite = (typeof DATA_WRITES)[number];

/** In a declaration, one word or a list of them. */
export type DeclaredReads = DataRead | readonly DataRead[];
export type DeclaredWrites = DataWrite | readonly DataWrite[];

/** What a session has read; `public` leaves no label. */
export const DATA_LABELS = ["untrusted", "private"] as const;
export type DataLabel = (typeof DATA_LABELS)[number];

export interface DataFlow {
  readonly reads: readonly DataRead[];
  readonly writes: readonly DataWrite[];
  /** The call is made with a stored credential. */
  readonly usesSecrets: boolean;
  /** The model chooses the address that is read, so the address itself can carry data out. */
  readonly reachesAnyAddress: boolean;
}

export type DeclaredFlow = {
  readonly [Key in
    | "reads"
    | "writes"
    | "usesSecrets"
    | "reachesAnyAddress"
    | "endpoint"
    | "risk"
    | "subagent"
    | "handsOverTo"]?: AnyTool[Key] | undefined;
};

export function flowOf(tool: DeclaredFlow, config?: unknown): DataFlow {
  const usesSecrets = secretsUsed(tool, config);
  return {
    reads: tool.reads === undefined ? usualReads(tool, usesSecrets) : listOf(tool.reads),
    writes: tool.writes === undefined ? usualWrites(tool) : listOf(tool.writes),
    usesSecrets,
    reachesAnyAddress: tool.reachesAnyAddress ?? false,
  };
}

const secretsUsed = ({ usesSecrets }: DeclaredFlow, config: unknown): boolean =>
  typeof usesSecrets === "function" ? usesSecrets(config) : (usesSecrets ?? false);

/** A service with a credential returns data of its owner, messages of others among it; one without returns what anyone may have written. */
function usualReads({ endpoint }: DeclaredFlow, usesSecrets: boolean): readonly DataRead[] {
  if (!endpoint) return [];
  if (!usesSecrets) return ["untrusted"];
  return SAFE.has(endpoint.method) ? endpointReads(endpoint.path) : ["private"];
}

/** Another agent's calls pass the gate themselves; delegating to it sends nothing out. */
function usualWrites({ endpoint, risk, subagent, handsOverTo }: DeclaredFlow): readonly DataWrite[] {
  if (subagent || handsOverTo || risk === "read") return [];
  if (risk === "irreversible" || endpoint?.method === "DELETE") return ["external", "irreversible"];
  return endpoint && SAFE.has(endpoint.method) && risk === undefined ? [] : ["external"];
}

const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

const listOf = <Value>(value: Value | readonly Value[]): readonly Value[] =>
  Array.isArray(value) ? value : [value as Value];

/** The labels a call leaves on its session. */
export const labelsOf = ({ reads }: Pick<DataFlow, "reads">): DataLabel[] =>
  DATA_LABELS.filter((label) => reads.includes(label));

/** Whether earlier labels, or those of this call, matter to a call of this tool. */
export const concernsLabels = (flow: DataFlow): boolean =>
  labelsOf(flow).length > 0 || flow.writes.length > 0 || flow.reachesAnyAddress;
