/** A measured server as a child process: start, wait, observe from outside, kill. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import http from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface ServerOptions {
  readonly script: string;
  readonly health: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly nodeOptions?: readonly string[];
  /** Kept after the stop, for a start that finds it again. */
  readonly dataDir?: string;
}

export interface BenchServer {
  readonly port: number;
  readonly url: string;
  readonly pid: number;
  /** From spawn to the first good answer of `health`. */
  readonly startMs: number;
  readonly stop: () => Promise<void>;
}

const ASK_EVERY_MS = 3;

export async function startServer(options: ServerOptions): Promise<BenchServer> {
  const { script, health, environment, nodeOptions = [] } = options;
  const port = await freePort();
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "capstan-bench-data-"));
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...nodeOptions, script], {
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: "production",
      PORT: String(port),
      CAPSTAN_DATA_DIR: dataDir,
      CAPSTAN_RATE_LIMIT_PER_MINUTE: "100000000",
      ...environment,
    },
  });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  while (!(await answers(port, health))) {
    if (child.exitCode !== null) throw new Error(`${script} did not start`);
    await sleep(ASK_EVERY_MS);
  }
  const startMs = performance.now() - startedAt;
  const stop = async () => {
    process.off("exit", kill);
    await ended(child);
    if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
  };
  return { port, url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, startMs, stop };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), 3000);
  await exit;
  clearTimeout(late);
}

function answers(port: number, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    http
      .get({ port, host: "127.0.0.1", path, agent: false }, (answer) => {
        answer.resume();
        resolve(answer.statusCode === 200);
      })
      .on("error", () => resolve(false));
  });
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Linux only, as what they read: processor time in ms, memory now and at most in MB. */
export function cpuMs(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

export const memoryMb = (pid: number): number => status(pid, "VmRSS") / 1024;
export const mostMemoryMb = (pid: number): number => status(pid, "VmHWM") / 1024;

function status(pid: number, field: string): number {
  const line = readFileSync(`/proc/${pid}/status`, "latin1")
    .split("\n")
    .find((text) => text.startsWith(field));
  return Number(/\d+/.exec(line ?? "")?.[0] ?? 0);
}
