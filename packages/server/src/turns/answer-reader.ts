/**
 * Collects a run's events as one model answer: text, reasoning, calls of the client's own tools, usage, and the stop reason.
 * Tools run by the agent itself are hidden: a client would try to run them again.
 */
import { type Failure, fail, type RunEvent } from "@capstan/core";
import { FAILURES } from "@capstan/core/internal";

/** A call of one of the client's tools. */
export interface SaidCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** What one event adds to the answer. */
export type Piece =
  | { readonly type: "text"; readonly messageId: string; readonly text: string }
  | { readonly type: "reasoning"; readonly messageId: string; readonly text: string }
  | { readonly type: "call"; readonly call: SaidCall };

export interface AnswerUsage {
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
  readonly reasoning: number;
}

interface MutableCall {
  id: string;
  name: string;
  arguments: string;
}

export class AnswerReader {
  readonly #clientTools: ReadonlySet<string>;
  readonly #texts = new Map<string, string>();
  readonly #calls = new Map<string, MutableCall>();
  readonly finished: SaidCall[] = [];
  reasoning = "";
  usage: AnswerUsage = { input: 0, cachedInput: 0, output: 0, reasoning: 0 };
  /** Set when the run did not end with an answer. */
  failure: Failure | undefined;
  /** Text already sent that is void, because the provider's stream broke and the step started over. */
  takenBack = false;

  constructor(clientTools: Iterable<string>) {
    this.#clientTools = new Set(clientTools);
  }

  get text(): string {
    return [...this.#texts.values()].filter((text) => text !== "").join("\n\n");
  }

  get stoppedBy(): "stop" | "tool_calls" {
    return this.finished.length > 0 ? "tool_calls" : "stop";
  }

  take(event: RunEvent): Piece[] {
    if ("subagentRunId" in event && event.subagentRunId !== undefined) return [];
    switch (event.type) {
      case "TEXT_MESSAGE_CONTENT":
        return this.#addText(event.messageId, event.delta);
      case "REASONING_MESSAGE_CONTENT":
        this.reasoning += event.delta;
        return [{ type: "reasoning", messageId: event.messageId, text: event.delta }];
      case "TOOL_CALL_START":
        if (this.#clientTools.has(event.toolCallName))
          this.#calls.set(event.toolCallId, {
            id: event.toolCallId,
            name: event.toolCallName,
            arguments: "",
          });
        return [];
      case "TOOL_CALL_ARGS": {
        const call = this.#calls.get(event.toolCallId);
        if (call) call.arguments += event.delta;
        return [];
      }
      case "TOOL_CALL_END":
        return this.#endCall(event.toolCallId);
      case "MESSAGES_SNAPSHOT":
        this.#keepOnly(new Set(event.messages.map(({ id }) => id)));
        return [];
      default:
        this.#end(event);
        return [];
    }
  }

  #addText(messageId: string, delta: string): Piece[] {
    const before = this.#texts.get(messageId);
    const separator = before === undefined && this.text !== "" ? "\n\n" : "";
    this.#texts.set(messageId, (before ?? "") + delta);
    return [{ type: "text", messageId, text: separator + delta }];
  }

  #endCall(id: string): Piece[] {
    const call = this.#calls.get(id);
    if (!call || this.finished.includes(call)) return [];
    if (call.arguments === "") call.arguments = "{}";
    this.finished.push(call);
    return [{ type: "call", call }];
  }

  #keepOnly(standing: ReadonlySet<string>): void {
    for (const [id, text] of this.#texts) {
      if (standing.has(id) || text === "") continue;
      this.#texts.delete(id);
      this.takenBack = true;
    }
  }

  #end(event: RunEvent): void {
    if (event.type === "RUN_ERROR") {
      this.#count(event.usage);
      this.failure = failureOf(event.message, event.code);
    }
    if (event.type !== "RUN_FINISHED") return;
    this.#count(event.usage);
    const { outcome } = event;
    if (outcome?.type === "cancelled") this.failure = fail("cancelled", { what: "The run" }).failure;
    if (outcome?.type === "interrupt")
      this.failure = fail("approvals_pending", {
        approvals: outcome.interrupts.map(({ id, message }) => ({ id, question: message ?? "" })),
      }).failure;
  }

  #count(usage: Extract<RunEvent, { type: "RUN_FINISHED" }>["usage"] = []): void {
    const sum = (pick: (each: (typeof usage)[number]) => number | undefined) =>
      usage.reduce((total, each) => total + (pick(each) ?? 0), 0);
    this.usage = {
      input: sum(({ inputTokens }) => inputTokens),
      cachedInput: sum(({ cachedInputTokens }) => cachedInputTokens),
      output: sum(({ outputTokens }) => outputTokens),
      reasoning: sum(({ reasoningTokens }) => reasoningTokens),
    };
  }
}

/** The event has message and code; the status is looked up by the code, if known. */
function failureOf(message: string, code = "run_failed"): Failure {
  const known: Readonly<Record<string, { readonly status: number }>> = FAILURES;
  return { code, message, nextStep: "", status: known[code]?.status ?? 502 };
}
