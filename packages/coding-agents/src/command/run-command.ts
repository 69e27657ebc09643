/**
 * Runs one short command of an agent's CLI: a version, a list, an install. Bounded in time and output, in its own process group.
 *
 * Never through a shell. Runs of an agent use the process runner instead.
 */
import { type ChildProcess, spawn } from "node:child_process";

export interface CommandOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly cwd?: string;
  /** Lines to write to stdin, which then stays open; otherwise stdin is closed, which several CLIs require. */
  readonly input?: readonly string[];
  /** Stops the command when a line of its output satisfies this. */
  readonly until?: (line: string) => boolean;
  readonly maxOutputBytes?: number;
}

export interface CommandResult {
  readonly outcome: "exited" | "stopped" | "timeout" | "too_large" | "not_found";
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What plugins, doctor and refreshers are given to run commands with. */
export type CommandRunner = (argv: readonly string[], options: CommandOptions) => Promise<CommandResult>;

const MAX_OUTPUT_BYTES = 8_000_000; // the longest list seen (OpenCode's models) is 0.3 MB
const GRACE_MS = 2_000; // from the stop request until the whole group is killed

export const runCommand: CommandRunner = (argv, options) => {
  const [command = "", ...args] = argv;
  const child = spawn(command, args, {
    env: { ...options.env },
    cwd: options.cwd,
    stdio: [options.input ? "pipe" : "ignore", "pipe", "pipe"],
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  return new Promise((resolve) => watch(child, options, resolve));
};

function watch(child: ChildProcess, options: CommandOptions, resolve: (result: CommandResult) => void): void {
  const { maxOutputBytes = MAX_OUTPUT_BYTES, until, input, timeoutMs } = options;
  const out = { stdout: "", stderr: "" };
  let seenBytes = 0;
  let lineStart = 0;
  let outcome: CommandResult["outcome"] = "exited";
  let killer: NodeJS.Timeout | undefined;

  const stop = (why: CommandResult["outcome"]) => {
    if (outcome !== "exited") return;
    outcome = why;
    signalGroup(child, "SIGTERM");
    killer = setTimeout(() => signalGroup(child, "SIGKILL"), GRACE_MS);
  };
  const timer = setTimeout(() => stop("timeout"), timeoutMs);
  const take = (stream: "stdout" | "stderr") => (chunk: string) => {
    seenBytes += Buffer.byteLength(chunk);
    if (seenBytes > maxOutputBytes) return stop("too_large");
    out[stream] += chunk;
    if (stream === "stdout" && until)
      lineStart = lookAtLines(out.stdout, lineStart, until, () => stop("stopped"));
  };
  const finish = (code: number | null) => {
    clearTimeout(timer);
    clearTimeout(killer);
    // The child has exited; nothing it started in its group may outlive the answer.
    signalGroup(child, "SIGKILL");
    resolve({ outcome, code, ...out });
  };

  child.stdout?.setEncoding("utf8").on("data", take("stdout"));
  child.stderr?.setEncoding("utf8").on("data", take("stderr"));
  child.once("error", () => {
    outcome = "not_found";
    finish(null);
  });
  child.once("close", finish);
  child.stdin?.on("error", () => {}); // it may exit without reading; its exit code tells the rest
  for (const line of input ?? []) child.stdin?.write(`${line}\n`);
}

/** Shows each finished line once; returns where the unfinished one starts. */
function lookAtLines(
  text: string,
  from: number,
  until: (line: string) => boolean,
  found: () => void,
): number {
  let start = from;
  for (let end = text.indexOf("\n", start); end !== -1; end = text.indexOf("\n", start)) {
    if (until(text.slice(start, end))) found();
    start = end + 1;
  }
  return start;
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // already gone
  }
}
