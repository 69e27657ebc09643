/** The interface of each language's interpreter inside the child. Interpreters keep no state between runs. */
import type { FileMap } from "./file-changes.ts";

export interface InterpreterRun {
  readonly code: string;
  readonly files: FileMap;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  /** Maximum total size of all files after the run. */
  readonly fileBytes: number;
  write(stream: "stdout" | "stderr", text: string): void;
}

export interface InterpreterOutcome {
  readonly exit: "done" | "error" | "timeout" | "memory";
  readonly exitCode: number;
  /** JSON text of the last value, where the language has one. */
  readonly resultJson?: string | undefined;
  readonly changed: ReadonlyMap<string, Uint8Array | null>;
}

export type Interpreter = (run: InterpreterRun) => Promise<InterpreterOutcome>;

export interface LoadedInterpreter {
  readonly run: Interpreter;
  /** A memory snapshot taken after loading, from which the next child starts ten times faster. Taken before any untrusted code runs. */
  readonly snapshot?: Uint8Array;
}

/** Loads everything the interpreter will ever read from disk: afterwards the child drops its privileges. */
export type LoadInterpreter = (entry: string, snapshot: Uint8Array | undefined) => Promise<LoadedInterpreter>;

/** A value is shown to a model as JSON; a longer one would fill its context. */
export const RESULT_CHARS = 256 * 1024;

export const NO_CHANGES: ReadonlyMap<string, Uint8Array | null> = new Map();
