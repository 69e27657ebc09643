/**
 * How commands of installed packages are shut in on this system: found out once, by trying.
 * What could not be had is said in `notes`, which every review of a package shows.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { promisify } from "node:util";

const PROBE_MS = 5_000;
const FIRST_UID = 100_000_000; // above every range systems hand out to people and containers
const UID_COUNT = 900_000_000;

export interface CommandIsolation {
  /** True when the server is root, so that each user's commands run under a user id of their own. */
  readonly separateUsers: boolean;
  /** Goes before a command that may use the network. */
  readonly wrapper: readonly string[];
  /** Goes before a command that must not; undefined = the system cannot take the network away. */
  readonly offlineWrapper: readonly string[] | undefined;
  /** What is not isolated here, in sentences. */
  readonly notes: readonly string[];
}

/** A process namespace, so that a kill also takes what a command has put into the background. */
const PROCESSES = ["--pid", "--fork", "--kill-child"];

export async function probeCommandIsolation(): Promise<CommandIsolation> {
  const separateUsers = process.getuid?.() === 0;
  const asUser = separateUsers ? [] : ["--user", "--map-current-user"];
  const [wrapper, offlineWrapper] = await Promise.all([
    firstThatRuns([["unshare", ...asUser, ...PROCESSES, "--"]]),
    firstThatRuns([
      ["unshare", ...asUser, ...PROCESSES, "--net", "--ipc", "--"],
      ["unshare", ...asUser, "--net", "--"],
    ]),
  ]);
  const notes: string[] = [];
  if (!separateUsers) notes.push("The server is not root, so commands run as the server's own user.");
  if (!wrapper)
    notes.push("There is no process namespace, so a command's background children may outlive it.");
  if (!offlineWrapper)
    notes.push("There is no network namespace, so a package has the network while it describes itself.");
  notes.push("Commands of a package may use the network when they are called.");
  return { separateUsers, wrapper: wrapper ?? [], offlineWrapper, notes };
}

/** The user id under which a Capstan user's commands run: always the same for the same address. */
export function uidFor(email: string): number {
  const digest = createHash("sha256").update(email.toLowerCase()).digest();
  return FIRST_UID + (digest.readUInt32BE(0) % UID_COUNT);
}

/** `setpriv` drops to the user inside the namespaces, which only root may make. */
export function asUser(uid: number): string[] {
  return ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "--no-new-privs", "--"];
}

async function firstThatRuns(wrappers: readonly string[][]): Promise<readonly string[] | undefined> {
  if (process.platform !== "linux") return undefined;
  for (const wrapper of wrappers) {
    if (await runs([...wrapper, "true"])) return wrapper; // a Node would make every start wait
  }
  return undefined;
}

/** Whether a command line runs at all here, such as an interpreter as another user. */
export async function runs(argv: readonly string[]): Promise<boolean> {
  const [command = "", ...args] = argv;
  try {
    await promisify(execFile)(command, args, { timeout: PROBE_MS, env: {}, cwd: "/" });
    return true;
  } catch {
    return false;
  }
}
