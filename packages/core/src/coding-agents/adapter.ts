/**
 * The adapter contract: how one CLI is started, what its lines mean, and what to write back.
 *
 * An adapter is a state machine without effects. The engine spawns, writes, kills and keeps time; `run-ledger.ts` repairs the
 * order of events. So an adapter may be careless: say `run-ended` when the terminal event comes, and nothing else about endings.
 */
import type { AgentName } from "./agent-name.ts";
import type { AgentTransport, CodingAgentCapabilities } from "./capabilities.ts";
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
  /** The document that a schema asked for, where the protocol carries it apart from the text. */
  | { readonly type: "structured-answer"; readonly value: unknown }
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

/** What the engine puts into the run's private folder before the CLI starts. */
export type RunFile =
  | { readonly path: string; readonly content: string }
  /** A link to something of the caller's. */
  | { readonly path: string; readonly linkTo: string }
  /** A folder of links to all that is in another; `shared` folders are made there first, so that what is written stays. */
  | {
      readonly path: string;
      readonly linksInto: string;
      readonly except?: readonly string[];
      readonly shared?: readonly string[];
    }
  /** A JSON document laid over the one at `over`, if there is one. */
  | { readonly path: string; readonly over: string; readonly document: Readonly<Record<string, unknown>> };

/** What the engine knows and an adapter cannot ask for. */
export interface RunPlace {
  /** A private folder that lives as long as the run; made when the adapter names a file or a data attachment. */
  readonly folder: string;
  readonly cwd: string;
  readonly home: string;
  /** Which of the adapter's transports this run takes. */
  readonly transport: string;
  /** The variables the program will see, without the adapter's own. */
  readonly environment: Readonly<Record<string, string>>;
  /** For CLIs that refuse some options to root. */
  readonly isRoot: boolean;
  /** A fresh UUID, for CLIs that let the caller choose the session's id. */
  readonly freshSessionId: string;
  /** A word that only this run knows, for programs that listen on loopback. */
  readonly secret: string;
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
  /** For a program that is a server: lines go over HTTP instead of stdin and stdout. */
  readonly http?: HttpChannel;
  /** A file that the program writes while it runs and that says more than its output, such as token counts. */
  readonly sideFile?: SideFile;
  /** What the CLI enforces itself; the engine enforces the rest. */
  readonly enforces?: readonly "maxTurns"[];
  /** Whether a refusal's reason reaches the model. Where it does not, the engine sends a corrected call as a message. */
  readonly carriesReasons?: boolean;
  /** Said as warnings: what was asked for and this CLI has no place for. */
  readonly warnings?: readonly string[];
  /** Another way to run the same, tried when this one dies before it said anything. */
  readonly fallback?: () => AdapterRun;
}

/**
 * How to speak to a program that serves HTTP on loopback. A line that goes out is `{ id, method, path, body }`; the answer
 * comes in as `{ id, status, body }`, and each server-sent event as its own data.
 */
export interface HttpChannel {
  /** Finds the address in what the program prints; its first group is the URL. */
  readonly address: RegExp;
  /** The path of the server-sent events. */
  readonly events: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Lines that a program appends to a file of its own. */
export interface SideFile {
  /** An absolute path; a `*` stands for any part of one name. */
  readonly pattern: string;
  /** Whether a file that fits is this run's; asked again and again, because the session's id may come late. */
  readonly isOurs: (path: string) => boolean;
  readonly onLine: (line: string) => readonly AdapterEvent[];
  /** Lines that were there before the run. */
  readonly onPast?: (line: string) => void;
}

/** Where an agent keeps its sessions, and how to read them. Reading is the client's; this only says how. */
export type CliSessionStore =
  | {
      readonly kind: "files";
      /** Relative to the home folder; a `*` stands for any part of one name, such as `.claude/projects/*\/*.jsonl`. */
      readonly pattern: string;
      /** A variable that names another folder than the one the pattern starts with. */
      readonly moved?: { readonly variable: string; readonly folder: string };
      /** The session's id, from the file's path and its first line. */
      readonly id: (path: string, firstLine: string) => string | undefined;
      readonly messages: (text: string) => readonly CliMessage[];
    }
  | {
      readonly kind: "command";
      readonly list: readonly string[];
      readonly sessions: (stdout: string) => readonly StoredSession[];
      readonly read: (id: string) => readonly string[];
      readonly messages: (stdout: string) => readonly CliMessage[];
    };

export interface StoredSession {
  readonly id: string;
  /** The folder it was in, where the agent tells. */
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
  /** What the binary is called, and what it was called before. */
  readonly commands: readonly [string, ...string[]];
  /** Proves an install: a stub may stand where the binary should. The pattern's first group is the version. */
  readonly versionArgs: readonly string[];
  readonly versionPattern: RegExp;
  /** Which variables of the caller's environment the CLI gets to see, beside the few that every process needs. */
  readonly environment: RegExp;
  /** Whether `nativeTools: "off"` leaves it no tool but those of its MCP servers. */
  readonly hidesNativeTools?: boolean;
  /** The ways to drive it, the usual one first. Absent: there is one, and the capabilities are its own. */
  readonly transports?: readonly AgentTransport[];
  /** Which of them a run takes that names none. */
  chooseTransport?(options: RunOptions, nativeTools: "on" | "off"): string;
  open(options: RunOptions, place: RunPlace): AdapterRun;
  /** Reads a recording: `sample` are its parsed lines, so that the protocol can be told. */
  read(sample: readonly unknown[]): LineReader;
  readonly sessions?: CliSessionStore;
}
