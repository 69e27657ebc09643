/**
 * The ledger of one run: turns whatever an adapter emits, in any order, into a legal run.
 *
 * One `run-started` first, one `run-ended` last, no tool ends without having started, all tools end. The terminal event is
 * held until the output is complete, because lines may follow it; success is decided by it, never by an exit code.
 */
import { type Failure, fail } from "@capstan/core";
import {
  type AdapterEvent,
  type CliUsage,
  type CodingAgentEvent,
  lastWords,
  plainMessage,
  type ReportedError,
  type ReportedErrorCode,
  type RunEnded,
  type RunErrorCode,
  type RunExit,
  type RunLimit,
  type RunOutcome,
  type RunStarted,
  runErrorCode,
  runErrorFailure,
} from "@capstan/core/internal";

const MAX_TOOL_OUTPUT_CHARS = 100_000; // some 25k tokens; a file dump must not fill every client's memory
const MAX_WAITING = 100; // warnings a CLI prints before it identifies itself

interface Retried {
  readonly message: string;
  readonly code: ReportedErrorCode;
}

/** An outcome decided by the runner, whatever the agent reports. */
export interface ForcedEnding {
  readonly outcome: RunOutcome;
  readonly message: string;
  readonly code?: RunErrorCode;
  readonly nextStep?: string;
  readonly limit?: RunLimit;
}

export interface RunLedger {
  /** The events to pass on. */
  take(events: readonly AdapterEvent[]): CodingAgentEvent[];
  /** Ends the run: closes pending tools, then emits the outcome. `lastOutput` goes into the message when nothing else explains it. */
  close(exit: RunExit, lastOutput?: string, forced?: ForcedEnding): CodingAgentEvent[];
  /** The terminal event arrived, and no prompt was sent since. */
  readonly settled: boolean;
  /** What the terminal event said, once it came. */
  readonly outcome: RunOutcome | undefined;
  /** Why the program is trying again, until its model answers. */
  readonly retried: Retried | undefined;
  /** Model calls so far: as marked by the adapter, otherwise counted by rounds of tools. */
  readonly turns: number;
  readonly usage: CliUsage | undefined;
}

type ToolEnded = Extract<CodingAgentEvent, { type: "tool-ended" }>;
type ToolStarted = Extract<CodingAgentEvent, { type: "tool-started" }>;
type Retry = Extract<CodingAgentEvent, { type: "retry" }>;
type ErrorSeen = Extract<AdapterEvent, { type: "error-seen" }>;

export function createRunLedger(agent: string): RunLedger {
  return new Ledger(agent);
}

class Ledger implements RunLedger {
  readonly #agent: string;
  readonly #openTools = new Map<string, ToolStarted>();
  readonly #closedTools = new Set<string>();
  #waiting: CodingAgentEvent[] = [];
  #started = false;
  #closed = false;
  #terminal: RunEnded | undefined;
  #error: ErrorSeen | undefined;
  /** The last retry, until the model answers: the reason if the program gives up silently. */
  #retried: Retried | undefined;
  #sessionId: string | undefined;
  #usage: CliUsage | undefined;
  #markedTurns = 0;
  #rounds = 0;
  #inRound = false;

  constructor(agent: string) {
    this.#agent = agent;
  }

  get settled(): boolean {
    return this.#terminal !== undefined;
  }

  get outcome(): RunOutcome | undefined {
    return this.#terminal?.outcome;
  }

  get retried(): Retried | undefined {
    return this.#retried;
  }

  get turns(): number {
    return this.#markedTurns > 0 ? this.#markedTurns : this.#rounds;
  }

  get usage(): CliUsage | undefined {
    return this.#usage;
  }

  take(events: readonly AdapterEvent[]): CodingAgentEvent[] {
    return this.#closed ? [] : events.flatMap((event) => this.#takeOne(event));
  }

