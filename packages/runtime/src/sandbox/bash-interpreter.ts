/**
 * Bash in the sandbox: just-bash, an interpreter with its own commands over in-memory files. There is no real shell and
 * no real process, so a fork bomb hits a recursion limit. Loaded as one CommonJS file: the split build reads chunks later.
 */
import { createRequire } from "node:module";
import { fileChanges } from "./file-changes.ts";
import {
  type InterpreterOutcome,
  type InterpreterRun,
  type LoadInterpreter,
  NO_CHANGES,
} from "./interpreter.ts";

type JustBash = typeof import("just-bash");

const MANY = 100_000_000; // the timeout ends a loop, not a count that a legitimate script could reach
const OUTPUT_BYTES = 16 * 1024 * 1024; // output buffered before it is cut for the answer
const DEVICES = /^\/(dev|proc)(\/|$)/;
/** They start threads, which the child may not. */
const LEFT_OUT = new Set<string>(["sqlite3", "python3", "python", "js-exec"]);

export const loadBash: LoadInterpreter = async (entry) => {
  const justBash = createRequire(entry)(entry) as JustBash;
  const commands = justBash.getCommandNames().filter((name) => !LEFT_OUT.has(name));
  const probe = new justBash.InMemoryFs();
  await new justBash.Bash({ fs: probe, commands: commands as never, cwd: "/" }).exec("true");
  const system = new Set(probe.getAllPaths());
  return { run: (run) => runBash(justBash, commands, system, run) };
};

async function runBash(
  justBash: JustBash,
  commands: readonly string[],
  system: ReadonlySet<string>,
  run: InterpreterRun,
): Promise<InterpreterOutcome> {
  const mounted = new Map([...run.files].filter(([path]) => !system.has(path) && !DEVICES.test(path)));
  const files = new justBash.InMemoryFs(Object.fromEntries(mounted), { maxTotalBytes: run.fileBytes });
  const bash = new justBash.Bash({
    fs: files,
    commands: commands as never,
    cwd: "/",
    executionLimits: {
      maxCommandCount: MANY,
      maxLoopIterations: MANY,
      maxAwkIterations: MANY,
      maxSedIterations: MANY,
      maxJqIterations: MANY,
      maxWorkUnits: MANY,
      maxOutputSize: OUTPUT_BYTES,
      maxExecutionTimeMs: run.timeoutMs,
    },
  });
  const started = Date.now();
  const { stdout, stderr, exitCode } = await bash.exec(run.code, { rawScript: true });
  run.write("stdout", stdout);
  run.write("stderr", stderr);
  const late = exitCode !== 0 && Date.now() - started >= run.timeoutMs;
  if (late) return { exit: "timeout", exitCode: 124, changed: NO_CHANGES };
  return {
    exit: exitCode === 0 ? "done" : "error",
    exitCode,
    changed: fileChanges(mounted, await readTree(files), system),
  };
}

async function readTree(files: InstanceType<JustBash["InMemoryFs"]>): Promise<Map<string, Uint8Array>> {
  const tree = new Map<string, Uint8Array>();
  for (const path of files.getAllPaths()) {
    if (DEVICES.test(path)) continue;
    const stat = await files.lstat(path);
    if (stat.isFile && !stat.isSymbolicLink) tree.set(path, await files.readFileBuffer(path));
  }
  return tree;
}
