/**
 * Runs a recording through an adapter: the same state machine and ledger as a live run, without a process.
 *
 * There is no exit code, so a recording that breaks off without a terminal event is `aborted`, or `failed` when an error
 * was seen before it broke off.
 */
import type { CodingAgentEvent, LineReader } from "@capstan/core/internal";
import { createRunLedger } from "../runner/run-ledger.ts";
import { readRecording } from "./recording.ts";

const EXIT_UNKNOWN = { code: null, signal: null };
const MAX_LAST_OUTPUT_CHARS = 500;

/** The part of an adapter that a replay needs. */
export interface RecordingReader {
  readonly name: string;
  read(sample: readonly unknown[]): LineReader;
}

export function replay(adapter: RecordingReader, text: string): CodingAgentEvent[] {
  const recording = readRecording(text);
  const reader = adapter.read(recording.map(({ message }) => message));
  const ledger = createRunLedger(adapter.name);
  const events = recording.flatMap(({ by, line }) => {
    const step = by === "agent" ? reader.onLine(line) : reader.onSent?.(line);
    return ledger.take(step?.events ?? []);
  });
  events.push(...ledger.take(reader.end?.(EXIT_UNKNOWN) ?? []));
  const lastOutput = recording.at(-1)?.line.slice(0, MAX_LAST_OUTPUT_CHARS) ?? "";
  return [...events, ...ledger.close(EXIT_UNKNOWN, lastOutput)];
}
