/**
 * Python in the sandbox: CPython in Pyodide, its standard library, no packages. One child serves one run.
 *
 * Pyodide is a bridge to JavaScript, not a barrier: `js` is empty and `pyodide_js` is removed, and what still leaks ends in a
 * process without privileges (lock-down.ts). Its memory grows through one function, which is where the limit is enforced.
 */
import fs from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import type { PyodideInterface } from "pyodide";
import { fileChanges } from "./file-changes.ts";
import {
  type Interpreter,
  type InterpreterOutcome,
  type LoadInterpreter,
  NO_CHANGES,
  RESULT_CHARS,
} from "./interpreter.ts";

const MEGABYTE = 1024 * 1024;
const DEVICES = new Set(["/dev", "/proc"]);
const ENVIRONMENT = { HOME: "/", LANG: "C.UTF-8", PATH: "/", TZ: "UTC", PYTHONDONTWRITEBYTECODE: "1" };

/** Runs the code and reports as JSON text: no Python object is passed to JavaScript. */
const RUNNER = `
def _make_runner():
    import asyncio, json, linecache, os, sys, traceback
    from pyodide.code import eval_code_async
    environment = json.loads(ENVIRONMENT)
    async def run(code):
        os.chdir("/")
        os.environ.clear()
        os.environ.update(environment)
        linecache.cache["main.py"] = (len(code), None, code.splitlines(True), "main.py")
        scope = {"__name__": "__main__", "__builtins__": __builtins__}
        try:
            value = await eval_code_async(code, scope, filename="main.py")
            return json.dumps({"code": 0, "result": shown(value)})
        except SystemExit as stop:
            if stop.code is None or isinstance(stop.code, int):
                return json.dumps({"code": stop.code or 0})
            print(stop.code, file=sys.stderr)
            return json.dumps({"code": 1})
        except MemoryError:
            return json.dumps({"code": 137, "memory": True})
        except BaseException as error:
            frame = error.__traceback__
            while frame is not None and frame.tb_frame.f_code.co_filename != "main.py":
                frame = frame.tb_next
            traceback.print_exception(type(error), error, frame)
            return json.dumps({"code": 1})
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
    def shown(value):
        if value is None:
            return None
        try:
            return json.dumps(value, default=repr)
        except (TypeError, ValueError, RecursionError):
            return json.dumps(repr(value))
    if "random" in sys.modules:
        sys.modules["random"].seed()  # a memory that many children start from holds one and the same seed
    for module in (os, sys.modules["posix"]):
        for name in ("getuid", "geteuid", "getgid", "getegid"):
            setattr(module, name, lambda: 1000)  # Emscripten would ask a process that was locked down, and end with it
    sys.modules["pyodide_js"] = None
    sys.modules["pyodide.http"] = None
    sys.path.insert(0, "/")
    sys.argv = ["main.py"]
    sys.dont_write_bytecode = True
    return run
_make_runner()
`;

interface Report {
  code: number;
  result?: string | null;
  memory?: boolean;
}

/** Pinned with the package's version: the two options with an underscore are internal and may change. */
interface SnapshotOptions {
  _makeSnapshot?: boolean;
  _loadSnapshot?: Uint8Array;
}
type LoadPyodide = typeof import("pyodide")["loadPyodide"];
type Snapshotting = PyodideInterface & { makeMemorySnapshot(): Uint8Array };

export const loadPython: LoadInterpreter = async (entry, snapshot) => {
  // Emscripten only needs the file system's constants, and `--permission` forbids the old way to get them.
  Object.assign(process, { binding: () => ({ fs: fs.constants }) });
  const memory = limitMemoryGrowth();
  const { loadPyodide } = (await import(pathToFileURL(entry).href)) as typeof import("pyodide");
  const options = { indexURL: dirname(entry), jsglobals: Object.create(null) as object, env: ENVIRONMENT };
  const restored = snapshot && (await restore(loadPyodide, options, snapshot));
  const pyodide = restored ?? (await loadPyodide({ ...options, _makeSnapshot: true } as SnapshotOptions));
  const made = restored ? undefined : (pyodide as Snapshotting).makeMemorySnapshot();
  pyodide.globals.set("ENVIRONMENT", JSON.stringify(ENVIRONMENT));
  const runner = pyodide.runPython(RUNNER) as (code: string) => Promise<string>;
  const system = new Set(readTree(pyodide).keys());
  const run = interpreter(pyodide, runner, system, memory);
  return made ? { run, snapshot: made } : { run };
};

