/**
 * One sandbox child, from the server's side: started, given one run at a time, monitored, killed at its limit.
 *
 * A run that hits a limit ends the child; its output so far is kept, its files are not.
 */
import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { JsonValue, SandboxOutcome } from "@capstan/core";
import { z } from "zod";
import { encodeFrame, type Frame, FrameReader } from "./frames.ts";
import { residentBytes, WATCH_EVERY_MS } from "./resident-memory.ts";

const MEGABYTE = 1024 * 1024;
const START_LIMIT_MS = 60_000; // Pyodide takes 2 s on a free core, far more on a busy one
const GRACE_MS = 300; // interpreters that can stop by themselves do so at the limit, with their output
const SLACK_BYTES = 64 * MEGABYTE; // compiled code and buffers that do not count as the program's
const STDERR_CHARS = 4_000;
const SNAPSHOT_BYTES = 64 * MEGABYTE;
const FRAME_HEAD_BYTES = 4 * MEGABYTE;

const Exit = z.enum(["done", "error", "timeout", "memory"]);
const FromChild = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready") }),
  z.object({ type: z.literal("output"), stream: z.enum(["stdout", "stderr"]), text: z.string() }),
  z.object({
    type: z.literal("done"),
    exit: Exit,
    exitCode: z.int(),
    resultJson: z.string().optional(),
    tooLarge: z.int().optional(),
    broke: z.string().optional(),
  }),
]);

export interface WorkerRun {
  readonly code: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly fileBytes: number;
  readonly outputBytes: number;
  readonly signal: AbortSignal;
}

interface Running {
  readonly startedAt: number;
  readonly output: { stdout: string; stderr: string };
  readonly run: WorkerRun;
  readonly resolve: (outcome: SandboxOutcome) => void;
  readonly stop: () => void;
}

export class SandboxWorker {
  readonly ready: Promise<void>;
  /** The interpreter's snapshot for the next child. */
  snapshot: Uint8Array | undefined;
  runs = 0;
  busyMs = 0;
  readonly #process: ChildProcess;
  readonly #reader: FrameReader;
  #becameReady = () => {};
  #failedToStart: (error: Error) => void = () => {};
  #running: Running | undefined;
  #startBytes = 0;
  #stderr = "";
  #dead = false;

