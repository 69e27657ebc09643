/**
 * A coding agent's manifest file: its capabilities, and what the matrix, `doctor` and the docs need as well.
 *
 * Everything here is data; the adapter that speaks to the binary is another file.
 */
import type { AgentTransport, CodingAgentCapabilities } from "./capabilities.ts";

/** Where the seed and the binary disagree. */
export interface Departure {
  /** One field, or several with the same reason, separated by commas. */
  readonly field: string;
  readonly seed: string;
  readonly binary: string;
}

export interface CodingAgentManifest {
  readonly capabilities: CodingAgentCapabilities;
  readonly displayName: string;
  /** Available transports, the default first. */
  readonly transports: readonly [AgentTransport, ...AgentTransport[]];
  /** The command and its former or alternative names, in lookup order. */
  readonly commands: readonly [string, ...string[]];
  readonly versionArgs: readonly string[];
  /** A regular expression whose first group is the version, matched against each output line of the command. */
  readonly versionPattern: string;
  /** Tested versions: from and to, inclusive. */
  readonly testedVersions: { readonly from: string; readonly to: string } | null;
  /** The matrix's text where yes or no is not enough. */
  readonly sessionFormat: string;
  readonly streaming: "yes" | "partial" | "no";
  readonly thinking: "yes" | "model-dep" | "no";
  readonly plugins: "yes" | "partial" | "no";
  readonly platformNote?: string;
  /** Environment variables that hold credentials; only checked for being set. */
  readonly authVariables: readonly string[];
  readonly departures: readonly Departure[];
}
