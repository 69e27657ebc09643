/** What `run()` gives back: the events as they come, ways to take part, and in the end the result. */
import type { CliUsage, CodingAgentEvent, RunErrorCode, RunLimit, RunOutcome } from "@capstan/core/internal";

export interface RunHandle extends AsyncIterable<CodingAgentEvent> {
  /** The run's own id; the agent's session id is in `run-started` and in the result. */
  readonly id: string;
  /** The way the program is driven: one of its manifest's `transports`. */
  readonly transport: string;
  /** Settles when the process is gone. Asked for without reading events, it lets events pass. */
  readonly result: Promise<RunResult>;
  /**
   * Allows a call that an `approval-requested` event told of. With another input, that one runs: where the program takes
   * changed arguments at once, elsewhere after the model was told to make the changed call.
   */
  approve(approvalId: string, input?: unknown): Promise<void>;
  deny(approvalId: string, reason?: string): Promise<void>;
  /** Another message, for transports that take one while they run (`supportsStdinInjection`). */
  send(text: string): Promise<void>;
  /** Asks the agent to stop as its own protocol does; then terminates it, then kills it. */
  interrupt(): Promise<void>;
  /** Stops at once: terminates, then kills. */
  abort(): Promise<void>;
}

export interface RunResult {
  readonly outcome: RunOutcome;
  /** The agent's words, all of them, tools left out. */
  readonly text: string;
  /** The words as JSON, when that was asked for. */
  readonly json?: unknown;
  readonly sessionId?: string | undefined;
  /** Why it failed: the same codes for every agent. */
  readonly code?: RunErrorCode | undefined;
  readonly message?: string | undefined;
  readonly nextStep?: string | undefined;
  readonly limit?: RunLimit | undefined;
  readonly status?: number | undefined;
  readonly turns?: number | undefined;
  /** With `costUsd` of this run alone, and `costSource`. */
  readonly usage?: Omit<CliUsage, "type"> | undefined;
  readonly toolCalls: number;
  readonly warnings: readonly string[];
}

/** Folds events into the result, one by one. */
export class ResultBuilder {
  readonly #warnings: string[] = [];
  readonly #pieces: string[] = [];
  #toolCalls = 0;

  add(event: CodingAgentEvent): void {
    if (event.type === "text-delta") this.#pieces.push(event.text);
    if (event.type === "tool-started") this.#toolCalls += 1;
    if (event.type === "warning") this.#warnings.push(event.message);
  }

  get text(): string {
    return this.#pieces.join("");
  }

  result(end: Extract<CodingAgentEvent, { type: "run-ended" }>, json: unknown): RunResult {
    const { type: _, ...ended } = end;
    return {
      ...ended,
      text: this.text,
      toolCalls: this.#toolCalls,
      warnings: this.#warnings,
      ...(json !== undefined && { json }),
    };
  }
}
