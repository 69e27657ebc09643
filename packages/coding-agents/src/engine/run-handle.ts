/** What `run()` gives back: the events as they come, ways to take part, and in the end the result. */
import type { CliUsage, CodingAgentEvent, RunLimit, RunOutcome } from "@capstan/core/internal";

export interface RunHandle extends AsyncIterable<CodingAgentEvent> {
  /** The run's own id; the agent's session id is in `run-started` and in the result. */
  readonly id: string;
  /** Settles when the process is gone. Asked for without reading events, it lets events pass. */
  readonly result: Promise<RunResult>;
  /** Allows a call that an `approval-requested` event told of; with another input, if given. */
  approve(approvalId: string, input?: unknown): Promise<void>;
  deny(approvalId: string, reason?: string): Promise<void>;
  /** Another message, for agents that take one while they run. */
  send(text: string): Promise<void>;
  /** Asks the agent to stop as its own protocol does; then terminates it, then kills it. */
  interrupt(): Promise<void>;
  /** Stops at once: terminates, then kills. */
  abort(): Promise<void>;
}

export interface RunResult {
  readonly outcome: RunOutcome;
  /** The agent's words, tools left out. */
  readonly text: string;
  /** The words as JSON, when that was asked for and they are. */
  readonly json?: unknown;
  readonly sessionId?: string | undefined;
  readonly message?: string | undefined;
  readonly limit?: RunLimit | undefined;
  readonly status?: number | undefined;
  readonly turns?: number | undefined;
  readonly usage?: Omit<CliUsage, "type"> | undefined;
  readonly toolCalls: number;
  readonly warnings: readonly string[];
}

const MAX_RESULT_CHARS = 1_000_000;

/** Folds events into the result, one by one. */
export class ResultBuilder {
  readonly #warnings: string[] = [];
  #text = "";
  #toolCalls = 0;

  add(event: CodingAgentEvent): void {
    if (event.type === "text-delta" && this.#text.length < MAX_RESULT_CHARS) this.#text += event.text;
    if (event.type === "tool-started") this.#toolCalls += 1;
    if (event.type === "warning") this.#warnings.push(event.message);
  }

  result(end: Extract<CodingAgentEvent, { type: "run-ended" }>, wantsJson: boolean): RunResult {
    const { type: _, ...ended } = end;
    const json = wantsJson ? parseAnswer(this.#text) : undefined;
    return {
      ...ended,
      text: this.#text,
      toolCalls: this.#toolCalls,
      warnings: this.#warnings,
      ...(json !== undefined && { json }),
    };
  }
}

/** Models like to put JSON into a fence. */
function parseAnswer(text: string): unknown {
  const fenced = /```(?:json)?\s*([\s\S]*?)```/.exec(text)?.[1];
  for (const candidate of [text, fenced ?? ""]) {
    try {
      return JSON.parse(candidate);
    } catch {
      // The next candidate, or none.
    }
  }
  return undefined;
}
