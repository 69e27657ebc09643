/**
 * One background service as a child process: restarted with growing delays, health-checked,
 * stopped with SIGTERM and, if it does not react, SIGKILL. Its output goes to a log file with a size limit.
 */
import { type ChildProcess, spawn } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import type { CommandIsolation } from "../commands/command-isolation.ts";
import { confine } from "../commands/confine.ts";
import { modulesAbove, nodeFiles } from "../commands/program-files.ts";
import { openBelow } from "../files/open-folder.ts";
import type { PlannedVolume, ServicePlan } from "./service-plan.ts";

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const STEADY_MS = 60_000; // after running this long, its next crash counts as a new one
const STOP_MS = 10_000;
const HEALTH_EVERY_MS = 5_000;
const HEALTH_ANSWER_MS = 3_000;
const FIRST_HEALTH_MS = 200; // between health checks until the first success
const SICK_MS = 30_000; // without an answer for this long, it is restarted
export const MAX_LOG_BYTES = 5 * 1024 * 1024;

export interface ServiceState {
  readonly state: "starting" | "running" | "unhealthy" | "waiting" | "stopped";
  readonly pid?: number;
  readonly restarts: number;
  readonly since: string;
  /** Why it last exited. */
  readonly last_exit?: string;
}

export interface ProcessParts {
  readonly logPath: string;
  readonly isolation: CommandIsolation;
  readonly uid: number;
  readonly programs: readonly string[];
  readonly firstPauseMs?: number | undefined;
  /** Called with each new process id, so that a restarted server knows what to stop. */
  readonly onPid: (pid: number | undefined) => void;
}

export class SupervisedProcess {
  readonly plan: ServicePlan;
  readonly #parts: ProcessParts;
  #child: ChildProcess | undefined;
  #leave = () => {};
  #state: ServiceState["state"] = "stopped";
  #since = new Date();
  #restarts = 0;
  #lastExit: string | undefined;
  #failures = 0;
  #healthyAt = 0;
  #again: NodeJS.Timeout | undefined;
  #health: NodeJS.Timeout | undefined;
  #wanted = false;

  constructor(plan: ServicePlan, parts: ProcessParts) {
    this.plan = plan;
    this.#parts = parts;
  }

  get state(): ServiceState {
    const pid = this.#child?.pid;
    return {
      state: this.#state,
      ...(pid !== undefined && { pid }),
      restarts: this.#restarts,
      since: this.#since.toISOString(),
      ...(this.#lastExit !== undefined && { last_exit: this.#lastExit }),
    };
  }

  async start(): Promise<void> {
    if (this.#wanted) return;
    this.#wanted = true;
    this.#become("starting");
    await this.#launch();
  }

  async stop(): Promise<void> {
    this.#wanted = false;
    clearTimeout(this.#again);
    clearTimeout(this.#health);
    const child = this.#child;
    if (child) {
      const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
      signal(child, "SIGTERM");
      const hard = setTimeout(() => signal(child, "SIGKILL"), STOP_MS);
      await ended;
      clearTimeout(hard);
    }
    this.#become("stopped");
  }

  async #launch(): Promise<void> {
    const { command, folder, env, healthUrl, volumes } = this.plan;
    const { isolation, uid, programs } = this.#parts;
    const there = volumes.filter(({ source }) => existsSync(source));
    const replaced = await firstReplaced(there);
    if (replaced !== undefined) return this.#refuse(`${replaced} is not a folder`);
    const line = await confine(
      {
        argv: command,
        cwd: folder,
        env,
        network: { hosts: [], servesPort: Number(env.PORT) },
        uid,
        readable: [folder, ...modulesAbove(folder), ...nodeFiles(), ...programs],
        writable: there.map(({ source }) => source),
        volumes: there,
      },
      isolation,
    );
    if (!line.ok) return this.#refuse(line.failure.message);
    if (!this.#wanted) return line.value.leave();
    this.#leave = line.value.leave;
    const startedAt = Date.now();
    const child = spawn(line.value.file, [...line.value.args], {
      cwd: line.value.cwd,
      env: { ...line.value.env },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    this.#healthyAt = startedAt;
    this.#parts.onPid(child.pid);
    this.#become(healthUrl ? "starting" : "running");
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => this.#log(chunk));
    child.on("error", (error) => this.#handleEnd(error.message, startedAt));
    child.on("exit", (code, signalName) => this.#handleEnd(signalName ?? `code ${code}`, startedAt));
    if (healthUrl) void this.#check(child, healthUrl);
  }

  #refuse(why: string): void {
    this.#lastExit = why;
    this.#wanted = false;
    this.#become("stopped");
  }

  #handleEnd(why: string, startedAt: number): void {
    if (!this.#child) return;
    signal(this.#child, "SIGKILL"); // leftover processes of its group
    this.#child = undefined;
    this.#leave();
    this.#parts.onPid(undefined);
    this.#lastExit = why;
    clearTimeout(this.#health);
    if (!this.#wanted) return;
    this.#failures = Date.now() - startedAt > STEADY_MS ? 1 : this.#failures + 1;
    const pause = Math.min(
      LONGEST_PAUSE_MS,
      (this.#parts.firstPauseMs ?? FIRST_PAUSE_MS) * 2 ** (this.#failures - 1),
    );
    this.#log(Buffer.from(`[capstan] it ended with ${why}; it starts again in ${pause} ms\n`));
    this.#become("waiting");
    this.#again = setTimeout(() => {
      this.#restarts += 1;
      void this.#launch();
    }, pause);
  }

  async #check(child: ChildProcess, url: string): Promise<void> {
    const healthy = await isHealthy(url);
    if (this.#child !== child || !this.#wanted) return;
    if (healthy) {
      this.#healthyAt = Date.now();
      this.#become("running");
    } else if (this.#state === "running") this.#become("unhealthy");
    if (Date.now() - this.#healthyAt > SICK_MS) signal(child, "SIGTERM");
    const pause = this.#state === "starting" ? FIRST_HEALTH_MS : HEALTH_EVERY_MS;
    this.#health = setTimeout(() => void this.#check(child, url), pause);
  }

  #become(state: ServiceState["state"]): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#since = new Date();
  }

  #log(chunk: Buffer): void {
    const { logPath } = this.#parts;
    try {
      appendToLog(logPath, chunk);
    } catch {
      // a full disk must not stop the service
    }
  }
}

/** Its earlier process may have put a link into a volume, in place of the folder that another volume is mounted from. */
async function firstReplaced(volumes: readonly PlannedVolume[]): Promise<string | undefined> {
  for (const { root, source } of volumes) {
    const folder = await openBelow(root, source);
    if (!folder) return source;
    await folder.close();
  }
  return undefined;
}

const LOG_FLAGS =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A link or a pipe in place of the log is replaced: writing through it would let a service write to the server's files. */
function appendToLog(path: string, chunk: Buffer): void {
  const about = lstatSync(path, { throwIfNoEntry: false });
  if (about && !about.isFile()) rmSync(path, { recursive: true, force: true });
  else if ((about?.size ?? 0) > MAX_LOG_BYTES) renameSync(path, `${path}.1`);
  const file = openSync(path, LOG_FLAGS, 0o600);
  try {
    if (fstatSync(file).isFile()) writeSync(file, chunk);
  } finally {
    closeSync(file);
  }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(HEALTH_ANSWER_MS), redirect: "error" });
    await answer.body?.cancel();
    return answer.status === 200;
  } catch {
    return false;
  }
}

function signal(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, name);
  } catch {
    // the group has already ended
  }
}