async function restore(loadPyodide: LoadPyodide, options: object, snapshot: Uint8Array) {
  try {
    return await loadPyodide({ ...options, _loadSnapshot: snapshot } as SnapshotOptions);
  } catch {
    return undefined; // fall back to the slow start
  }
}

function interpreter(
  pyodide: PyodideInterface,
  runner: (code: string) => Promise<string>,
  system: ReadonlySet<string>,
  memory: { moreBytes: number },
): Interpreter {
  return async (run) => {
    const mounted = new Map([...run.files].filter(([path]) => !system.has(path) && !isDevice(path)));
    for (const [path, content] of mounted) {
      pyodide.FS.mkdirTree(dirname(path));
      pyodide.FS.writeFile(path, content);
    }
    pyodide.setStdin({ stdin: () => null });
    pyodide.setStdout({ write: (bytes) => print("stdout", bytes), isatty: false });
    pyodide.setStderr({ write: (bytes) => print("stderr", bytes), isatty: false });
    memory.moreBytes = run.memoryMb * MEGABYTE;
    const report = await reportOf(runner, run.code);
    if (report.memory) run.write("stderr", "MemoryError: the run exceeded its memory limit\n");
    return outcomeOf(report, () => fileChanges(mounted, readTree(pyodide), system));

    function print(stream: "stdout" | "stderr", bytes: Uint8Array): number {
      run.write(stream, Buffer.from(bytes).toString("utf8"));
      return bytes.length;
    }
  };
}

async function reportOf(runner: (code: string) => Promise<string>, code: string): Promise<Report> {
  try {
    return JSON.parse(await runner(code)) as Report;
  } catch (error) {
    // The interpreter itself failed: out of memory while creating an exception, or a stack too deep to report.
    const memory = /memory/i.test(String(error));
    return { code: memory ? 137 : 1, memory };
  }
}

function outcomeOf(report: Report, changed: () => InterpreterOutcome["changed"]): InterpreterOutcome {
  if (report.memory) return { exit: "memory", exitCode: 137, changed: NO_CHANGES };
  const fits = typeof report.result === "string" && report.result.length <= RESULT_CHARS;
  return {
    exit: report.code === 0 ? "done" : "error",
    exitCode: report.code,
    resultJson: fits ? (report.result ?? undefined) : undefined,
    changed: changed(),
  };
}

/** Emscripten only grows its memory from JavaScript, so a limit here makes Python raise MemoryError instead of exhausting the machine. */
function limitMemoryGrowth(): { moreBytes: number } {
  const state = { moreBytes: Number.POSITIVE_INFINITY };
  const grow = WebAssembly.Memory.prototype.grow;
  WebAssembly.Memory.prototype.grow = function (this: WebAssembly.Memory, pages: number): number {
    const bytes = pages * 65_536;
    if (bytes > state.moreBytes) throw new RangeError("the sandbox's memory limit is reached");
    state.moreBytes -= bytes;
    return grow.call(this, pages);
  };
  return state;
}

function readTree(pyodide: PyodideInterface): Map<string, Uint8Array> {
  const { FS } = pyodide;
  const files = new Map<string, Uint8Array>();
  const open = ["/"];
  for (let directory = open.pop(); directory !== undefined; directory = open.pop()) {
    const names = (FS.readdir(directory) as string[]).filter((name) => name !== "." && name !== "..");
    const paths = names.map((name) => (directory === "/" ? `/${name}` : `${directory}/${name}`));
    for (const path of paths.filter((found) => !DEVICES.has(found))) {
      const { mode } = FS.lstat(path) as { mode: number };
      if (FS.isDir(mode)) open.push(path);
      else if (FS.isFile(mode)) files.set(path, FS.readFile(path) as Uint8Array);
    }
  }
  return files;
}

const isDevice = (path: string) => [...DEVICES].some((root) => path === root || path.startsWith(`${root}/`));
