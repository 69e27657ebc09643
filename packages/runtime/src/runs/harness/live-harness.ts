/**
 * A coding agent's program that runs one of our sessions. Its events become our events and messages; its calls of the
 * agent's tools come back to us and pass the gate. It may outlive a segment: while a person is asked, the segment ends,
 * the program waits, and the next segment continues with it.
 */
import {
  type ApprovalExpiry,
  type CodingAgentEvent,
  CUSTOM_EVENTS,
  type RunEnded,
  type ToolCallPart,
  type ToolOutput,
} from "@capstan/core/internal";
import { uuidv7 } from "uuidv7";
import type { RunContext } from "../context/run-context.ts";
import type { HarnessCall, HarnessDriver, HarnessFacts, HarnessProcess } from "../contract/harness-driver.ts";
import type { MessageToStore } from "../log/run-log.ts";
import { callOne, refusal, storeResult } from "../steps/call-tools.ts";
import { nothingWaits, noWaits, type Waits } from "../steps/waits.ts";
import { ExpectedCalls } from "./expected-calls.ts";
import { HarnessTurns, type Turn } from "./harness-turns.ts";
import { HarnessUsage } from "./harness-usage.ts";
import {
  answerNative,
  labelNative,
  type NativeQuestion,
  nativeResult,
  nativeVerdict,
} from "./native-question.ts";
import { jsonOf } from "./same-input.ts";

const QUIET_MS = 150; // concurrent calls ask at the same time: a person sees all questions together

export type HarnessEnd =
  | { readonly kind: "ended"; readonly event: RunEnded }
  | { readonly kind: "waiting"; readonly waits: Waits }
  /** The session has switched to another agent. */
  | { readonly kind: "handed_over" };

/** A call without an answer. */
interface PendingCall {
  readonly part: ToolCallPart;
  readonly turn: Turn;
  readonly answer: (output: ToolOutput) => void;
  readonly question?: NativeQuestion;
}

type Handler = (event: CodingAgentEvent, context: RunContext) => void;
type Handlers = {
  readonly [Type in CodingAgentEvent["type"]]?: (
    event: Extract<CodingAgentEvent, { type: Type }>,
    context: RunContext,
  ) => void;
};
type ToolEnded = Extract<CodingAgentEvent, { type: "tool-ended" }>;
type Asked = Extract<CodingAgentEvent, { type: "approval-requested" }>;

export class LiveHarness {
  readonly facts: HarnessFacts;
  readonly #turns: HarnessTurns;
  readonly #usage: HarnessUsage;
  readonly #expected = new ExpectedCalls();
  /** By our id; includes the program's own tools. */
  readonly #calls = new Map<string, { readonly part: ToolCallPart; readonly turn: Turn }>();
  readonly #nativeCalls = new Map<string, string>();
  readonly #askedAbout = new Set<string>();
  readonly #held = new Map<string, PendingCall>();
  readonly #tasks = new Set<Promise<void>>();
  /** Settles when the label of what the program's own tools read is stored. */
  #labelled: Promise<void> | undefined;
  #process: HarnessProcess | undefined;
  #attached = Promise.withResolvers<RunContext>();
  #outcome = Promise.withResolvers<HarnessEnd>();
  #waits = noWaits({ policy: "wait" });
  #context: RunContext | undefined;
  #executing = 0;
  #quiet: NodeJS.Timeout | undefined;
  #useless: (() => void) | undefined;
  #isGone = false;
  #isOver = false;
  /** Whether it produced any output; if not, it can be restarted. */
  wasHeard = false;
  /** The program's own session, once known. */
  cliSession: string | undefined;
  onSession: (context: RunContext) => void = () => {};

  constructor(context: RunContext, driver: HarnessDriver, facts: HarnessFacts) {
    this.facts = facts;
    this.#usage = new HarnessUsage(driver);
    this.#turns = new HarnessTurns(context.messages, (event) => this.#context?.log.emit(event));
  }

  /** The program has started; its events are read from now on, whenever a segment drives it. */
  begin(process: HarnessProcess): void {
    this.#process = process;
    void this.#read(process);
    process.ended.finally(() => {
      this.#isGone = true;
      this.#useless?.();
    });
  }

