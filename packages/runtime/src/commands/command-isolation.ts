/**
 * How third-party programs are isolated from the server on this system: detected once, by trying.
 * Either level is enough: a private file system (mount namespace, with or without root), or another user id (root).
 * With neither, third-party code runs only if the operator allows it; every review shows `notes`.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { type NetworkOptions, namespaceWords, PackageNetworks } from "./package-network.ts";
import { rootWords } from "./private-root.ts";

const PROBE_MS = 5_000;
const FIRST_UID = 100_000_000; // above the ranges that systems assign to people and containers
const UID_COUNT = 900_000_000;
/** The user id a command without root sees; outside it is the server's user, whose files are not visible to it. */
const UNPRIVILEGED_UID = 1000;

export interface CommandIsolation {
  /** True when the server is root: each user's commands run under their own user id. */
  readonly changesUser: boolean;
  /** True when commands get a private file system: system programs and what they were given. */
  readonly privateRoot: boolean;
  /** The operator explicitly allowed running packages with neither. */
  readonly allowsUnseparated: boolean;
  /** Prefix of a command that may use the network. */
  readonly wrapper: readonly string[];
  /** Prefix of a command that must not; undefined = the system cannot remove network access. */
  readonly offlineWrapper: readonly string[] | undefined;
  /** The network of third-party code; undefined = the system cannot keep it from the machine's own ports. */
  readonly networks: PackageNetworks | undefined;
  /** Prefix of a command inside one of them. */
  readonly namespaceWrapper: readonly string[];
  /** Where a runtime is copied if other users cannot reach it; undefined = its commands are refused. */
  readonly runtimes?: string | undefined;
  /** What is not isolated here, in sentences. */
  readonly notes: readonly string[];
  /** Set for further organisations: own user ids, no files of the machine, and nothing runs without full isolation. */
  readonly organisation?: string | undefined;
}

/** A process namespace, so that a kill also ends background processes of a command. */
const PROCESSES = ["--pid", "--fork", "--kill-child"];
const MOUNTS = ["--mount", "--ipc"];

export interface ProbeOptions extends Omit<NetworkOptions, "isRoot"> {
  readonly allowsUnseparated?: boolean | undefined;
  readonly runtimes?: string | undefined;
  /** The process's own; tests set another. */
  readonly isRoot?: boolean;
  readonly organisation?: string | undefined;
}

export async function probeCommandIsolation(options: ProbeOptions = {}): Promise<CommandIsolation> {
  const { allowsUnseparated = false } = options;
  const isRoot = options.isRoot ?? (await canChangeUser());
  const inside = isRoot ? [] : ["--user", "--map-root-user"];
  const around = isRoot ? [] : ["--user", "--map-current-user"];
  const view = [
    ...["/bin/sh", "-c", ...rootWords({ readable: [], writable: [] })],
    ...setUser({ changesUser: isRoot, privateRoot: true }, FIRST_UID),
  ];
  const confined = ["unshare", ...inside, ...MOUNTS, ...PROCESSES, "--"];
  const offline = ["unshare", ...inside, ...MOUNTS, ...PROCESSES, "--net", "--"];
  const [privateRoot, isOffline, hasNetworks] = await Promise.all([
    runsHere([...confined, ...view]),
    runsHere([...offline, ...view]),
    runsHere(namespaceWords(isRoot)),
  ]);
  const [wrapper, offlineWrapper] = privateRoot
    ? [confined, isOffline ? offline : undefined]
    : await Promise.all([
        firstThatRuns([["unshare", ...around, ...PROCESSES, "--"]]),
        firstThatRuns([
          ["unshare", ...around, ...PROCESSES, "--net", "--ipc", "--"],
          ["unshare", ...around, "--net", "--"],
        ]),
      ]);
  const { allowHosts, upstreamProxy, organisation } = options;
  const networks =
    privateRoot && hasNetworks ? new PackageNetworks({ isRoot, allowHosts, upstreamProxy }) : undefined;
  return {
    changesUser: isRoot,
    privateRoot,
    allowsUnseparated,
    runtimes: options.runtimes,
    wrapper: wrapper ?? [],
    offlineWrapper,
    networks,
    namespaceWrapper: ["unshare", ...MOUNTS, ...PROCESSES, "--"],
    notes: notesOf({ isRoot, privateRoot, wrapper, offlineWrapper, allowsUnseparated, networks }),
    organisation,
  };
}

