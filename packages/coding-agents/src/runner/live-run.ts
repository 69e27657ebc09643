/**
 * One run of an agent, from spawn to last event.
 *
 * The adapter interprets lines and produces input; the ledger keeps events legal; this file decides when to stop. The run
 * ends when the process has exited, so that nothing is left behind when the result is available.
 */
import { fail } from "@capstan/core";
import {
  type AdapterEvent,
  type AdapterStep,
  CapabilityError,
  type CodingAgentEvent,
  type RunCommand,
  type RunExit,
  RunRefusedError,
  runError,
} from "@capstan/core/internal";
import { AgentProcess } from "./agent-process.ts";
import { BufferedText } from "./buffered-text.ts";
import { checkedAnswer } from "./checked-answer.ts";
import { redact } from "./clean-environment.ts";
import { EventQueue } from "./event-queue.ts";
import { forcedBy, timedOut } from "./forced-ending.ts";
import { HttpLink } from "./http-link.ts";
import {
  homeFiles,
  overFallback,
  type PreparedRun,
  planRun,
  type RunRequest,
  readyPlan,
} from "./prepare-run.ts";
import { privateFolder, removeFolder, returnRunFiles } from "./private-folder.ts";
import { type CostOf, limitReached, withCost } from "./run-costs.ts";
import { ResultBuilder, type RunHandle, type RunResult } from "./run-handle.ts";
import { createRunLedger, type ForcedEnding } from "./run-ledger.ts";
import { RunQuestions } from "./run-questions.ts";
import type { RunnerSettings } from "./runner-settings.ts";
import { SideFileReader } from "./side-file.ts";

export interface LiveRunRequest extends RunRequest {
  readonly settings: RunnerSettings;
  /** Emitted first: warnings, and what will not stream. */
  readonly opening: readonly CodingAgentEvent[];
  /** Findings during startup, such as an untested version. */
  readonly notices: Promise<readonly CodingAgentEvent[]>;
  /** Warnings about the model that the program reports. */
  readonly onModel: (model: string) => readonly CodingAgentEvent[];
  /** The cost of usage, for agents that do not report it. */
  readonly costOf: CostOf;
}

export function startRun(request: LiveRunRequest): RunHandle {
  return new LiveRun(request);
}

class LiveRun implements RunHandle {
  readonly id: string;
  #request: LiveRunRequest;
  readonly #ledger;
  readonly #queue = new EventQueue<CodingAgentEvent>(() => this.#process?.resume());
  readonly #buffer: BufferedText | undefined;
  readonly #builder = new ResultBuilder();
  readonly #result = Promise.withResolvers<RunResult>();
  readonly #timeout: NodeJS.Timeout;
  readonly #questions = new RunQuestions();
  #prepared: PreparedRun | undefined;
  #process: AgentProcess | undefined;
  #link: HttpLink | undefined;
  #sideFiles: readonly SideFileReader[] = [];
  #model: string | undefined;
  #answer: { readonly value: unknown } | undefined;
  #forced: ForcedEnding | undefined;
  #lost: ForcedEnding | undefined;
  #openedTurns = 0;
  #endedTurns = 0;
  #hasOutput = false;
  #warnedOfLength = false;
  #interrupted = false;
  #closing = false;
  #over = false;

