/** The return value of `run()`: the event stream, commands, and the result. */
import {
  ANSWER_REPEATED,
  type CliUsage,
  type CodingAgentEvent,
  type RunErrorCode,
  type RunLimit,
  type RunOutcome,
} from "@capstan/core/internal";

export interface RunHandle extends AsyncIterable<CodingAgentEvent> {
  /** The run's own id; the agent's session id is in `run-started` and in the result. */
  readonly id: string;
  /** The transport: one of its manifest's `transports`. */
  readonly transport: string;
  /** Settles when the process has exited. If events are not read, they are dropped. */
  readonly result: Promise<RunResult>;
  /**
   * Allows a call of an `approval-requested` event. With another input, that one runs: directly where the program accepts
   * edited arguments, otherwise after the model was told to make the edited call.
   */
  approve(approvalId: string, input?: unknown): Promise<void>;
  deny(approvalId: string, reason?: string): Promise<void>;
  /** Sends another message, for transports that accept one while running (`supportsStdinInjection`). */
  send(text: string): Promise<void>;
  /** Asks the agent to stop through its protocol; then terminates it, then kills it. */
  interrupt(): Promise<void>;
  /** Stops immediately: terminates, then kills. */
  abort(): Promise<void>;
}

export interface RunResult {
  readonly outcome: RunOutcome;
  /** The agent's complete text, without tools. */
  readonly text: string;
  /** The text as JSON, if requested. */
  readonly json?: unknown;
  readonly sessionId?: string | undefined;
  /** Why it failed: the same codes for every agent. */
  readonly code?: RunErrorCode | undefined;
  readonly message?: string | undefined;
  readonly nextStep?: string | undefined;
  readonly limit?: RunLimit | undefined;
  readonly status?: number | undefined;
  readonly turns?: number | undefined;
  /** With `costUsd` of this run only, and `costSource`. */
  readonly usage?: Omit<CliUsage, "type"> | undefined;
  readonly toolCalls: number;
  readonly warnings: readonly string[];
}

/** Folds events into the result, one by one. */
export class ResultBuilder {
  readonly #warnings: string[] = [];
  readonly #pieces: string[] = [];
  #toolCalls = 0;
  /** Where the text since the last tool begins. */
  #lastText = 0;

  add(event: CodingAgentEvent): void {
    if (event.type === "tool-started" || event.type === "tool-ended") this.#lastText = this.#pieces.length;
    // The complete answer that follows includes the partial one.
    if (event.type === "warning" && event.code === ANSWER_REPEATED) this.#pieces.length = this.#lastText;
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
