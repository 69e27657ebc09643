/**
 * How a sandbox child is shut in on this system: found out once, by trying. What could not be had is said in `notes`,
 * so that whoever reviews the server reads it instead of guessing.
 */
import { execFile } from "node:child_process";
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const NOBODY = 65_534;
/** Each child is a user of its own, so that one cannot signal another. Containers may not have ids this high; then all are nobody. */
const FIRST_UID = 1_900_000_000;
const UID_COUNT = 50_000_000;
let started = process.pid * 1000;
const PROBE_MS = 5_000;
/** Seconds of processor time in a child's whole life: ends one that spins on when the server was killed beside it. */
export const CHILD_CPU_SECONDS = 900;
const STACK_KILOBYTES = 3_900; // below the usual 8 MB of the main thread, above what QuickJS and Pyodide need

export interface Isolation {
  /** Whether a child becomes another user than the server. */
  readonly separateUsers: boolean;
  readonly network: "namespace" | "in-process";
  /** Goes before the command: `unshare` with what worked here. */
  readonly wrapper: readonly string[];
  /** What is not isolated here, in sentences. */
  readonly notes: readonly string[];
}

/** Tried in this order; the first that runs is used. Without root a namespace needs a user namespace around it. */
const ROOT_WRAPPERS = [["unshare", "--net", "--ipc", "--"]];
const USER_WRAPPERS = [
  ["unshare", "--user", "--map-current-user", "--net", "--ipc", "--"],
  ["unshare", "--user", "--map-root-user", "--net", "--ipc", "--"],
];

export async function probeIsolation(): Promise<Isolation> {
  const isRoot = process.getuid?.() === 0;
  const wrapper = await firstThatRuns(isRoot ? ROOT_WRAPPERS : USER_WRAPPERS);
  const notes: string[] = [];
  if (!wrapper) {
    notes.push(
      "The system gives no network namespace, so the network is blocked inside the process that runs the code.",
    );
  }
  if (!isRoot) notes.push("The server is not root, so the code runs as the server's own user.");
  return {
    separateUsers: isRoot,
    network: wrapper ? "namespace" : "in-process",
    wrapper: wrapper ?? [],
    notes,
  };
}

async function firstThatRuns(wrappers: readonly string[][]): Promise<readonly string[] | undefined> {
  if (process.platform !== "linux") return undefined;
  const run = promisify(execFile);
  for (const wrapper of wrappers) {
    const [command = "", ...args] = wrapper;
    try {
      await run(command, [...args, "true"], { timeout: PROBE_MS, env: {} }); // a Node would make every start wait
      return wrapper;
    } catch {
      // the next one, or none
    }
  }
  return undefined;
}

export interface ChildCommand {
  readonly language: string;
  readonly entry: string;
  readonly readable: readonly string[];
  readonly heapMb: number;
  readonly snapshotFile?: string | undefined;
}

/** The child's whole command line. It may read its own folder and its engine; nothing may be written. */
export function childCommand(isolation: Isolation, child: string, command: ChildCommand): string[] {
  const { language, entry, readable, heapMb, snapshotFile } = command;
  const grants = new Set([...ownFiles(child), ...readable, ...(snapshotFile ? [snapshotFile] : [])]);
  return [
    ...resourceLimits(),
    ...isolation.wrapper,
    process.execPath,
    "--permission",
    ...[...grants].map((path) => `--allow-fs-read=${path}`),
    "--disallow-code-generation-from-strings",
    "--no-warnings",
    `--max-old-space-size=${heapMb}`,
    `--stack-size=${STACK_KILOBYTES}`,
    child,
    language,
    entry,
    isolation.separateUsers ? childUids().join(",") : "",
    snapshotFile ?? "",
  ];
}

/** In the order in which the child tries them. */
function childUids(): number[] {
  started += 1;
  return [FIRST_UID + (started % UID_COUNT), NOBODY];
}

/** No core files, which would hold other people's data, and a bound on processor time. `env -i`: a shell adds PWD and more. */
function resourceLimits(): string[] {
  if (process.platform === "win32") return [];
  return ["/bin/sh", "-c", `ulimit -c 0; ulimit -t ${CHILD_CPU_SECONDS}; exec /usr/bin/env -i "$@"`, "sh"];
}

/** This folder's programs (not its tests), and each `package.json` Node asks for on the way up. */
function ownFiles(child: string): string[] {
  const folder = dirname(realpathSync(child));
  const programs = readdirSync(folder).filter((name) => !name.includes(".test."));
  const files = programs.map((name) => join(folder, name));
  for (let at = folder; ; at = dirname(at)) {
    files.push(join(at, "package.json"));
    if (existsSync(join(at, "package.json")) || at === dirname(at)) return files;
  }
}
