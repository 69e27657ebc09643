/**
 * The adapter contract: how one CLI is started, what its lines mean, and what to write back.
 *
 * An adapter is a state machine without effects. The engine spawns, writes, kills and keeps time; `run-ledger.ts` repairs the
 * order of events. So an adapter may be careless: say `run-ended` when the terminal event comes, and nothing else about endings.
 */
import type { AgentName } from "./agent-name.ts";
import type { CodingAgentCapabilities } from "./capabilities.ts";
import type { CodingAgentEvent } from "./events.ts";
import type { RunOptions } from "./run-options.ts";
import type { NativeThinking } from "./thinking.ts";

/** What an adapter yields: unified events, and marks that only the ledger reads. */
export type AdapterEvent =
  | CodingAgentEvent
  /** A prompt was sent: a terminal event of an earlier turn no longer ends the run. */
  | { readonly type: "turn-opened" }
  /** The agent began another call of its model; `maxTurns` counts these. */
  | { readonly type: "model-turn" }
  /** Something failed and nobody said yet that it is retried. Decides the outcome when no terminal event comes. */
  | { readonly type: "error-seen"; readonly message: string; readonly status?: number | undefined }
  /** More is known about the run than `run-started` said. */
  | { readonly type: "session-known"; readonly sessionId: string };

export interface AdapterStep {
  readonly events: readonly AdapterEvent[];
  /** Lines for the agent's stdin, without the line break. */
  readonly send?: readonly string[];
}

/** What a person, or the engine for one, does to a run that is under way. */
export type RunCommand =
  | { readonly type: "approve"; readonly id: string; readonly input?: unknown }
  | { readonly type: "deny"; readonly id: string; readonly reason?: string | undefined }
  | { readonly type: "send"; readonly text: string }
  | { readonly type: "interrupt" };

export interface RunExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** Reads one protocol: of a live process, or of a recording. */
export interface LineReader {
  onLine(line: string): AdapterStep;
  /** A line that went to the agent: the engine's own, or one that a recording shows. */
  onSent?(line: string): AdapterStep;
  /** What to write for a command; `undefined` when this protocol has no word for it. */
  command?(command: RunCommand): AdapterStep | undefined;
  /** Said when the output is over: what was held back. */
  end?(exit: RunExit): readonly AdapterEvent[];
}

/** A file the CLI reads its settings from, below the run's private folder. */
export interface RunFile {
  readonly path: string;
  readonly content: string;
}

/** What the engine knows and an adapter cannot ask for. */
export interface RunPlace {
  /** A private folder that lives as long as the run; made when the adapter names a file or a data attachment. */
  readonly folder: string;
  readonly cwd: string;
  readonly home: string;
  /** For CLIs that refuse some options to root. */
  readonly isRoot: boolean;
  /** A fresh UUID, for CLIs that let the caller choose the session's id. */
  readonly freshSessionId: string;
  /** Off: the CLI's own tools are taken away, only MCP tools stay. */
  readonly nativeTools: "on" | "off";
  /** The model as the CLI spells it. */
  readonly model?: string | undefined;
  readonly thinking: NativeThinking;
  /** Attachments, already on disk. */
  readonly attachments: readonly PlacedAttachment[];
}

export interface PlacedAttachment {
  readonly path: string;
  readonly mimeType: string;
  /** Base64, where the protocol carries bytes instead of paths. */
  readonly data: string;
}

export interface AdapterRun extends LineReader {
  /** The command; its first word is looked up in PATH. */
  readonly argv: readonly string[];
  /** On top of the engine's clean environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly RunFile[];
  /** Lines to write at once. Absent: stdin is closed, which several CLIs need. */
  readonly stdin?: readonly string[];
  /** What the CLI enforces itself; the engine enforces the rest. */
  readonly enforces?: readonly ("maxTurns" | "maxCostUsd")[];
}

/** Where an agent keeps its sessions, and how to read them. Paths are relative to the home folder. */
export type SessionStore =
  | {
      readonly kind: "files";
      /** Folders below home; `*` stands for one folder name. */
      readonly folder: string;
      /** Which files hold a session; its first group is the id. */
      readonly file: RegExp;
      readonly parse: (text: string) => StoredMessage[];
    }
  | {
      readonly kind: "command";
      readonly list: readonly string[];
      readonly read: (id: string) => readonly string[];
    };

export interface StoredMessage {
  readonly role: "user" | "assistant" | "tool" | "system";
  readonly text: string;
}

export interface CodingAgentAdapter {
  readonly name: AgentName;
  readonly capabilities: CodingAgentCapabilities;
  /** The command that proves an install, and how its first matching line names the version. */
  readonly versionCommand: readonly string[];
  readonly versionPattern: RegExp;
  open(options: RunOptions, place: RunPlace): AdapterRun;
  /** Reads a recording: `sample` are its parsed lines, so that the protocol can be told. */
  read(sample: readonly unknown[]): LineReader;
  readonly sessions?: SessionStore;
}
