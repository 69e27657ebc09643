/**
 * Runs one command of a package, confined: arguments as a vector, a clean environment, limits on time, output and memory.
 * A command that cannot be started is an outcome; one that is not allowed to run here is a failure.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { ok, type Result } from "@capstan/core";
import { residentBytes } from "../sandbox/resident-memory.ts";
import type { CommandIsolation } from "./command-isolation.ts";
import { type ConfinedCommand, confine } from "./confine.ts";
import { processTree } from "./process-tree.ts";

const MEMORY_WATCH_MS = 250;
const KILL_AFTER_MS = 1_000; // time for a well-behaved command to close its files after SIGTERM
const DRAIN_MS = 1_000; // a child that escaped the process group may keep the pipes open; its output is not awaited

export interface CommandRequest extends ConfinedCommand {
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  /** `kill`: too much output ends the command. `cut`: the rest is dropped and the command continues. */
  readonly onFlood: "kill" | "cut";
  readonly maxMemoryBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Given on standard input, which is empty without it. */
  readonly stdin?: string | undefined;
}

export type CommandExit = "exited" | "timeout" | "flooded" | "memory" | "cancelled" | "not-started";

export interface CommandOutcome {
  readonly exit: CommandExit;
  /** The exit code; -1 when it was killed or could not be started. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** True when output was dropped. */
  readonly cut: boolean;
  readonly durationMs: number;
}

export async function runCommand(
  request: CommandRequest,
  isolation: CommandIsolation,
): Promise<Result<CommandOutcome>> {
  const startedAt = performance.now();
  if (request.signal?.aborted) return ok({ ...NOTHING, exit: "cancelled", durationMs: 0 });
  const line = await confine(request, isolation);
  if (!line.ok) return line;
  const { file, args, cwd, env } = line.value;
  const child = spawn(file, [...args], {
    cwd,
    env: { ...env },
    detached: true, // a process group of its own, so that a kill takes its children
    stdio: [request.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  if (request.stdin !== undefined) feed(child, request.stdin);
  const output = new CappedOutput(request.maxOutputBytes);
  const end = await ending(child, request, output);
  line.value.leave();
  return ok({ ...end, ...output.text(), durationMs: Math.round(performance.now() - startedAt) });
}

/** A command that ends without reading it all closes the pipe; that is no failure of the call. */
function feed({ stdin }: ChildProcess, text: string): void {
  stdin?.on("error", () => {});
  stdin?.end(text);
}

const NOTHING = { code: -1, stdout: "", stderr: "", cut: false };

function ending(
  child: ChildProcess,
  request: CommandRequest,
  output: CappedOutput,
): Promise<{ exit: CommandExit; code: number }> {
  return new Promise((resolve) => {
    let cause: CommandExit | undefined;
    const stop = (why: CommandExit) => {
      cause ??= why;
      if (why === "flooded" || why === "memory") kill(child, "SIGKILL");
      else killGently(child);
    };
    const late = setTimeout(() => stop("timeout"), request.timeoutMs);
    const watch = setInterval(async () => {
      if ((await treeBytes(child.pid)) > request.maxMemoryBytes) stop("memory");
    }, MEMORY_WATCH_MS);
    const cancel = () => stop("cancelled");
    request.signal?.addEventListener("abort", cancel, { once: true });
    if (request.signal?.aborted) cancel();
    const take = (stream: "stdout" | "stderr") => (chunk: Buffer) => {
      if (!output.add(stream, chunk) && request.onFlood === "kill") stop("flooded");
    };
    child.stdout?.on("data", take("stdout"));
    child.stderr?.on("data", take("stderr"));
    const finish = (exit: CommandExit, code: number) => {
      clearTimeout(late);
      clearInterval(watch);
      request.signal?.removeEventListener("abort", cancel);
      resolve({ exit: cause ?? exit, code: cause ? -1 : code });
    };
    child.on("error", (error) => {
      output.add("stderr", Buffer.from(error.message));
      finish("not-started", -1);
    });
    child.on("exit", (code) => {
      kill(child, "SIGKILL"); // leftover processes of its group
      const drained = setTimeout(() => finish("exited", code ?? -1), DRAIN_MS);
      child.on("close", () => {
        clearTimeout(drained);
        finish("exited", code ?? -1);
      });
    });
  });
}

function killGently(child: ChildProcess): void {
  kill(child, "SIGTERM");
  setTimeout(() => kill(child, "SIGKILL"), KILL_AFTER_MS).unref();
}

function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // the group has already ended
  }
}

async function treeBytes(pid: number | undefined): Promise<number> {
  if (pid === undefined) return 0;
  const sizes = await Promise.all(processTree(pid).map(residentBytes));
  return sizes.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0);
}

/** Keeps the first bytes of each stream, and tracks whether more came. */
class CappedOutput {
  readonly #chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  readonly #left: { stdout: number; stderr: number };
  #cut = false;

  constructor(maxBytes: number) {
    this.#left = { stdout: maxBytes, stderr: maxBytes };
  }

  /** False once there is more than the limit. */
  add(stream: "stdout" | "stderr", chunk: Buffer): boolean {
    const kept = chunk.subarray(0, this.#left[stream]);
    this.#left[stream] -= kept.length;
    if (kept.length > 0) this.#chunks[stream].push(kept);
    if (kept.length < chunk.length) this.#cut = true;
    return !this.#cut;
  }

  text(): { stdout: string; stderr: string; cut: boolean } {
    const decode = (chunks: Buffer[]) => new TextDecoder().decode(Buffer.concat(chunks));
    return { stdout: decode(this.#chunks.stdout), stderr: decode(this.#chunks.stderr), cut: this.#cut };
  }
}
