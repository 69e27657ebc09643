/**
 * An MCP server that is a command: its process and its stdio lines. Its environment contains only what its declaration
 * names, it runs as another user when the server is root and the files allow it, and it ends with all its children.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  type JSONRPCMessage,
  ReadBuffer,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { type CommandIsolation, ownerOf, uidIn } from "../commands/command-isolation.ts";
import { confine, type StartLine } from "../commands/confine.ts";
import { nodeFiles, programFiles } from "../commands/program-files.ts";
import { lastWords } from "./last-words.ts";
import { type OperatorNetwork, registryHosts, withoutProxy } from "./operator-network.ts";

const STDERR_CHARS = 4_000;
const MESSAGE_BYTES = 16 * 1024 * 1024;
const GRACE_MS = 1_500; // between SIGTERM and SIGKILL

const NO_NETWORK_SETTINGS: OperatorNetwork = { variables: {}, npmrc: "", files: [] };

export interface McpCommand {
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to a clean environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Its own temporary home otherwise. */
  readonly cwd?: string | undefined;
}

export class McpProcess implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #command: McpCommand;
  readonly #isolation: CommandIsolation;
  readonly #operator: () => Promise<OperatorNetwork>;
  readonly #lines = new ReadBuffer({ maxBufferSize: MESSAGE_BYTES });
  readonly #home = mkdtempSync(join(tmpdir(), "capstan-mcp-"));
  #process: ChildProcess | undefined;
  #leave = () => {};
  #ended = false;
  #stderr = "";

  constructor(
    command: McpCommand,
    isolation: CommandIsolation,
    operator: () => Promise<OperatorNetwork> = async () => NO_NETWORK_SETTINGS,
  ) {
    this.#command = command;
    this.#isolation = isolation;
    this.#operator = operator;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Its last output outside the protocol: usually the reason why it exited. */
  get lastOutput(): string {
    return lastWords(this.#stderr);
  }

  async start(): Promise<void> {
    const line = await this.#startLine();
    this.#leave = line.leave;
    const child = spawn(line.file, [...line.args], {
      cwd: line.cwd,
      env: { ...line.env },
      detached: true, // its own process group, so that a kill includes everything
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#process = child;
    child.stdout.on("data", (chunk: Buffer) => this.#receive(chunk));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARS);
    });
    child.stdin.on("error", () => {}); // its end is reported by "close"
    child.on("close", () => this.#end());
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) => {
        this.#end();
        reject(error);
      });
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#process?.stdin;
    if (!stdin?.writable || this.#ended) throw new Error("the server's process has ended");
    if (!stdin.write(serializeMessage(message))) {
      await new Promise<void>((resolve) => {
        stdin.once("drain", resolve);
        stdin.once("close", resolve);
      });
    }
  }

  async close(): Promise<void> {
    const child = this.#process;
    if (!child || this.#ended) return this.#end();
    const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
    child.stdin?.end();
    signalGroup(child.pid, "SIGTERM");
    const late = setTimeout(() => signalGroup(child.pid, "SIGKILL"), GRACE_MS);
    await ended;
    clearTimeout(late);
    this.#end();
  }

  async #startLine(): Promise<StartLine> {
    const { command, args = [], env = {}, cwd = this.#home } = this.#command;
    const argv = [command, ...args];
    const uid = uidIn(this.#isolation, `mcp ${argv.join(" ")}`);
    const { variables, npmrc, files } = await this.#operator();
    const lines = this.#isolation.networks ? withoutProxy(npmrc) : npmrc; // its proxy is the network's
    writeFileSync(join(this.#home, ".npmrc"), lines, { mode: 0o644 }); // npx looks for its configuration there
    const owner = ownerOf(this.#isolation, uid);
    if (owner !== undefined) chownSync(this.#home, owner, owner);
    const line = await confine(
      {
        argv,
        cwd,
        env: { ...cleanEnvironment(this.#home), ...variables, ...env },
        network: { hosts: registryHosts({ variables, npmrc }) },
        uid,
        readable: [...nodeFiles(), ...files, ...this.#machineFiles(argv, cwd)],
        writable: [this.#home],
      },
      this.#isolation,
    );
    if (!line.ok) throw new Error(line.failure.message);
    return line.value;
  }

  /** Files that the command line names; an organisation must not name the machine's files. */
  #machineFiles(argv: readonly string[], cwd: string): string[] {
    if (this.#isolation.organisation !== undefined) return [];
    return [...programFiles(argv), ...(cwd === this.#home ? [] : [cwd])];
  }

  #receive(chunk: Buffer): void {
    try {
      this.#lines.append(chunk);
      for (let message = this.#lines.readMessage(); message; message = this.#lines.readMessage()) {
        this.onmessage?.(message);
      }
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    signalGroup(this.#process?.pid, "SIGKILL"); // leftover children
    this.#leave();
    this.#lines.clear();
    rmSync(this.#home, { recursive: true, force: true });
    this.onclose?.();
  }
}

/** PATH, a home and a locale: nothing of the server's own settings. */
function cleanEnvironment(home: string): Record<string, string> {
  const programs = [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"];
  return { PATH: programs.join(":"), HOME: home, LANG: "C.UTF-8", TMPDIR: home };
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // it has ended
  }
}