  constructor(request: LiveRunRequest) {
    const { id, options, adapter, settings } = request;
    this.id = id;
    this.#request = request;
    this.#ledger = createRunLedger(adapter.name);
    this.#buffer = options.stream === false ? new BufferedText() : undefined;
    const timeoutMs = options.timeoutMs ?? settings.defaultTimeoutMs;
    this.#timeout = setTimeout(() => {
      this.#force(timedOut(adapter.name, timeoutMs, this.#ledger.retried));
    }, timeoutMs);
    this.#emit(this.#ledger.take(request.opening));
    void request.notices
      .then((events) => this.#over || this.#emit(this.#ledger.take(events)))
      .catch(() => {});
    void this.#begin();
  }

  get transport(): string {
    return this.#request.transport;
  }

  get result(): Promise<RunResult> {
    this.#queue.flow();
    return this.#result.promise;
  }

  [Symbol.asyncIterator](): AsyncIterator<CodingAgentEvent> {
    return this.#queue[Symbol.asyncIterator]();
  }

  async approve(approvalId: string, input?: unknown): Promise<void> {
    const { adapter, capabilities, transport } = this.#request;
    const { supportsApprovalEdits: takesEdits, supportsStdinInjection } = capabilities;
    const carriesReasons = this.#prepared?.plan.carriesReasons === true;
    const canTell = takesEdits || carriesReasons || supportsStdinInjection;
    if (!canTell && this.#questions.isEdited(approvalId, input)) {
      const message = `Agent '${adapter.name}' does not support edited arguments over its transport '${transport}'`;
      throw new CapabilityError(adapter.name, "approvalEdits", message);
    }
    const { commands, events } = this.#questions.approve(approvalId, input, { takesEdits, carriesReasons });
    for (const command of commands) this.#command(command);
    this.#tell(events);
  }

  async deny(approvalId: string, reason?: string): Promise<void> {
    this.#command({ type: "deny", id: approvalId, reason });
  }

  async send(text: string): Promise<void> {
    const { adapter, capabilities, transport } = this.#request;
    if (!capabilities.supportsStdinInjection) {
      const message = `Agent '${adapter.name}' does not accept messages while running over its transport '${transport}'`;
      throw new CapabilityError(adapter.name, "stdinInjection", message);
    }
    this.#command({ type: "send", text });
  }

  async interrupt(): Promise<void> {
    if (this.#over || this.#ledger.settled) return;
    this.#interrupted = true;
    const step = this.#prepared?.plan.command?.({ type: "interrupt" });
    if (!step) return this.#process?.stop("interrupt");
    this.#apply(step);
    this.#process?.stopUnlessGone(this.#request.settings.interruptGraceMs);
  }

  async abort(): Promise<void> {
    if (!this.#over) this.#force({ outcome: "aborted", message: "Aborted." });
  }

  async #begin(): Promise<void> {
    try {
      await this.#spawn(await planRun(this.#request));
    } catch (error) {
      this.#forced ??= forcedBy(error);
      await this.#finish({ code: null, signal: null }, "");
    }
  }

  async #spawn(plan: PreparedRun["plan"]): Promise<void> {
    const { settings, cwd, id, user } = this.#request;
    const ready = await readyPlan(this.#request, plan);
    if (this.#forced) return this.#finish({ code: null, signal: null }, "");
    this.#prepared = ready;
    this.#emit(this.#ledger.take((plan.warnings ?? []).map((message) => ({ type: "warning", message }))));
    this.#sideFiles = (plan.sideFiles ?? []).map(
      (file) => new SideFileReader(file, (events) => this.#apply({ events })),
    );
    for (const file of this.#sideFiles) await file.begin();
    const [, ...args] = plan.argv;
    const { command, env } = ready;
    const hasStdin = (plan.stdin ?? plan.input) !== undefined && plan.http === undefined;
    const link = plan.http && new HttpLink(plan.http, this.#linkEvents);
    this.#link = link;
    this.#process = new AgentProcess(
      { runId: id, command, args, cwd, env, hasStdin, settings, user },
      {
        onLine: (line) => (link ? link.onPrinted(line) : this.#onLine(line)),
        onDropped: () => this.#warnOfLength(),
        onOverflow: () => this.#overflow(),
        onExit: (exit, lastOutput) => void this.#onExit(exit, lastOutput),
      },
    );
    for (const line of plan.stdin ?? []) this.#write(line);
    if (plan.input !== undefined) this.#process.closeStdin(plan.input);
  }

  readonly #linkEvents = {
    onLine: (line: string) => this.#onLine(line),
    onLost: (why: string) => {
      const { name: agent } = this.#request.adapter;
      const how = `stopped answering (${why})`;
      const ending = forcedBy(fail("coding_agent_protocol_broken", { agent, how, output: "" }).failure);
      this.#lost = ending; // if its process was killed, that is why
      this.#process?.stopUnlessGone(this.#request.settings.exitGraceMs, () => {
        this.#force(ending);
        return false;
      });
    },
  };

  #onLine(line: string): void {
    const step = this.#guard(() => this.#prepared?.plan.onLine(line));
    if (step) this.#apply(step);
    if (!this.#forced && this.#queue.hold()) this.#process?.pause();
  }

  #apply({ events, send = [] }: AdapterStep): void {
    this.#tell(events);
    for (const line of send) this.#write(line);
    this.#checkLimits();
    this.#closeWhenSettled();
  }

  /** Emits events; questions are answered here when no person is to be asked. */
  #tell(events: readonly AdapterEvent[]): void {
    this.#endedTurns += events.filter(({ type }) => type === "run-ended").length;
    const passed = this.#ledger.take(events.map((event) => this.#noted(event)));
    this.#hasOutput ||= passed.length > 0;
    const { approvalMode = "deny" } = this.#request.options;
    for (const event of passed) {
      if (event.type !== "approval-requested") this.#emit([event]);
      else if (approvalMode !== "prompt") this.#answerQuestion(event.id, approvalMode);
      else if (this.#questions.note(event)) this.#answerQuestion(event.id, "yolo");
      else this.#emit([event]);
    }
  }

  /** What the runner itself needs of an event before it goes to the ledger. */
  #noted(event: AdapterEvent): AdapterEvent {
    if (event.type === "usage") return withCost(event, this.#model, this.#request.costOf);
    if (event.type === "structured-answer") this.#answer = { value: event.value };
    if (event.type === "run-started" && event.model !== undefined && this.#model === undefined) {
      this.#model = event.model;
      this.#emit(this.#ledger.take(this.#request.onModel(event.model)));
    }
    return event;
  }

  #answerQuestion(id: string, mode: "yolo" | "deny"): void {
    const command: RunCommand =
      mode === "yolo"
        ? { type: "approve", id }
        : { type: "deny", id, reason: "This run may not use tools that require approval." };
    const step = this.#prepared?.plan.command?.(command);
    if (step) this.#apply(step);
  }

  #write(line: string): void {
    if (this.#over) return;
    if (this.#link) this.#link.write(line);
    else this.#process?.write(line);
    const step = this.#guard(() => this.#prepared?.plan.onSent?.(line));
    this.#openedTurns += step?.events.filter(({ type }) => type === "turn-opened").length ?? 0;
    this.#tell(step?.events ?? []);
  }

  #command(command: RunCommand): void {
    if (!isWellFormed(command)) {
      const where = `${command.type}: must not contain half a character (a lone surrogate)`;
      throw runError(fail("input_invalid", { where }).failure);
    }
    const step = this.#over || this.#closing ? undefined : this.#prepared?.plan.command?.(command);
    if (!step) throw new RunRefusedError(fail("run_command_refused", { command: command.type }).failure);
    this.#apply(step);
  }

  #checkLimits(): void {
    if (this.#ledger.settled || this.#forced) return;
    const { turns, usage } = this.#ledger;
    const countsTurns = this.#prepared?.plan.enforces?.includes("maxTurns") === true;
    const ending = limitReached(this.#request.options, { turns, usage, countsTurns });
    if (ending) this.#force(ending);
  }

  /** The agent reported how the run ended and no message is pending: it may exit, and is ended if it does not. */
  #closeWhenSettled(): void {
    const settled = this.#ledger.settled && this.#endedTurns >= this.#openedTurns;
    if (settled === this.#closing) return;
    this.#closing = settled; // without stdin an agent may continue by itself: a compaction, another step
    if (!settled) return;
    if (this.#link)
      this.#process?.stop("terminate"); // a server does not go by itself
    else if (this.#prepared?.plan.stdin !== undefined) this.#process?.closeStdin();
    this.#process?.stopUnlessGone(this.#request.settings.exitGraceMs, () => this.#closing);
  }

  #force(ending: ForcedEnding): void {
    if (this.#forced || this.#over) return;
    if (!this.#ledger.settled) this.#forced = ending;
    this.#process?.stop("terminate");
  }

  #overflow(): void {
    const { maxOutputBytes } = this.#request.settings;
    this.#force({
      outcome: "limit",
      limit: "output",
      message: `The agent printed more than ${maxOutputBytes} bytes.`,
    });
  }

  #warnOfLength(): void {
    if (this.#warnedOfLength) return;
    this.#warnedOfLength = true;
    const message = `A line longer than ${this.#request.settings.maxLineBytes} bytes was dropped.`;
    this.#emit(this.#ledger.take([{ type: "warning", code: "line_too_long", message }]));
  }

  /** An adapter that throws has a bug; the run continues without that line. */
  #guard<T>(read: () => T | undefined): T | undefined {
    try {
      return read();
    } catch (error) {
      const message = `The adapter could not parse a line: ${error instanceof Error ? error.message : String(error)}`;
      this.#emit(this.#ledger.take([{ type: "warning", code: "adapter_fault", message }]));
      return undefined;
    }
  }

  async #onExit(exit: RunExit, lastOutput: string): Promise<void> {
    const plan = this.#prepared?.plan;
    const diedWithoutOutput = !this.#hasOutput && !this.#ledger.settled && !this.#forced && exit.code !== 0;
    if (plan?.fallback && diedWithoutOutput) {
      const message = `${plan.argv.slice(0, 2).join(" ")} did not start; trying another way.`;
      this.#emit(this.#ledger.take([{ type: "warning", code: "transport_fallback", message }]));
      this.#request = overFallback(this.#request, plan.fallback.transport);
      return this.#spawn(plan.fallback.open()).catch((error: unknown) => {
        this.#forced ??= forcedBy(error);
        return this.#finish(exit, "");
      });
    }
    if (exit.signal === null && !this.#ledger.settled) this.#forced ??= this.#lost;
    for (const file of this.#sideFiles) await file.end();
    this.#link?.close();
    this.#tell(this.#guard(() => plan?.end?.(exit)) ?? []);
    await this.#finish(exit, lastOutput);
  }

  async #finish(exit: RunExit, lastOutput: string): Promise<void> {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timeout);
    const files = this.#prepared?.plan.files ?? [];
    await returnRunFiles(files, homeFiles(this.#request.user)).catch(() => {});
    await removeFolder(privateFolder(this.id)).catch(() => {});
    const quoted = redact(lastOutput, this.#prepared?.env ?? {});
    const interrupted = this.#interrupted && !this.#ledger.settled;
    const ending: ForcedEnding | undefined = interrupted
      ? { outcome: "aborted", message: "Interrupted." }
      : undefined;
    const answer = this.#checkAnswer();
    const closing = this.#ledger.close(exit, quoted, this.#forced ?? ending ?? answer.ending);
    this.#emit(closing);
    this.#emit([], true);
    this.#queue.end();
    const end = closing.at(-1);
    if (end?.type !== "run-ended") throw new Error("The ledger closed without an end.");
    this.#result.resolve(this.#builder.result(end, end.outcome === "done" ? answer.json : undefined));
  }

  /** An answer that is not the requested JSON is a failed run. */
  #checkAnswer(): { readonly json?: unknown; readonly ending?: ForcedEnding } {
    const { options, adapter } = this.#request;
    const wantsJson = options.outputFormat === "json" || options.outputSchema !== undefined;
    if (!wantsJson || this.#ledger.outcome !== "done") return {};
    this.#emit([], true);
    const text = this.#answer ? JSON.stringify(this.#answer.value) : this.#builder.text;
    const checked = checkedAnswer(text, { agent: adapter.name, schema: options.outputSchema });
    return checked.ok ? { json: checked.value } : { ending: forcedBy(checked.failure) };
  }

  #emit(events: readonly CodingAgentEvent[], flush = false): void {
    const shaped = this.#buffer ? events.flatMap((event) => this.#buffer?.take(event) ?? []) : events;
    const all = flush ? [...shaped, ...(this.#buffer?.flush() ?? [])] : shaped;
    for (const event of all) {
      this.#builder.add(event);
      this.#queue.push(event);
    }
  }
}

/** Some programs wait for ever for the rest of a line with half a character. */
function isWellFormed(command: RunCommand): boolean {
  const texts: string[] = [];
  JSON.stringify(command, (_, value: unknown) => {
    if (typeof value === "string") texts.push(value);
    return value;
  });
  return texts.every((text) => text.isWellFormed());
}