  constructor(command: readonly string[], fileBytes: number) {
    const [file = "", ...args] = command;
    this.#reader = new FrameReader({
      headBytes: FRAME_HEAD_BYTES,
      fileBytes: Math.max(fileBytes, SNAPSHOT_BYTES),
    });
    this.ready = new Promise((resolve, reject) => {
      this.#becameReady = resolve;
      this.#failedToStart = reject;
    });
    this.ready.catch(() => {}); // its waiter gets the error; an unused spare must not crash the server
    this.#process = spawn(file, args, {
      cwd: "/",
      env: {},
      detached: true, // a separate process group, so that a kill includes everything
      stdio: ["pipe", "ignore", "pipe", "pipe"],
    });
    const limit = setTimeout(() => this.#end(new Error("it did not start in time")), START_LIMIT_MS);
    void this.ready.catch(() => {}).finally(() => clearTimeout(limit));
    this.#listen();
  }

  get alive(): boolean {
    return !this.#dead;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** How much its memory has grown since it was new. */
  async grownBytes(): Promise<number> {
    return ((await residentBytes(this.pid ?? 0)) ?? 0) - this.#startBytes;
  }

  async run(run: WorkerRun): Promise<SandboxOutcome> {
    await this.ready;
    this.runs += 1;
    this.#startBytes ||= (await residentBytes(this.pid ?? 0)) ?? 0;
    return new Promise((resolve) => {
      const output = { stdout: "", stderr: "" };
      this.#running = { startedAt: performance.now(), output, run, resolve, stop: this.#watch(run) };
      const { code, files, timeoutMs, memoryMb, fileBytes, outputBytes } = run;
      const parts = encodeFrame({ code, timeoutMs, memoryMb, fileBytes, outputBytes }, files);
      for (const part of parts) (this.#process.stdin as Writable).write(part);
    });
  }

  kill(): void {
    this.#end(new Error("it was stopped"));
  }

  #listen(): void {
    const channel = this.#process.stdio[3] as Readable;
    channel.on("data", (chunk: Buffer) => this.#receive(chunk));
    this.#process.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARS);
    });
    this.#process.stdin?.on("error", () => {}); // a child that dies during a write is reported by its exit
    this.#process.on("error", (error) => this.#end(error));
    // "close", not "exit": by then its last output has arrived
    this.#process.on("close", () => this.#end(new Error(this.#stderr.trim() || "it exited")));
  }

  #receive(chunk: Buffer): void {
    try {
      for (const frame of this.#reader.push(chunk)) this.#take(frame);
    } catch (error) {
      this.#end(
        new Error(`it broke the protocol: ${error instanceof Error ? error.message : String(error)}`),
      );
    }
  }

  #take({ head, files }: Frame): void {
    const message = FromChild.parse(head);
    if (message.type === "ready") {
      if (this.runs === 0) this.snapshot = files.get("snapshot") ?? undefined; // later, untrusted code could have created it
      this.#becameReady();
      return;
    }
    const running = this.#running;
    if (!running) throw new Error("it sent a message without a request");
    if (message.type === "output") {
      const room = running.run.outputBytes - running.output[message.stream].length;
      running.output[message.stream] += message.text.slice(0, Math.max(0, room));
      return;
    }
    if (message.broke !== undefined) running.output.stderr += message.broke;
    if (message.tooLarge !== undefined) {
      running.output.stderr += `The written files have ${message.tooLarge} bytes; the limit is ${running.run.fileBytes}. None was kept.\n`;
    }
    const bytes = [...files.values()].reduce((sum, content) => sum + (content?.byteLength ?? 0), 0);
    if (bytes > running.run.fileBytes) throw new Error(`files of ${bytes} bytes`);
    const { exit, exitCode, resultJson } = message;
    this.#finish({ exit, exitCode, changed: files, ...parsed(resultJson) });
  }

  /** The three limits of a run, and how to cancel them. */
  #watch(run: WorkerRun): () => void {
    const { timeoutMs, memoryMb, signal } = run;
    const mounted = [...run.files.values()].reduce((sum, content) => sum + content.byteLength, 0);
    const limitBytes = this.#startBytes + memoryMb * MEGABYTE + SLACK_BYTES + 3 * mounted;
    const late = setTimeout(() => this.#cut("timeout", 124), timeoutMs + GRACE_MS);
    const memory = setInterval(async () => {
      const bytes = await residentBytes(this.pid ?? 0);
      if (bytes !== undefined && bytes > limitBytes) this.#cut("memory", 137);
    }, WATCH_EVERY_MS);
    const cancel = () => this.#cut("killed", 130);
    signal.addEventListener("abort", cancel, { once: true });
    return () => {
      clearTimeout(late);
      clearInterval(memory);
      signal.removeEventListener("abort", cancel);
    };
  }

  #cut(exit: SandboxOutcome["exit"], exitCode: number): void {
    this.#finish({ exit, exitCode, changed: new Map() });
    this.kill();
  }

  #finish(end: Pick<SandboxOutcome, "exit" | "exitCode" | "changed" | "result">): void {
    const running = this.#running;
    if (!running) return;
    this.#running = undefined;
    running.stop();
    const durationMs = performance.now() - running.startedAt;
    this.busyMs += durationMs;
    running.resolve({ ...end, ...running.output, durationMs });
  }

  #end(error: Error): void {
    if (this.#dead) return;
    this.#dead = true;
    this.#failedToStart(error);
    const outOfMemory = /out of memory/i.test(this.#stderr);
    if (this.#running) this.#running.output.stderr += `${outOfMemory ? "" : error.message}\n`;
    this.#finish({
      exit: outOfMemory ? "memory" : "killed",
      exitCode: 137,
      changed: new Map(),
    });
    killGroup(this.pid);
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // it has already exited
  }
}

function parsed(json: string | undefined): { result?: JsonValue } {
  if (json === undefined) return {};
  try {
    return { result: JSON.parse(json) as JsonValue };
  } catch {
    return {};
  }
}