  /** Runs until it ends, or something must be awaited. Rejects when the run is stopped. */
  async drive(context: RunContext, expiry: ApprovalExpiry): Promise<HarnessEnd> {
    this.#outcome = Promise.withResolvers<HarnessEnd>();
    this.#context = context;
    this.#waits = noWaits(expiry);
    context.unstored = (callId) => this.#unstoredFor(context, callId);
    const held = [...this.#held.values()];
    this.#held.clear();
    this.#attached.resolve(context);
    for (const call of held)
      void this.#continueCall(context, call).catch((error) => this.#outcome.reject(error));
    const stop = () => this.#stop(context);
    context.signal.addEventListener("abort", stop, { once: true });
    if (context.signal.aborted) stop();
    try {
      return await this.#outcome.promise;
    } finally {
      context.signal.removeEventListener("abort", stop);
    }
  }

  /** Output since the last stored message, as the final one. */
  finalMessage(context: RunContext): MessageToStore {
    const turn = this.#turns.unstored;
    const message = turn
      ? this.#turns.message(turn)
      : { id: uuidv7(), role: "assistant" as const, content: [] };
    context.messages.push(message);
    return this.#withUsage(context, message);
  }

  /** The message whose calls are pending, if it is not stored yet. */
  waitingMessage(context: RunContext): MessageToStore[] {
    const turn = this.#turns.unstored;
    if (!turn || ![...this.#held.values()].some((call) => call.turn === turn)) return [];
    return this.#stored(context, turn);
  }

  /** Unstored output, for a run that fails. */
  partial(context: RunContext): void {
    this.#turns.close();
    this.#usage.count(context.meter);
    const turn = this.#turns.unstored;
    if (turn) context.partial = { id: turn.id, parts: turn.builder.parts };
  }

  /** Called once the program can no longer accept the answer it waits for. */
  whenUseless(then: () => void): void {
    this.#useless = then;
    if (this.#isGone) then();
  }

  /** Ends the program in any state. */
  discard(): void {
    clearTimeout(this.#quiet);
    this.#isOver = true;
    for (const { answer } of this.#held.values()) answer(STOPPED);
    this.#held.clear();
    void this.#process?.interrupt().catch(() => {});
  }

  /** A call of one of the agent's tools, from the program. */
  readonly call = async ({ tool, input, id, signal }: HarnessCall): Promise<ToolOutput> => {
    if (this.#isOver) return STOPPED;
    await this.#attached.promise;
    const expected = await this.#expected.match(tool, input, id);
    const context = await this.#attached.promise;
    context.seen.toolCalls = true;
    const { part, turn } = this.#turns.call(expected.id, tool, input, false);
    this.#calls.set(part.toolCallId, { part, turn });
    this.wasHeard = true;
    await turn.ready;
    const { promise, resolve } = Promise.withResolvers<ToolOutput>();
    const call: PendingCall = { part, turn, answer: resolve };
    signal.addEventListener("abort", () => this.#giveUp(call), { once: true });
    void this.#execute(call);
    return promise;
  };

  async #read(process: HarnessProcess): Promise<void> {
    let end: RunEnded | undefined;
    try {
      for await (const event of process.events) {
        await this.#attached.promise;
        if (event.type === "run-ended") end = event;
        else this.#take(event);
      }
      await Promise.allSettled(this.#tasks);
      const context = await this.#attached.promise;
      if (end?.sessionId !== undefined) this.#session(context, end.sessionId);
      this.#end({ kind: "ended", event: end ?? { type: "run-ended", outcome: "aborted" } });
    } catch (error) {
      this.#outcome.reject(error);
    }
  }

  #take(event: CodingAgentEvent): void {
    if (event.type === "text-delta" || event.type === "thinking-delta") this.wasHeard = true;
    const context = this.#context;
    if (context) (this.#handlers[event.type] as Handler | undefined)?.(event, context);
  }

  /** Handlers per event type; types without a row are not shown to people. */
  readonly #handlers: Handlers = {
    "run-started": ({ model, sessionId }, context) => {
      this.#usage.model = model;
      if (sessionId !== undefined) this.#session(context, sessionId);
    },
    "text-delta": ({ text }) => this.#turns.say("text-delta", text),
    "thinking-delta": ({ text }, { seen }) => {
      seen.reasoning = true;
      this.#turns.say("reasoning-delta", text);
    },
    "tool-started": (event) => this.#startTool(event),
    "tool-ended": (event) => this.#track(this.#endTool(event)),
    "approval-requested": (event, context) => this.#track(this.#ask(context, event)),
    usage: (event, context) => this.#count(context, event),
    retry: ({ attempt = 1, delayMs = 0, message: reason }, { log }) => {
      const value = { attempt, wait_ms: Math.round(delayMs), reason };
      log.emit({ type: "CUSTOM", name: CUSTOM_EVENTS.retrying, value });
    },
    warning: ({ message }, context) => context.warn(message),
  };

  #session(context: RunContext, cliSession: string): void {
    if (this.cliSession === cliSession) return;
    this.cliSession = cliSession;
    this.onSession(context);
  }

  #count(context: RunContext, event: Extract<CodingAgentEvent, { type: "usage" }>): void {
    this.#usage.total = event;
    const { maxTokens } = context.meter.limits;
    const used = context.meter.totalTokens + this.#usage.uncounted;
    if (maxTokens === undefined || used < maxTokens) return;
    this.#end({ kind: "ended", event: { type: "run-ended", outcome: "limit", limit: "tokens" } });
    void this.#process?.interrupt().catch(() => {});
  }

  /** The agent's own tools are shown when their call arrives, with the actual arguments; others immediately. */
  #startTool(event: Extract<CodingAgentEvent, { type: "tool-started" }>): void {
    this.wasHeard = true;
    const own = this.#process?.ownTool(event.tool);
    const input = jsonOf(event.input);
    if (own === undefined) this.#showNative(event.id, event.tool, input);
    else this.#expected.add({ id: event.id, tool: own, input });
  }

  #showNative(id: string, tool: string, input: ToolCallPart["input"]): { part: ToolCallPart; turn: Turn } {
    this.#labelled ??= this.#attached.promise.then((context) => labelNative(context, tool));
    const shown = this.#turns.call(id, tool, input, true);
    this.#calls.set(shown.part.toolCallId, shown);
    this.#nativeCalls.set(id, shown.part.toolCallId);
    return shown;
  }

  /** Results of the agent's tools are stored by their call; this handles those of the program's own tools, and refusals. */
  async #endTool(event: ToolEnded): Promise<void> {
    const never = this.#expected.drop(event.id);
    const shown = never
      ? this.#turns.call(event.id, never.tool, never.input, false)
      : this.#calls.get(this.#nativeCalls.get(event.id) ?? "");
    if (!shown) return;
    const { part, turn } = shown;
    this.#calls.set(part.toolCallId, shown);
    this.#held.delete(part.toolCallId); // the question is settled, whoever answered it
    await turn.ready;
    const context = await this.#attached.promise;
    await this.#labelled;
    const ungated = never === undefined && !this.#askedAbout.has(part.toolCallId);
    await storeResult(context, part, { ...nativeResult(context, part, event), ungated });
    this.#turns.markAnswered(turn, part.toolCallId);
  }

  async #ask(context: RunContext, event: Asked): Promise<void> {
    const process = this.#process;
    if (!process) return;
    if (process.ownTool(event.tool) !== undefined) return process.approve(event.id); // it has a gate of its own
    const agent = await context.agentNow();
    if (!agent.ok) return process.deny(event.id, agent.failure.message);
    const known = this.#calls.get(this.#nativeCalls.get(event.toolId ?? "") ?? "");
    const { part, turn } =
      known ?? this.#showNative(event.toolId ?? event.id, event.tool, jsonOf(event.input));
    this.#askedAbout.add(part.toolCallId);
    const question: NativeQuestion = { id: event.id, process, reason: event.reason };
    const verdict = nativeVerdict(context, agent.value, part, this.#waits, question);
    if (verdict !== "person") return answerNative(question, verdict);
    this.#held.set(part.toolCallId, { part, turn, answer: () => {}, question });
    this.#suspendWhenQuiet();
  }

  async #continueCall(context: RunContext, call: PendingCall): Promise<void> {
    const { question, part } = call;
    if (!question) return this.#execute(call);
    const answer = context.claim.answers.find(({ callId }) => callId === part.toolCallId);
    await answerNative(question, answer ?? "deny");
  }

  async #execute(call: PendingCall): Promise<void> {
    const { part, turn } = call;
    const context = await this.#attached.promise;
    this.#executing++;
    try {
      const before = resultOf(context, part);
      if (!before) await this.#throughGate(context, part);
    } catch (error) {
      call.answer(STOPPED);
      this.#outcome.reject(error);
      return;
    } finally {
      this.#executing--;
    }
    const output = resultOf(context, part);
    if (output) {
      this.#turns.markAnswered(turn, part.toolCallId);
      call.answer(output);
    } else this.#held.set(part.toolCallId, call);
    this.#suspendWhenQuiet();
  }

