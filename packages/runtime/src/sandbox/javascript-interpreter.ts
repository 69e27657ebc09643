/**
 * JavaScript in the sandbox: QuickJS compiled to WebAssembly, a new instance of it for each run.
 *
 * Code is a script whose last value is the result, with top-level await; source that only parses as a module runs as one.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { QuickJSContext, QuickJSHandle, QuickJSRuntime, QuickJSSyncVariant } from "quickjs-emscripten";
import { fileChanges } from "./file-changes.ts";
import type { InterpreterOutcome, InterpreterRun, LoadInterpreter } from "./interpreter.ts";
import { NO_CHANGES, RESULT_CHARS } from "./interpreter.ts";
import { hostFunctions, type Timers } from "./javascript-host.ts";
import { JAVASCRIPT_PRELUDE, MODULE_SOURCES } from "./javascript-prelude.ts";
import { MemoryFiles, normalize } from "./memory-files.ts";

const MEGABYTE = 1024 * 1024;
const STACK_BYTES = 512 * 1024; // the child's own stack is larger (--stack-size), so that QuickJS reports deep recursion before we overflow
const JOBS_PER_ROUND = 1000; // the deadline is checked between rounds, or a flood of promises would never end
const FLAGS = { module: 1, compileOnly: 1 << 5, async: 1 << 7 }; // quickjs.h; `async` is top-level await in a script

type QuickJs = typeof import("quickjs-emscripten");

export const loadJavascript: LoadInterpreter = async (entry) => {
  const quickJs = (await import(pathToFileURL(entry).href)) as QuickJs;
  const wasm = await readFile(createRequire(entry).resolve("@jitl/quickjs-wasmfile-release-sync/wasm"));
  // Compiled once: a new instance then takes milliseconds, and nothing is read from disk.
  const variant = quickJs.newVariant(quickJs.RELEASE_SYNC as QuickJSSyncVariant, {
    wasmModule: await WebAssembly.compile(wasm),
  });
  await quickJs.newQuickJSWASMModuleFromVariant(variant);
  return {
    async run(run) {
      const module = await quickJs.newQuickJSWASMModuleFromVariant(variant);
      const runtime = module.newRuntime();
      runtime.setMemoryLimit(run.memoryMb * MEGABYTE);
      runtime.setMaxStackSize(STACK_BYTES);
      return new JavascriptRun(runtime, run).outcome();
    },
  };
};

/** Ends a run from inside a host function: `process.exit`. */
interface Exit {
  code: number | undefined;
}

class JavascriptRun {
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  readonly #run: InterpreterRun;
  readonly #files: MemoryFiles;
  readonly #timers: Timers = new Map();
  readonly #exit: Exit = { code: undefined };
  readonly #deadline: number;

  constructor(runtime: QuickJSRuntime, run: InterpreterRun) {
    this.#runtime = runtime;
    this.#run = run;
    this.#context = runtime.newContext();
    this.#files = new MemoryFiles(run.files, run.fileBytes);
    this.#deadline = Date.now() + run.timeoutMs;
    runtime.setInterruptHandler(() => this.#exit.code !== undefined || this.#late());
    runtime.setModuleLoader(
      (name) => this.#moduleSource(name),
      (base, name) => moduleName(base, name),
    );
  }

  async outcome(): Promise<InterpreterOutcome> {
    try {
      this.#prepare();
      const value = await this.#evaluate();
      return this.#ended(value);
    } catch (error) {
      return this.#failed(error);
    }
  }

  #late(): boolean {
    return Date.now() > this.#deadline;
  }

