/** What each language's engine offers inside the child. Engines share nothing from one run to the next. */
import type { FileMap } from "./file-changes.ts";

export interface EngineRun {
  readonly code: string;
  readonly files: FileMap;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  /** How much all files may hold after the run. */
  readonly fileBytes: number;
  write(stream: "stdout" | "stderr", text: string): void;
}

export interface EngineOutcome {
  readonly exit: "done" | "error" | "timeout" | "memory";
  readonly exitCode: number;
  /** JSON text of the last value, where the language has one. */
  readonly resultJson?: string | undefined;
  readonly changed: ReadonlyMap<string, Uint8Array | null>;
}

export type Engine = (run: EngineRun) => Promise<EngineOutcome>;

export interface LoadedEngine {
  readonly run: Engine;
  /** Its memory right after loading, from which the next child starts ten times faster. Made before any foreign code. */
  readonly snapshot?: Uint8Array;
}

/** Loads everything the engine will ever read from disk: afterwards the child gives up its rights. */
export type LoadEngine = (entry: string, snapshot: Uint8Array | undefined) => Promise<LoadedEngine>;

/** A value as JSON is shown to a model; more than this crowds out what it was computed for. */
export const RESULT_CHARS = 256 * 1024;

export const NO_CHANGES: ReadonlyMap<string, Uint8Array | null> = new Map();