  close(exit: RunExit, lastOutput = "", forced?: ForcedEnding): CodingAgentEvent[] {
    if (this.#closed) return [];
    const opening = this.#start({ type: "run-started" });
    const tools = [...this.#openTools.values()].map(
      ({ id, tool }): ToolEnded => ({ type: "tool-ended", id, tool, isError: true, interrupted: true }),
    );
    this.#closed = true;
    const ended: RunEnded = {
      ...this.#ending(exit, lastOutput, forced),
      ...(this.#sessionId !== undefined && { sessionId: this.#sessionId }),
      ...(this.turns > 0 && { turns: this.turns }),
      ...(this.#usage && { usage: withoutType(this.#usage) }),
    };
    return [...opening, ...tools, ended];
  }

  #takeOne(event: AdapterEvent): CodingAgentEvent[] {
    switch (event.type) {
      case "run-started":
        return this.#start(event);
      case "run-ended":
        this.#terminal = event;
        this.#sessionId = event.sessionId ?? this.#sessionId;
        return [];
      case "turn-opened":
        return this.#openTurn();
      case "model-turn":
        this.#markedTurns += 1;
        return [];
      case "error-seen":
        this.#error = event;
        return [];
      case "structured-answer":
        return [];
      case "session-known":
        this.#sessionId = event.sessionId;
        return [];
      default:
        return this.#pass(event);
    }
  }

  #pass(event: Exclude<CodingAgentEvent, RunStarted | RunEnded>): CodingAgentEvent[] {
    switch (event.type) {
      case "warning":
        return this.#wait({ ...event, message: plainMessage(event.message) });
      case "stream_fallback":
        return this.#wait(event);
      case "retry":
        return this.#retry(event);
      case "usage":
        this.#usage = event;
        return this.#wait(event);
      case "tool-started":
        return this.#startTool(event);
      case "tool-ended":
        return this.#endTool(event);
      default:
        return [...this.#begin(), event];
    }
  }

  #retry(event: Retry): CodingAgentEvent[] {
    this.#error = undefined; // what is retried has not failed yet
    const message = plainMessage(event.message);
    const code = retryCode(event);
    this.#retried = { message, code };
    return this.#wait({ ...event, message, code: event.code ?? code });
  }

  #start(event: RunStarted): CodingAgentEvent[] {
    this.#sessionId = event.sessionId ?? this.#sessionId;
    if (this.#started) return [];
    this.#started = true;
    const waiting = this.#waiting;
    this.#waiting = [];
    const known = this.#sessionId === undefined ? {} : { sessionId: this.#sessionId };
    return [{ ...event, agent: event.agent ?? this.#agent, ...known }, ...waiting];
  }

  #openTurn(): CodingAgentEvent[] {
    this.#terminal = undefined;
    this.#error = undefined;
    this.#retried = undefined;
    this.#inRound = false;
    this.#closedTools.clear(); // some agents restart numbering their calls in each turn
    return [];
  }

  /** Real output: the run has started, whether the agent reported it or not. */
  #begin(): CodingAgentEvent[] {
    this.#retried = undefined;
    if (!this.#inRound) this.#rounds += 1;
    this.#inRound = true;
    return this.#start({ type: "run-started" });
  }

  #wait(event: CodingAgentEvent): CodingAgentEvent[] {
    if (this.#started) return [event];
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(event);
    return [];
  }

  #startTool(event: ToolStarted): CodingAgentEvent[] {
    if (this.#openTools.has(event.id) || this.#closedTools.has(event.id)) return [];
    this.#openTools.set(event.id, event);
    return [...this.#begin(), event];
  }

  #endTool(event: ToolEnded): CodingAgentEvent[] {
    if (this.#closedTools.has(event.id)) return [];
    const { id } = event;
    const missing = this.#openTools.has(id)
      ? []
      : this.#startTool({ type: "tool-started", id, tool: event.tool ?? "unknown", input: {} });
    const tool = this.#openTools.get(id)?.tool ?? event.tool;
    this.#openTools.delete(id);
    this.#closedTools.add(id);
    if (this.#openTools.size === 0) this.#inRound = false;
    const { output, ...rest } = event;
    const capped = output === undefined ? {} : { output: capOutput(output) };
    return [...missing, { ...rest, ...capped, ...(tool !== undefined && { tool }) }];
  }

  #ending(exit: RunExit, lastOutput: string, forced: ForcedEnding | undefined): RunEnded {
    if (forced) return { type: "run-ended", ...forced };
    if (this.#terminal) return this.#explained(this.#terminal);
    if (this.#error) return this.#explained({ type: "run-ended", outcome: "failed", ...told(this.#error) });
    const output = lastWords(lastOutput);
    const agent = this.#agent;
    if (exit.signal !== null) {
      return failedAs(fail("coding_agent_killed", { agent, signal: exit.signal, output }).failure);
    }
    if (exit.code !== null) return this.#exited(exit.code, output);
    const tail = output === "" ? "" : ` Last output: ${output}`;
    return {
      type: "run-ended",
      outcome: "aborted",
      message: `The output ended before the run did.${tail}`,
    };
  }

  /** It exited without a terminal event: its output may explain why. */
  #exited(code: number, output: string): RunEnded {
    const agent = this.#agent;
    if (this.#retried)
      return failedAs(fail(this.#retried.code, { agent, message: this.#retried.message }).failure);
    const known = code === 0 ? "coding_agent_failed" : runErrorCode({ message: output });
    if (known !== "coding_agent_failed") return failedAs(fail(known, { agent, message: output }).failure);
    const how = code === 0 ? "ended" : `exited with code ${code}`;
    return failedAs(fail("coding_agent_protocol_broken", { agent, how, output }).failure);
  }

  /** A failure gets its code and next step, and a message that people can read. */
  #explained(ended: RunEnded): RunEnded {
    const { message } = ended;
    if (ended.outcome !== "failed" || ended.code !== undefined) {
      return message === undefined ? ended : { ...ended, message: plainMessage(message) };
    }
    const error = { message: message ?? "No reason was given.", status: ended.status };
    const { code, nextStep } = this.#failureOf(error);
    return { ...ended, message: plainMessage(error.message), code: code as RunErrorCode, nextStep };
  }

  /** Last words that say nothing of the cause are about what was retried before them. */
  #failureOf(error: ReportedError): Failure {
    const agent = this.#agent;
    const isUnclear = error.status === undefined && runErrorCode(error) === "coding_agent_failed";
    return isUnclear && this.#retried
      ? fail(this.#retried.code, { agent, message: this.#retried.message }).failure
      : runErrorFailure(agent, error);
  }
}

/** A retryable error is the provider's, whatever its message, unless the provider called the request wrong. */
function retryCode(error: {
  readonly message: string;
  readonly status?: number | undefined;
}): ReportedErrorCode {
  const { status = 500 } = error;
  const code = runErrorCode(error);
  return code === "coding_agent_failed" && (status >= 500 || status < 400)
    ? "coding_agent_provider_down"
    : code;
}

const told = ({ message, status }: ErrorSeen) => ({ message, ...(status !== undefined && { status }) });

const failedAs = ({ code, message, nextStep }: Failure): RunEnded => ({
  type: "run-ended",
  outcome: "failed",
  code: code as RunErrorCode,
  message,
  nextStep,
});

function withoutType({ type: _, ...usage }: CliUsage): Omit<CliUsage, "type"> {
  return usage;
}

function capOutput(output: string): string {
  if (output.length <= MAX_TOOL_OUTPUT_CHARS) return output;
  return `${output.slice(0, MAX_TOOL_OUTPUT_CHARS)}\n[${output.length - MAX_TOOL_OUTPUT_CHARS} more characters]`;
}
