/** The client's face: what `createClient` gives, for agents on this machine and for those on a remote Capstan alike. */
import type { Result } from "@capstan/core";
import type {
  RunOptions as AnyRunOptions,
  CliMessage,
  EffectiveCapabilities,
  ModelRegistry,
  StoredSession,
} from "@capstan/core/internal";
import type { AdapterRegistry } from "./adapter-registry.ts";
import type { AgentName } from "./built-in/built-in-agents.ts";
import type { EngineSettings } from "./engine/engine-settings.ts";
import type { SystemUser } from "./engine/prepare-run.ts";
import type { RunHandle } from "./engine/run-handle.ts";
import type { PluginOperations } from "./plugins/plugin-operations.ts";
import type { ReadOptions } from "./sessions/session-browser.ts";

/** A run's options, with the built-in agents' names for editors to complete. */
export interface RunOptions extends AnyRunOptions {
  readonly agent: AgentName;
}

export interface ClientOptions {
  /** Run on a remote Capstan instead: its address, without a path. */
  readonly url?: string;
  /** For a remote Capstan: sent as `Authorization: Bearer`. */
  readonly apiKey?: string;
  /** What the agents may see a part of; this process's own when left out. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly engine?: Partial<EngineSettings>;
  readonly models?: ModelRegistry;
  /** What a probe observed on this machine, laid over the declared; `doctor` has one. */
  readonly effective?: (agent: AgentName) => EffectiveCapabilities | undefined;
}

/** What only hosts of agents need; not part of what comes from outside. */
export interface HostOptions {
  /** Off: the CLI's own tools are taken away, and only tools of `mcpServers` stay. */
  readonly nativeTools?: "on" | "off";
  /** The system's user under whom the program runs; needs the right to change users. */
  readonly user?: SystemUser | undefined;
  /** The home folder it sees; this process's own when left out. */
  readonly home?: string | undefined;
}

export interface SessionBrowser {
  /** The latest first. Some agents list those of one folder only: `cwd`, by default this process's. */
  list(agent: AgentName, cwd?: string): Promise<readonly StoredSession[]>;
  /** What was said; instructions are left out unless `system` asks for them. */
  read(agent: AgentName, sessionId: string, options?: ReadOptions): Promise<Result<readonly CliMessage[]>>;
  /** A run that goes on with the session. */
  resume(agent: AgentName, sessionId: string, prompt: string, options?: Partial<RunOptions>): RunHandle;
  /** A run in a new session that begins as a copy. */
  fork(agent: AgentName, sessionId: string, prompt: string, options?: Partial<RunOptions>): RunHandle;
}

export interface CodingAgentClient {
  readonly adapters: AdapterRegistry;
  readonly models: ModelRegistry;
  readonly plugins: PluginOperations;
  readonly sessions: SessionBrowser;
  /** Throws `CapabilityError`, synchronously, for what the agent cannot do. */
  run(options: RunOptions, host?: HostOptions): RunHandle;
}
