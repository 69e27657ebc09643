/**
 * The process of a run: spawned in its own group, read line by line, stopped in steps, without leaving children.
 */
import { type ChildProcess, spawn } from "node:child_process";
import type { RunExit } from "@capstan/core/internal";
import { LineSplitter } from "./line-splitter.ts";
import { endStrays, signalGroup } from "./process-group.ts";
import type { RunnerSettings } from "./runner-settings.ts";
import { forget, watch } from "./watchdog.ts";

const MAX_TAIL_CHARS = 2_000;
const DRAIN_MS = 500; // after the exit: a pipe held open by a stray process must not block the run

export interface ProcessSpec {
  readonly runId: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly hasStdin: boolean;
  readonly settings: RunnerSettings;
  /** The user it runs as; default: this process's own. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
}

export interface ProcessEvents {
  readonly onLine: (line: string) => void;
  readonly onDropped: (lines: number) => void;
  readonly onOverflow: () => void;
  readonly onExit: (exit: RunExit, lastOutput: string) => void;
}

export class AgentProcess {
  readonly #spec: ProcessSpec;
  readonly #events: ProcessEvents;
  readonly #child: ChildProcess;
  readonly #splitter: LineSplitter;
  readonly #timers = new Set<NodeJS.Timeout>();
  #lastLine = "";
  #errorTail = "";
  #over = false;

  constructor(spec: ProcessSpec, events: ProcessEvents) {
    const { command, args, cwd, env, hasStdin, settings, runId, user } = spec;
    this.#spec = spec;
    this.#events = events;
    this.#splitter = new LineSplitter({
      maxLineBytes: settings.maxLineBytes,
      maxTotalBytes: settings.maxOutputBytes,
    });
    this.#child = spawn(command, [...args], {
      cwd,
      env: { ...env },
      detached: true, // a group of its own, so that a signal reaches all of it and nothing else
      stdio: [hasStdin ? "pipe" : "ignore", "pipe", "pipe"],
      windowsHide: true,
      ...user,
    });
    if (this.#child.pid !== undefined) watch(this.#child.pid, runId);
    this.#listen();
  }

  #listen(): void {
    const { stdin, stdout, stderr } = this.#child;
    stdin?.on("error", () => {}); // it stopped reading; its exit will tell
    stdout?.on("data", (chunk: Buffer) => this.#read(chunk));
    stderr?.on("data", (chunk: Buffer) => {
      this.#errorTail = (this.#errorTail + chunk.toString("utf8")).slice(-MAX_TAIL_CHARS);
    });
    this.#child.once("error", (error) => {
      this.#errorTail = error.message;
      if (this.#child.pid === undefined) void this.#finish({ code: 127, signal: null });
    });
    this.#child.once("exit", (code, signal) => {
      if (this.#child.pid !== undefined) signalGroup(this.#child.pid, "SIGKILL"); // its children go with it
      const done = () => void this.#finish({ code, signal });
      this.#child.once("close", done);
      this.#later(DRAIN_MS, done);
    });
  }

  write(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  /** `text`: the last of it. */
  closeStdin(text = ""): void {
    this.#child.stdin?.end(text);
  }

  pause(): void {
    this.#child.stdout?.pause();
  }

  resume(): void {
    this.#child.stdout?.resume();
  }

  /** Signals in order, each after the previous one's grace period. Reading continues: a blocked writer cannot end cleanly. */
  stop(first: "interrupt" | "terminate"): void {
    const { interruptGraceMs, terminateGraceMs } = this.#spec.settings;
    this.resume();
    if (first === "interrupt") {
      this.#signal("SIGINT");
      this.#later(interruptGraceMs, () => this.stop("terminate"));
      return;
    }
    this.#signal("SIGTERM");
    this.#later(terminateGraceMs, () => this.#signal("SIGKILL"));
  }

  /** For an agent that was asked through its protocol, or should exit by itself: signals follow after a grace period. */
  stopUnlessGone(afterMs: number, stillWanted = () => true): void {
    this.#later(afterMs, () => {
      if (stillWanted()) this.stop("terminate");
    });
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#child.pid !== undefined && !this.#over) signalGroup(this.#child.pid, signal);
  }

  #later(ms: number, action: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (!this.#over) action();
    }, ms);
    this.#timers.add(timer);
  }

  #read(chunk: Buffer): void {
    const { lines, dropped, overflow } = this.#splitter.push(chunk);
    for (const line of lines) this.#line(line);
    if (dropped > 0) this.#events.onDropped(dropped);
    if (overflow) this.#events.onOverflow();
  }

  #line(line: string): void {
    if (line.trim() === "") return;
    this.#lastLine = line.slice(0, MAX_TAIL_CHARS);
    this.#events.onLine(line);
  }

  async #finish(exit: RunExit): Promise<void> {
    if (this.#over) return;
    this.#over = true;
    for (const timer of this.#timers) clearTimeout(timer);
    const { pid, stdout, stderr, stdin } = this.#child;
    for (const stream of [stdout, stderr, stdin]) stream?.destroy();
    const last = this.#splitter.end();
    if (last !== undefined) this.#line(last);
    await endStrays(this.#spec.runId);
    if (pid !== undefined) forget(pid, this.#spec.runId);
    this.#events.onExit(exit, this.#errorTail.trim() || this.#lastLine);
  }
}
