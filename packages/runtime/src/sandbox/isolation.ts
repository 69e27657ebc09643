/**
 * How a sandbox child is isolated on this system: detected once, by trying. What is not possible is listed in `notes`,
 * so that whoever reviews the server does not have to guess.
 */
import { execFile } from "node:child_process";
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const NOBODY = 65_534;
/** Each child has its own user id, so that it cannot signal another. Containers may not have ids this high; then all are nobody. */
const FIRST_UID = 1_900_000_000;
const UID_COUNT = 50_000_000;
let started = process.pid * 1000;
const PROBE_MS = 5_000;
/** CPU seconds in a child's whole life: ends one that keeps spinning after the server was killed. */
export const CHILD_CPU_SECONDS = 900;
const STACK_KILOBYTES = 3_900; // below the usual 8 MB of the main thread, above what QuickJS and Pyodide need

export interface Isolation {
  /** Whether a child runs as another user than the server. */
  readonly separateUsers: boolean;
  readonly network: "namespace" | "in-process";
  /** Command prefix: `unshare` with the options that worked here. */
  readonly wrapper: readonly string[];
  /** What is not isolated here, in sentences. */
  readonly notes: readonly string[];
}

/** Tried in this order; the first that works is used. Without root, a namespace requires a user namespace around it. */
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
      "The system has no network namespaces, so the network is blocked inside the process that runs the code.",
    );
  }
  const separateUsers = isRoot && (await hasNobody());
  if (!separateUsers) {
    const why = isRoot ? "This container has no other user ids" : "The server is not root";
    notes.push(`${why}, so the code runs as the server's own user.`);
  }
  return {
    separateUsers,
    network: wrapper ? "namespace" : "in-process",
    wrapper: wrapper ?? [],
    notes,
  };
}

/** Root of a container may have no other user ids. Without `setpriv` the child finds out, and does not start. */
async function hasNobody(): Promise<boolean> {
  const asNobody = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "true"];
  return promisify(execFile)("setpriv", asNobody, { timeout: PROBE_MS }).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === "ENOENT",
  );
}

async function firstThatRuns(wrappers: readonly string[][]): Promise<readonly string[] | undefined> {
  if (process.platform !== "linux") return undefined;
  const run = promisify(execFile);
  for (const wrapper of wrappers) {
    const [command = "", ...args] = wrapper;
    try {
      await run(command, [...args, "true"], { timeout: PROBE_MS, env: {} }); // Node would slow down every start
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

/** The child's complete command line. It can read its own folder and its interpreter, and write nothing. */
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

/** No core dumps, which would contain other people's data, and a limit on CPU time. `env -i`: a shell adds PWD and more. */
function resourceLimits(): string[] {
  if (process.platform === "win32") return [];
  return ["/bin/sh", "-c", `ulimit -c 0; ulimit -t ${CHILD_CPU_SECONDS}; exec /usr/bin/env -i "$@"`, "sh"];
}

/** This folder's programs (not its tests), and each `package.json` that Node looks for in parent folders. */
function ownFiles(child: string): string[] {
  const folder = dirname(realpathSync(child));
  const programs = readdirSync(folder).filter((name) => !name.includes(".test."));
  const files = programs.map((name) => join(folder, name));
  for (let at = folder; ; at = dirname(at)) {
    files.push(join(at, "package.json"));
    if (existsSync(join(at, "package.json")) || at === dirname(at)) return files;
  }
}
