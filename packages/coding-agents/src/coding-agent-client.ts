/** The client interface of `createClient`, for local agents and for those on a remote Capstan. */
import type { Result } from "@capstan/core";
import type {
  RunOptions as AnyRunOptions,
  CliMessage,
  CodingAgentEvent,
  EffectiveCapabilities,
  ModelRegistry,
  StoredSession,
} from "@capstan/core/internal";
import type { AdapterRegistry } from "./adapter-registry.ts";
import type { AgentName } from "./built-in/built-in-agents.ts";
import type { PluginOperations } from "./plugins/plugin-operations.ts";
import type { SystemUser } from "./runner/prepare-run.ts";
import type { RunHandle } from "./runner/run-handle.ts";
import type { RunnerSettings } from "./runner/runner-settings.ts";
import type { ReadOptions } from "./sessions/session-browser.ts";

/** A run's options, with the built-in agents' names for editors to complete. */
export interface RunOptions extends AnyRunOptions {
  readonly agent: AgentName;
}

/** Fields of every event of a run. */
export type BaseEvent = Pick<CodingAgentEvent, "type">;

export interface ClientOptions {
  /** Run on a remote Capstan instead: its URL, without a path. */
  readonly url?: string;
  /** For a remote Capstan: sent as `Authorization: Bearer`. */
  readonly apiKey?: string;
  /** The environment from which agents get a part; default: this process's own. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly runner?: Partial<RunnerSettings>;
  readonly models?: ModelRegistry;
  /** Findings of a probe on this machine, which override what is declared; from `doctor`. */
  readonly effective?: (agent: AgentName) => EffectiveCapabilities | undefined;
}

/** Options for hosts of agents only; never accepted from outside. */
export interface HostOptions {
  /** Off: the CLI's own tools are disabled, and only tools of `mcpServers` remain. */
  readonly nativeTools?: "on" | "off";
  /** The OS user the program runs as; requires the privilege to switch users. */
  readonly user?: SystemUser | undefined;
  /** Its home folder; default: this process's own. */
  readonly home?: string | undefined;
  /** The caller is on another machine: attachments by path only from the working folder. */
  readonly confined?: boolean;
}

export interface SessionBrowser {
  /** Latest first. Some agents only list the sessions of one folder: `cwd`, by default this process's. */
  list(agent: AgentName, cwd?: string): Promise<readonly StoredSession[]>;
  /** The messages; without instructions unless `system` is set. */
  read(agent: AgentName, sessionId: string, options?: ReadOptions): Promise<Result<readonly CliMessage[]>>;
  /** A run that continues the session. */
  resume(agent: AgentName, sessionId: string, prompt: string, options?: Partial<RunOptions>): RunHandle;
  /** A run in a new session that starts as a copy. */
  fork(agent: AgentName, sessionId: string, prompt: string, options?: Partial<RunOptions>): RunHandle;
}

export interface CodingAgentClient {
  readonly adapters: AdapterRegistry;
  readonly models: ModelRegistry;
  readonly plugins: PluginOperations;
  readonly sessions: SessionBrowser;
  /** Throws `CapabilityError`, synchronously, for unsupported options. */
  run(options: RunOptions, host?: HostOptions): RunHandle;
}
