/**
 * The sandbox: a pool of child processes that run untrusted code, a few at once, the rest queued.
 *
 * A Python or bash child serves one run and is replaced by a spare that loads in the background; a JavaScript child is
 * reused, because each of its runs has a fresh interpreter and memory.
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  fail,
  ok,
  type Refused,
  type Result,
  type Sandbox,
  type SandboxLanguage,
  type SandboxOutcome,
  type SandboxRequest,
} from "@capstan/core";
import { FairLine } from "../queues/fair-line.ts";
import { findInterpreter, type InstalledInterpreter } from "./interpreters.ts";
import { CHILD_CPU_SECONDS, childCommand, type Isolation, probeIsolation } from "./isolation.ts";
import { SnapshotFiles } from "./snapshot-files.ts";
import { SandboxWorker } from "./worker.ts";

const MEGABYTE = 1024 * 1024;
const CODE_CHARS = 1_000_000;
const RUNS_PER_CHILD = 500;
const BUSY_MS_PER_CHILD = (CHILD_CPU_SECONDS * 1000) / 3; // well before the system would end it during a run
const GROWTH_BYTES = 96 * MEGABYTE; // a child that has grown this much is replaced before the next run

/** In the server's bundle in a separate folder, because the child can read the folder it is in; otherwise next to this file. */
const CHILDREN = ["./sandbox/child.js", "./child.ts", "./child.js"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

export interface SandboxSettings {
  /** Concurrent runs; further ones are queued. */
  readonly concurrency?: number;
  readonly lineLength?: number;
  /** A spare child unused for this long is ended. */
  readonly idleMs?: number;
  readonly maxTimeoutMs?: number;
  readonly maxMemoryMb?: number;
  /** Total size of all files of one run, in and out. */
  readonly fileBytes?: number;
  /** For stdout and stderr each. */
  readonly outputBytes?: number;
  /** Where to search for interpreters; a test names a folder without them. */
  readonly searchFrom?: string;
}

const DEFAULTS = {
  concurrency: 2,
  lineLength: 64,
  idleMs: 120_000,
  maxTimeoutMs: 120_000,
  maxMemoryMb: 1024,
  fileBytes: 64 * MEGABYTE,
  outputBytes: 256 * 1024,
  searchFrom: fileURLToPath(import.meta.url),
} as const;

export interface ManagedSandbox extends Sandbox {
  readonly isolation: Isolation;
  /** Starts a child before its first run. */
  warm(language: SandboxLanguage): Promise<void>;
  /** The children alive now, for monitoring. */
  childPids(): number[];
  close(): Promise<void>;
}

export async function openSandbox(settings: SandboxSettings = {}): Promise<ManagedSandbox> {
  return new SandboxPool({ ...DEFAULTS, ...settings }, await probeIsolation());
}

const LANGUAGES: readonly SandboxLanguage[] = ["javascript", "python", "bash"];

class SandboxPool implements ManagedSandbox {
  readonly isolation: Isolation;
  readonly #settings: Required<SandboxSettings>;
  readonly #interpreters = new Map<SandboxLanguage, InstalledInterpreter>();
  readonly #missing = new Map<SandboxLanguage, string>();
  readonly #spares = new Map<SandboxLanguage, SandboxWorker[]>();
  readonly #workers = new Set<SandboxWorker>();
  readonly #snapshots = new SnapshotFiles();
  readonly #line: FairLine;
  #closed = false;

  constructor(settings: Required<SandboxSettings>, isolation: Isolation) {
    this.#settings = settings;
    this.isolation = isolation;
    this.#line = new FairLine({ places: settings.concurrency, length: settings.lineLength });
    for (const language of LANGUAGES) {
      const found = findInterpreter(language, settings.searchFrom);
      if ("missing" in found) this.#missing.set(language, found.missing);
      else this.#interpreters.set(language, found);
    }
  }

  unavailable(language: SandboxLanguage): string | undefined {
    return this.#missing.get(language);
  }

  async warm(language: SandboxLanguage): Promise<void> {
    const interpreter = this.#interpreters.get(language);
    if (!interpreter || (this.#spares.get(language)?.length ?? 0) > 0) return;
    await this.#keepSpare(language, interpreter).ready;
  }

  childPids(): number[] {
    return [...this.#workers].filter(({ alive }) => alive).flatMap(({ pid }) => pid ?? []);
  }

  async run(request: SandboxRequest): Promise<Result<SandboxOutcome>> {
    const interpreter = this.#interpreters.get(request.language);
    if (!interpreter) {
      const why = this.#missing.get(request.language) ?? "it is unknown";
      return fail("sandbox_unavailable", { language: request.language, why });
    }
    const refused = this.#tooLarge(request);
    if (refused) return refused;
    const { owner: name = "", signal } = request;
    const owner = { group: "", name };
    const turn = await this.#line.enter(owner, signal);
    if (turn === "full") return fail("sandbox_busy", { waiting: this.#line.waiting });
    if (turn === "cancelled") return fail("cancelled", { what: "The code" });
    try {
      return await this.#runIn(interpreter, request);
    } finally {
      this.#line.leave(owner);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const worker of this.#workers) worker.kill();
    this.#workers.clear();
    this.#spares.clear();
    this.#snapshots.remove();
    this.#line.close();
  }

  #tooLarge({ code, files }: SandboxRequest): Refused | undefined {
    if (code.length > CODE_CHARS) {
      return fail("sandbox_too_large", { what: "The code", size: code.length, limit: CODE_CHARS });
    }
    const size = [...files.values()].reduce((sum, content) => sum + content.byteLength, 0);
    const limit = this.#settings.fileBytes;
    return size > limit ? fail("sandbox_too_large", { what: "The mounted files", size, limit }) : undefined;
  }

  async #runIn(interpreter: InstalledInterpreter, request: SandboxRequest): Promise<Result<SandboxOutcome>> {
    const { language, code, files, signal } = request;
    const worker = this.#takeSpare(language) ?? this.#start(language, interpreter);
    try {
      await readyOrCancelled(worker, signal);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return fail("sandbox_broke", { language, why: why.slice(0, 500) });
    }
    if (signal.aborted) {
      this.#shelve(language, worker);
      return fail("cancelled", { what: "The code" });
    }
    const { maxTimeoutMs, maxMemoryMb, fileBytes, outputBytes } = this.#settings;
    const timeoutMs = Math.min(request.timeoutMs, maxTimeoutMs);
    const memoryMb = Math.min(request.memoryMb, maxMemoryMb);
    const outcome = await worker.run({
      code,
      files,
      signal,
      timeoutMs,
      memoryMb,
      fileBytes,
      outputBytes,
    });
    await this.#afterRun(language, interpreter, worker, outcome);
    return ok(outcome);
  }

  async #afterRun(
    language: SandboxLanguage,
    interpreter: InstalledInterpreter,
    worker: SandboxWorker,
    { exit }: SandboxOutcome,
  ): Promise<void> {
    const clean = exit === "done" || exit === "error";
    const fresh = worker.runs < RUNS_PER_CHILD && worker.busyMs < BUSY_MS_PER_CHILD;
    const mayStay = interpreter.reusable && clean && worker.alive && fresh;
    if (mayStay && (await worker.grownBytes()) < GROWTH_BYTES) return this.#shelve(language, worker);
    worker.kill();
    this.#workers.delete(worker);
    if (!this.#closed && (this.#spares.get(language)?.length ?? 0) === 0)
      this.#keepSpare(language, interpreter);
  }

  #start(language: SandboxLanguage, interpreter: InstalledInterpreter): SandboxWorker {
    const child = CHILDREN.find((path) => existsSync(path)) ?? "";
    const { entry, readable } = interpreter;
    const { maxMemoryMb, fileBytes } = this.#settings;
    const snapshotFile = this.#snapshots.file(language);
    const command = childCommand(this.isolation, child, {
      language,
      entry,
      readable,
      heapMb: maxMemoryMb,
      snapshotFile,
    });
    const worker = new SandboxWorker(command, fileBytes);
    this.#workers.add(worker);
    worker.ready.then(() => this.#snapshots.keep(language, worker.snapshot)).catch(() => {});
    return worker;
  }

  #keepSpare(language: SandboxLanguage, interpreter: InstalledInterpreter): SandboxWorker {
    const worker = this.#start(language, interpreter);
    this.#shelve(language, worker);
    return worker;
  }

  #shelve(language: SandboxLanguage, worker: SandboxWorker): void {
    const spares = this.#spares.get(language) ?? [];
    spares.push(worker);
    this.#spares.set(language, spares);
    setTimeout(() => this.#retire(language, worker, worker.runs), this.#settings.idleMs).unref();
  }

  #retire(language: SandboxLanguage, worker: SandboxWorker, runs: number): void {
    const spares = this.#spares.get(language) ?? [];
    if (worker.runs !== runs || !spares.includes(worker)) return;
    this.#spares.set(
      language,
      spares.filter((spare) => spare !== worker),
    );
    this.#workers.delete(worker);
    worker.kill();
  }

  #takeSpare(language: SandboxLanguage): SandboxWorker | undefined {
    const spares = this.#spares.get(language) ?? [];
    for (let spare = spares.pop(); spare; spare = spares.pop()) if (spare.alive) return spare;
    return undefined;
  }
}

/** Settles when the child is ready or the run is cancelled, whichever is first. */
function readyOrCancelled(worker: SandboxWorker, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = () => resolve();
    signal.addEventListener("abort", cancel, { once: true });
    worker.ready.then(resolve, reject).finally(() => signal.removeEventListener("abort", cancel));
  });
}