  #prepare(): void {
    const context = this.#context;
    const host = hostFunctions(context, {
      files: this.#files,
      timers: this.#timers,
      print: (stream, text) => this.#run.write(stream, text),
      exit: (code) => {
        this.#exit.code = code;
      },
    });
    context.setProp(context.global, "__host", host);
    host.dispose();
    context.unwrapResult(context.evalCode(JAVASCRIPT_PRELUDE, "prelude.js")).dispose();
  }

  async #evaluate(): Promise<QuickJSHandle> {
    const context = this.#context;
    const asScript = context.evalCode(this.#run.code, "/main.js", FLAGS.async | FLAGS.compileOnly);
    const isModule =
      asScript.error !== undefined &&
      !context.evalCode(this.#run.code, "/main.js", FLAGS.module | FLAGS.compileOnly).error;
    const started = context.evalCode(this.#run.code, "/main.js", isModule ? FLAGS.module : FLAGS.async);
    const promise = context.unwrapResult(started);
    await this.#settle();
    // A script with top-level await settles to `{value}`, a module to its exports.
    const last = context.getProp(this.#settled(promise), isModule ? "default" : "value");
    return this.#settled(last);
  }

  /** Runs jobs and timers until nothing is left, as in Node. */
  async #settle(): Promise<void> {
    for (;;) {
      this.#runJobs();
      const next = [...this.#timers].sort((left, right) => left[1] - right[1])[0];
      if (!next || this.#exit.code !== undefined) return;
      const [id, due] = next;
      const waitMs = Math.min(due, this.#deadline + 1) - Date.now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      if (this.#late()) throw new TimedOut();
      this.#timers.delete(id);
      this.#fire(id);
    }
  }

  #runJobs(): void {
    for (;;) {
      if (this.#late()) throw new TimedOut();
      const done = this.#context.unwrapResult(this.#runtime.executePendingJobs(JOBS_PER_ROUND));
      if (done === 0) return;
    }
  }

  #fire(id: number): void {
    const context = this.#context;
    const fire = context.getProp(context.global, "__fire");
    context.unwrapResult(context.callFunction(fire, context.undefined, context.newNumber(id))).dispose();
  }

  /** The value of a settled promise; any other value is itself. One that never settles is undefined, as in Node. */
  #settled(handle: QuickJSHandle): QuickJSHandle {
    const state = this.#context.getPromiseState(handle);
    if (state.type === "rejected") this.#context.unwrapResult({ error: state.error });
    return state.type === "fulfilled" ? state.value : this.#context.undefined;
  }

  #ended(value: QuickJSHandle): InterpreterOutcome {
    const context = this.#context;
    const toJson = context.getProp(context.global, "__toJson");
    const json = context.unwrapResult(context.callFunction(toJson, context.undefined, value));
    const text: unknown = context.typeof(json) === "string" ? context.getString(json) : undefined;
    return {
      exit: "done",
      exitCode: 0,
      resultJson: typeof text === "string" && text.length <= RESULT_CHARS ? text : undefined,
      changed: fileChanges(this.#run.files, this.#files.files),
    };
  }

  #failed(error: unknown): InterpreterOutcome {
    const { exit, exitCode, text } = this.#verdict(error);
    if (text) this.#run.write("stderr", text);
    const changed =
      exit === "error" || exit === "done" ? fileChanges(this.#run.files, this.#files.files) : NO_CHANGES;
    return { exit, exitCode, changed };
  }

  #verdict(error: unknown): { exit: InterpreterOutcome["exit"]; exitCode: number; text: string } {
    const code = this.#exit.code;
    if (code !== undefined) return { exit: code === 0 ? "done" : "error", exitCode: code, text: "" };
    if (this.#late() || error instanceof TimedOut) return { exit: "timeout", exitCode: 124, text: "" };
    const text = errorText(error);
    if (/out of memory|memory access out of bounds/i.test(text))
      return { exit: "memory", exitCode: 137, text };
    return { exit: "error", exitCode: 1, text };
  }

  #moduleSource(name: string): string | { error: Error } {
    const known = MODULE_SOURCES[name];
    if (known) return known;
    try {
      const source = new TextDecoder().decode(this.#files.read(name));
      return name.endsWith(".json") ? `export default ${source}` : source;
    } catch {
      const why = `Cannot find module '${name}': the sandbox has fs, path and the session's own files`;
      return { error: new Error(why) };
    }
  }
}

class TimedOut extends Error {}

function moduleName(base: string, name: string): string {
  const bare = name.replace(/^node:/, "");
  if (MODULE_SOURCES[bare]) return bare;
  if (name.startsWith("/")) return normalize(name);
  if (!name.startsWith(".")) return name;
  return normalize(`${base.slice(0, base.lastIndexOf("/"))}/${name}`);
}

/** QuickJS errors arrive unwrapped: name and message, with the guest's own stack in `cause`. */
function errorText(error: unknown): string {
  if (!(error instanceof Error)) return `Uncaught ${JSON.stringify(error)}\n`;
  const cause = error.cause as { stack?: unknown; name?: unknown; message?: unknown } | undefined;
  const name = typeof cause?.name === "string" ? cause.name : error.name;
  const message = typeof cause?.message === "string" ? cause.message : error.message;
  const stack = typeof cause?.stack === "string" ? cause.stack.trimEnd() : "";
  return `Uncaught ${name}: ${message}\n${stack ? `${stack}\n` : ""}`;
}