/** Root of a container may have no other user ids; then it is separated as an ordinary user is. */
export const canChangeUser = async (): Promise<boolean> =>
  process.getuid?.() === 0 && runsHere(setUser({ changesUser: true, privateRoot: false }, FIRST_UID));

interface Found {
  readonly isRoot: boolean;
  readonly privateRoot: boolean;
  readonly wrapper: readonly string[] | undefined;
  readonly offlineWrapper: readonly string[] | undefined;
  readonly allowsUnseparated: boolean;
  readonly networks: PackageNetworks | undefined;
}

function notesOf({
  isRoot,
  privateRoot,
  wrapper,
  offlineWrapper,
  allowsUnseparated,
  networks,
}: Found): string[] {
  const notes: string[] = [];
  if (!isRoot && !privateRoot) {
    notes.push(
      allowsUnseparated
        ? "Packages run as the server's own user and can read all its files (CAPSTAN_ALLOW_UNSEPARATED_PACKAGES)."
        : "This system cannot isolate packages from the server, so none of them runs.",
    );
  } else if (!privateRoot) {
    notes.push(
      "There is no mount namespace, so a package can read every world-readable file of the machine.",
    );
  }
  if (!wrapper)
    notes.push("There is no process namespace, so a command's background processes may outlive it.");
  if (!offlineWrapper)
    notes.push("There is no network namespace, so a package has network access while it describes itself.");
  notes.push(
    networks
      ? "Commands of a package may use the network when they are called, to public addresses."
      : "The network of a package cannot be limited here: its commands reach every address and port that the server reaches.",
  );
  return notes;
}

/** The user id for a Capstan user's commands: always the same for the same address. */
export function uidFor(email: string): number {
  const digest = createHash("sha256").update(email.toLowerCase()).digest();
  return FIRST_UID + (digest.readUInt32BE(0) % UID_COUNT);
}

/** The same address in another organisation gets another user id. */
export const uidIn = (
  { organisation }: { readonly organisation?: string | undefined },
  email: string,
): number => uidFor(organisation === undefined ? email : `organisation\n${organisation}\n${email}`);

/** The owner of the folders of a command that runs as `uid`; undefined = the server itself. */
export const ownerOf = ({ changesUser }: CommandIsolation, uid: number): number | undefined =>
  changesUser ? uid : undefined;

/** Drops the privileges that were needed to create the namespaces. */
export function setUser(
  { changesUser, privateRoot }: Pick<CommandIsolation, "changesUser" | "privateRoot">,
  uid: number,
): string[] {
  if (changesUser) {
    const ids = [`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"];
    return ["setpriv", ...ids, "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "--"];
  }
  if (!privateRoot) return [];
  const id = String(UNPRIVILEGED_UID);
  return [
    "setpriv",
    "--no-new-privs",
    "--",
    "unshare",
    "--user",
    `--map-user=${id}`,
    `--map-group=${id}`,
    "--",
  ];
}

async function firstThatRuns(wrappers: readonly string[][]): Promise<readonly string[] | undefined> {
  for (const wrapper of wrappers) {
    if (await runsHere(wrapper)) return wrapper;
  }
  return undefined;
}

/** Uses `true`, because Node would slow down every start. */
async function runsHere(words: readonly string[]): Promise<boolean> {
  return process.platform === "linux" && runs([...words, "true"]);
}

/** Whether a command line runs here at all, such as an interpreter as another user. */
export async function runs(argv: readonly string[]): Promise<boolean> {
  const [command = "", ...args] = argv;
  try {
    const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };
    await promisify(execFile)(command, args, { timeout: PROBE_MS, env, cwd: "/" });
    return true;
  } catch {
    return false;
  }
}
