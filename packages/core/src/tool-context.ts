/** What a running tool can access. All effects are here, so that a tool is a function of its arguments. */
import type { MemoryAccess } from "./memory-access.ts";
import type { Result } from "./result.ts";
import type { JsonValue } from "./schema.ts";
import type { SessionFileStore } from "./session-files.ts";

/** A tool's only network access: private addresses are refused, sizes and times are bounded. */
export type GuardedFetch = (url: string, options?: GuardedFetchOptions) => Promise<Result<Response>>;

export interface GuardedFetchOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  signal?: AbortSignal;
  /** Timeout until the response headers arrive. */
  firstByteTimeoutMs?: number;
  redirects?: "follow" | "refuse";
}

/** A capability's own keyed data, per user and, inside a session, per session. */
export interface CapabilityStore {
  get(key: string): Promise<JsonValue | undefined>;
  set(key: string, value: JsonValue): Promise<void>;
  delete(key: string): Promise<void>;
  list(prefix?: string): Promise<{ key: string; value: JsonValue }[]>;
}

export type SandboxLanguage = "javascript" | "python" | "bash";

export interface SandboxRequest {
  language: SandboxLanguage;
  code: string;
  /** Mounted before the code runs; changes are returned. */
  files: ReadonlyMap<string, Uint8Array>;
  timeoutMs: number;
  memoryMb: number;
  signal: AbortSignal;
  /** Whose turn it counts as when many wait; set by the server, never by the tool. */
  owner?: string;
}

export interface SandboxOutcome {
  exit: "done" | "error" | "timeout" | "memory" | "killed";
  exitCode: number;
  stdout: string;
  stderr: string;
  result?: JsonValue;
  /** Written or changed files; `null` = deleted. */
  changed: ReadonlyMap<string, Uint8Array | null>;
  durationMs: number;
}

/** Runs untrusted code isolated from the server. */
export interface Sandbox {
  /** Why a language cannot run here; undefined when it can. */
  unavailable(language: SandboxLanguage): string | undefined;
  run(request: SandboxRequest): Promise<Result<SandboxOutcome>>;
}

export interface ToolUser {
  readonly email: string;
  readonly scopes: readonly string[];
}

/** An account of the user that the call declared. `fetch` adds its credential to requests to the provider's hosts. */
export interface CallConnection {
  readonly provider: string;
  /** As the provider names it; empty when it does not say. */
  readonly account: string;
  /** The only hosts that the credential may go to. */
  readonly hosts: readonly string[];
  /** For a program that the call starts. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface ToolContext {
  readonly user: ToolUser;
  readonly agentId?: string;
  readonly runId?: string;
  /** Present only when the call belongs to a session. */
  readonly sessionId?: string;
  readonly fileStore?: SessionFileStore;
  readonly fetch: GuardedFetch;
  /** Present when the call uses accounts of the user. */
  readonly connections?: readonly CallConnection[];
  readonly sandbox?: Sandbox;
  readonly store: CapabilityStore;
  /** Facts that outlive a session, of this user, this agent and the organisation. */
  readonly memory?: MemoryAccess;
  /** The agent's config of this capability, validated by its schema. */
  readonly config: unknown;
  readonly signal: AbortSignal;
  /** The same for every attempt of the same call. */
  readonly idempotencyKey: string;
  readonly now: () => Date;
  /** Reports progress of a long call to MCP clients that ask for it. */
  readonly progress?: (report: ProgressReport) => void;
}

export interface ProgressReport {
  /** Amount done, in the tool's own unit; never decreases. */
  readonly done: number;
  readonly total?: number;
  readonly message?: string;
}
