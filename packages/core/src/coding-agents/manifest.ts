/**
 * A coding agent's manifest file: its capabilities, and what the matrix, `doctor` and the docs need beside them.
 *
 * Everything here is data; the adapter that speaks to the binary is another file.
 */
import type { BuiltInAgentName } from "./agent-name.ts";
import type { AgentTransport, CodingAgentCapabilities } from "./capabilities.ts";

/** Where the seed says one thing and the binary does another. */
export interface Departure {
  /** One field, or several with one reason, with a comma between. */
  readonly field: string;
  readonly seed: string;
  readonly binary: string;
}

export interface CodingAgentManifest {
  readonly capabilities: CodingAgentCapabilities & { readonly agent: BuiltInAgentName };
  readonly displayName: string;
  /** The ways to drive it, the usual one first. */
  readonly transports: readonly [AgentTransport, ...AgentTransport[]];
  /** The command, and older or other names of it, in the order in which they are looked for. */
  readonly commands: readonly [string, ...string[]];
  readonly versionArgs: readonly string[];
  /** A regular expression whose first group is the version, matched against each line of what the command prints. */
  readonly versionPattern: string;
  /** Versions that ran against this manifest: from, up to and with. */
  readonly testedVersions: { readonly from: string; readonly to: string } | null;
  /** The matrix's words where yes and no are not enough. */
  readonly sessionFormat: string;
  readonly streaming: "yes" | "partial" | "no";
  readonly thinking: "yes" | "model-dep" | "no";
  readonly plugins: "yes" | "partial" | "no";
  readonly platformNote?: string;
  /** Environment variables that hold a login; only whether they are set is ever looked at. */
  readonly authVariables: readonly string[];
  readonly departures: readonly Departure[];
}
