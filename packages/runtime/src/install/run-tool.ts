/**
 * Runs the package managers (python, pip, npm). They are system programs, but they read files written by a package, so
 * they run like packages: confined, as another user, with our own environment and without the operator's tokens.
 * Only the operator's own settings are read unconfined, in a folder that no package can write to.
 */
import { execFile } from "node:child_process";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Result } from "@capstan/core";
import { type CommandIsolation, ownerOf, uidIn } from "../commands/command-isolation.ts";
import type { CommandNetwork } from "../commands/confine.ts";
import { nodeFiles } from "../commands/program-files.ts";
import { runCommand } from "../commands/run-command.ts";
import { OpenFolder } from "../files/open-folder.ts";

export interface ToolRun {
  readonly ok: boolean;
  readonly stdout: string;
  /** The last lines of stderr, or why it could not run. */
  readonly why: string;
}

const MAX_OUTPUT = 16 * 1024 * 1024;
const MAX_MEMORY = 2 * 1024 * 1024 * 1024; // npm on a package with a thousand dependencies
const WHY_LINES = 4;
const TOOL_PATH = "/usr/local/bin:/usr/bin:/bin";
const TOOL_USER = "package-manager@install.invalid";

export interface ToolRequest {
  readonly argv: readonly string[];
  /** The only folder it may write to; also its home and working folder. */
  readonly folder: string;
  readonly readable: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly timeoutMs: number;
  /** It runs scripts of the package, so it gets the network of one. */
  readonly runsPackage?: boolean | undefined;
  /** `host:port` of the operator's registries; all of the machine's network that an organisation's may reach. */
  readonly registries?: readonly string[] | undefined;
}

/** Runs confined; its files belong to the server afterwards. */
export async function runTool(request: ToolRequest, isolation: CommandIsolation): Promise<Result<ToolRun>> {
  const { argv, folder, readable, timeoutMs, cwd = folder } = request;
  const uid = uidIn(isolation, TOOL_USER);
  const owner = ownerOf(isolation, uid);
  const server = process.getuid?.() ?? 0;
  if (owner !== undefined) await give(folder, owner, server);
  const env = { PATH: TOOL_PATH, HOME: folder, TMPDIR: folder, LANG: "C.UTF-8", ...request.env };
  const limits = {
    timeoutMs,
    maxOutputBytes: MAX_OUTPUT,
    maxMemoryBytes: MAX_MEMORY,
    onFlood: "cut" as const,
  };
  const outcome = await runCommand(
    {
      argv,
      cwd,
      env,
      readable: [...nodeFiles(), ...readable],
      writable: [folder],
      uid,
      network: networkFor(request, isolation),
      ...limits,
    },
    isolation,
  );
  if (owner !== undefined) await give(folder, server, owner);
  if (!outcome.ok) return outcome;
  const { exit, code, stdout, stderr } = outcome.value;
  const isDone = exit === "exited" && code === 0;
  const why = exit === "timeout" ? `it took longer than ${timeoutMs} ms` : lastLines(stderr || stdout);
  return { ok: true, value: { ok: isDone, stdout, why: isDone ? "" : why || `it ended: ${exit}` } };
}

/** A package chooses what its manager downloads, so an organisation's package must not reach the machine's own network. */
function networkFor(
  { runsPackage, registries = [] }: ToolRequest,
  { organisation }: CommandIsolation,
): CommandNetwork {
  if (runsPackage) return { hosts: [] };
  return organisation === undefined ? "open" : { hosts: registries };
}

/** An empty folder for one operation of a package manager. */
export async function withStaging<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-install-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function give(folder: string, to: number, from: number): Promise<void> {
  await chown(folder, to, to);
  const opened = await OpenFolder.open(folder);
  await opened?.giveTo(to, from);
  await opened?.close();
}

/** With the server's privileges and the operator's environment: only for questions whose answer no package can influence. */
export function askOperator(
  argv: readonly string[],
  options: { env: Readonly<Record<string, string>>; cwd: string; timeoutMs: number },
): Promise<ToolRun> {
  const [file = "", ...args] = argv;
  const { env, cwd, timeoutMs: timeout } = options;
  return new Promise((resolve) => {
    execFile(
      file,
      args,
      { env: { ...env }, cwd, timeout, maxBuffer: MAX_OUTPUT, killSignal: "SIGKILL" },
      (error, stdout, stderr) => {
        const why = error?.killed
          ? `it took longer than ${timeout} ms`
          : lastLines(stderr || error?.message || "");
        resolve({ ok: error === null, stdout, why });
      },
    );
  });
}

/** Warnings of pip and npm about missing files are irrelevant to the failure. */
function lastLines(text: string): string {
  const lines = text.trim().split("\n");
  const errors = lines.filter((line) => !/^(WARNING|npm warn)/i.test(line));
  return (errors.length > 0 ? errors : lines).slice(-WHY_LINES).join(" ");
}
