/**
 * The adapter contract: how one CLI is started, what its output lines mean, and what to write back.
 *
 * An adapter is a state machine without effects. The runner spawns, writes, kills and enforces timeouts; `run-ledger.ts` repairs
 * the event order. So an adapter only emits `run-ended` when it sees the terminal event, and does nothing else about endings.
 */
import type { AgentName } from "./agent-name.ts";
import type { AgentTransport, CodingAgentCapabilities } from "./capabilities.ts";
import type { CodingAgentEvent } from "./events.ts";
import type { RunOptions } from "./run-options.ts";
import type { NativeThinking } from "./thinking.ts";
import type { ThinkingDialect } from "./thinking-dialect.ts";

/** Adapter output: unified events, and markers that only the ledger reads. */
export type AdapterEvent =
  | CodingAgentEvent
  /** A prompt was sent: a terminal event of an earlier turn no longer ends the run. */
  | { readonly type: "turn-opened" }
  /** The agent started another model call; `maxTurns` counts these. */
  | { readonly type: "model-turn" }
  /** Something failed and no retry was announced. Decides the outcome if no terminal event follows. */
  | { readonly type: "error-seen"; readonly message: string; readonly status?: number | undefined }
  /** The structured output, where the protocol sends it separately from the text. */
  | { readonly type: "structured-answer"; readonly value: unknown }
  /** Facts about the run that were not known at `run-started`. */
  | { readonly type: "session-known"; readonly sessionId: string };

export interface AdapterStep {
  readonly events: readonly AdapterEvent[];
  /** Lines for the agent's stdin, without the line break. */
  readonly send?: readonly string[];
}

/** What a person, or the runner on their behalf, does to a running run. */
export type RunCommand =
  | { readonly type: "approve"; readonly id: string; readonly input?: unknown }
  | { readonly type: "deny"; readonly id: string; readonly reason?: string | undefined }
  | { readonly type: "send"; readonly text: string }
  | { readonly type: "interrupt" };

export interface RunExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** Reads one protocol, from a live process or a recording. */
export interface LineReader {
  onLine(line: string): AdapterStep;
  /** A line sent to the agent: by the runner, or found in a recording. */
  onSent?(line: string): AdapterStep;
  /** What to write for a command; `undefined` if the protocol has no such command. */
  command?(command: RunCommand): AdapterStep | undefined;
  /** Called at the end of the output; returns what was held back. */
  end?(exit: RunExit): readonly AdapterEvent[];
}

/** What the runner puts into the run's private folder before the CLI starts. */
export type RunFile =
  | { readonly path: string; readonly content: string }
  /** A link to something of the caller's. */
  | { readonly path: string; readonly linkTo: string }
  /** A folder of links to everything in another one; `shared` folders are created there first, so that what is written is kept. */
  | {
      readonly path: string;
      readonly linksInto: string;
      readonly except?: readonly string[];
      readonly shared?: readonly string[];
    }
  /** A JSON document merged over the one at `over`, if it exists. */
  | { readonly path: string; readonly over: string; readonly document: Readonly<Record<string, unknown>> };

/** Facts that the runner knows and an adapter cannot look up. */
export interface RunPlace {
  /** A private folder that exists as long as the run; created when the adapter names a file or a data attachment. */
  readonly folder: string;
  readonly cwd: string;
  readonly home: string;
  /** The transport used by this run. */
  readonly transport: string;
  /** The program's environment variables, without those the adapter adds. */
  readonly environment: Readonly<Record<string, string>>;
  /** For CLIs that refuse some options to root. */
  readonly isRoot: boolean;
  /** A fresh UUID, for CLIs that let the caller choose the session's id. */
  readonly freshSessionId: string;
  /** A secret known only to this run, for programs that listen on loopback. */
  readonly secret: string;
  /** Off: the CLI's own tools are disabled, only MCP tools remain. */
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
  /** Added to the runner's clean environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly RunFile[];
  /** Lines to write at the start. Absent: stdin is closed, which several CLIs require. */
  readonly stdin?: readonly string[];
  /**
   * Text for stdin, which is closed after it. A prompt goes here where the CLI reads it: a command line is bounded, cannot
   * hold every character, and other users of the machine see it.
   */
  readonly input?: string;
  /** For a program that is a server: lines go over HTTP instead of stdin and stdout. */
  readonly http?: HttpChannel;
  /** A file the program writes while running, with details missing from its output, such as token counts. */
  readonly sideFiles?: readonly SideFile[];
  /** Limits that the CLI enforces itself; the runner enforces the rest. */
  readonly enforces?: readonly "maxTurns"[];
  /** Whether the reason for a denial reaches the model. If not, the runner sends the corrected call as a message. */
  readonly carriesReasons?: boolean;
  /** Reported as warnings: requested options that this CLI does not support. */
  readonly warnings?: readonly string[];
  /** Another transport for the same run, tried if this one dies before producing output. */
  readonly fallback?: { readonly transport: string; readonly open: () => AdapterRun };
}

