/**
 * A base class for an adapter of your own: what every adapter has is here, `capabilities`, `open` and `read` are yours.
 *
 * `acpAdapter` is shorter for a program that speaks ACP.
 */
import type {
  AdapterRun,
  AgentName,
  CodingAgentAdapter,
  CodingAgentCapabilities,
  LineReader,
  RunOptions,
  RunPlace,
} from "@capstan/core/internal";

export abstract class BaseAgentAdapter implements CodingAgentAdapter {
  abstract readonly capabilities: CodingAgentCapabilities;
  /** The program's own variables that it gets; none by default. */
  readonly environment: RegExp = /^$/;
  readonly versionArgs: readonly string[] = ["--version"];
  readonly versionPattern: RegExp = /(\d+\.\d+\S*)/;

  abstract open(options: RunOptions, place: RunPlace): AdapterRun;
  abstract read(sample: readonly unknown[]): LineReader;

  get name(): AgentName {
    return this.capabilities.agent;
  }

  /** By default the binary has the agent's name. */
  get commands(): readonly [string, ...string[]] {
    return [this.name];
  }
}