  async #throughGate(context: RunContext, part: ToolCallPart): Promise<void> {
    const { agentId, claim } = context;
    await this.#labelled;
    const agent = await context.agentNow();
    if (!agent.ok) return storeResult(context, part, refusal(agent.failure));
    const answer = claim.answers.find(({ callId }) => callId === part.toolCallId);
    await callOne(context, agent.value, part, answer, this.#waits);
    if (context.agentId !== agentId) this.#end({ kind: "handed_over" });
  }

  /** The program no longer waits for this answer: it must not continue as if nobody had been asked. */
  #giveUp(call: PendingCall): void {
    if (this.#held.get(call.part.toolCallId) === call) this.#useless?.();
  }

  #suspendWhenQuiet(): void {
    clearTimeout(this.#quiet);
    if (nothingWaits(this.#waits) || this.#executing > 0) return;
    this.#quiet = setTimeout(() => {
      if (this.#executing > 0 || !this.#context) return;
      this.#turns.close();
      this.#context = undefined;
      this.#attached = Promise.withResolvers<RunContext>(); // nothing is written until another segment drives it
      this.#outcome.resolve({ kind: "waiting", waits: this.#waits });
    }, QUIET_MS);
  }

  /** No other segment resumes this program; its later output is ignored. */
  #end(end: HarnessEnd): void {
    clearTimeout(this.#quiet);
    this.#turns.close();
    this.#isOver = true;
    this.#context = undefined;
    this.#outcome.resolve(end);
  }

  #stop(context: RunContext): void {
    this.partial(context);
    this.#outcome.reject(context.log.error ?? context.signal.reason);
    this.#end({ kind: "handed_over" });
    this.discard();
  }

  #unstoredFor(context: RunContext, callId: string): MessageToStore[] {
    const turn = this.#calls.get(callId)?.turn;
    return turn && !turn.isStored ? this.#stored(context, turn) : [];
  }

  #stored(context: RunContext, turn: Turn): MessageToStore[] {
    return [this.#withUsage(context, this.#turns.message(turn))];
  }

  #withUsage(context: RunContext, message: MessageToStore["message"]): MessageToStore {
    const usage = this.#usage.count(context.meter);
    return { message, ...(usage && { usage }) };
  }

  #track(work: Promise<void>): void {
    const task = work.catch((error) => this.#outcome.reject(error)).finally(() => this.#tasks.delete(task));
    this.#tasks.add(task);
  }
}

const STOPPED: ToolOutput = {
  type: "error-json",
  value: { code: "cancelled", message: "The run was stopped." },
};

/** The stored result of a call, whoever stored it. */
function resultOf({ messages }: RunContext, { toolCallId }: ToolCallPart): ToolOutput | undefined {
  for (const message of messages) {
    if (message.role !== "tool") continue;
    const found = message.content.find((part) => part.toolCallId === toolCallId);
    if (found) return found.output;
  }
  return undefined;
}