/**
 * How to talk to a program that serves HTTP on loopback. An outgoing line is `{ id, method, path, body }`; the answer
 * arrives as `{ id, status, body }`, and each server-sent event as its data.
 */
export interface HttpChannel {
  /** Finds the address in the program's output; the first group is the URL. */
  readonly address: RegExp;
  /** The path of the server-sent events. */
  readonly events: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Lines that a program appends to its own file. */
export interface SideFile {
  /** An absolute path; `*` matches any part of one name. */
  readonly pattern: string;
  /** Whether a matching file belongs to this run; called repeatedly, because the session id may arrive late. */
  readonly isOurs: (path: string) => boolean;
  readonly onLine: (line: string) => readonly AdapterEvent[];
  /** Lines that existed before the run. */
  readonly onPast?: (line: string) => void;
}

/** Where an agent stores its sessions, and how to parse them. The client does the reading. */
export type CliSessionStore =
  | {
      readonly kind: "files";
      /** Relative to the home folder; `*` matches any part of one name, such as `.claude/projects/*\/*.jsonl`. */
      readonly pattern: string;
      /** An environment variable that replaces the folder the pattern starts with. */
      readonly moved?: MovedStore;
      /** The session's id, from the file's path and its first line. */
      readonly id: (path: string, firstLine: string) => string | undefined;
      readonly messages: (text: string) => readonly CliMessage[];
    }
  | {
      readonly kind: "command";
      /** Commands that print the list; the first that succeeds counts. */
      readonly lists: readonly (readonly string[])[];
      readonly sessions: (stdout: string) => readonly StoredSession[];
      readonly read: (id: string) => readonly string[];
      readonly messages: (stdout: string) => readonly CliMessage[];
    }
  | {
      readonly kind: "database";
      /** SQLite files, as the pattern of `files` names them. */
      readonly pattern: string;
      readonly moved?: MovedStore;
      /** The sessions in one file. One without a time gets that of its file. */
      readonly sessions: (query: SessionQuery, path: string) => readonly StoredSession[];
      /** Absent: the session is not in this file. */
      readonly messages: (query: SessionQuery, id: string) => readonly CliMessage[] | undefined;
    };

/** Reads rows of a store; it cannot write. */
export type SessionQuery = (
  sql: string,
  ...values: readonly string[]
) => readonly Readonly<Record<string, unknown>>[];

export interface StoredSession {
  readonly id: string;
  /** Its working folder, if the agent records it. */
  readonly cwd?: string | undefined;
  readonly title?: string | undefined;
  readonly model?: string | undefined;
  /** ISO 8601. */
  readonly updatedAt?: string | undefined;
}

export interface CliMessage {
  readonly role: "user" | "assistant" | "tool" | "system";
  readonly text: string;
}

export interface CodingAgentAdapter {
  readonly name: AgentName;
  readonly capabilities: CodingAgentCapabilities;
  /** The binary's name, followed by former names. */
  readonly commands: readonly [string, ...string[]];
  /** Verifies an install, since the binary may be a stub. The pattern's first group is the version. */
  readonly versionArgs: readonly string[];
  readonly versionPattern: RegExp;
  /** Environment variables passed on to the CLI, besides the few that every process needs. */
  readonly environment: RegExp;
  /** Those of them that name the CLI's state folder. A run as another user does not get the server's. */
  readonly stateVariables?: RegExp;
  /** Whether `nativeTools: "off"` leaves only the tools of its MCP servers. */
  readonly hidesNativeTools?: boolean;
  /** Available transports, the default first. Absent: there is only one, with the agent's own capabilities. */
  readonly transports?: readonly AgentTransport[];
  /** The transport used by a run that names none. */
  chooseTransport?(options: RunOptions, nativeTools: "on" | "off"): string;
  /** How the CLI takes thinking parameters. Absent: the level is an option of the session, as over ACP. */
  readonly thinking?: readonly ThinkingDialect[];
  open(options: RunOptions, place: RunPlace): AdapterRun;
  /** Reads a recording: `sample` holds its parsed lines, to detect the protocol. */
  read(sample: readonly unknown[]): LineReader;
  readonly sessions?: CliSessionStore;
}

/** Variables of a program that move its store. */
export interface MovedStore {
  /** Names the folder itself; takes precedence. */
  readonly variable: string;
  readonly folder: string;
  /** Names another home that contains the usual folder. */
  readonly homeVariable?: string;
}
