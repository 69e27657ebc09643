/**
 * Turns a command into the actual command line: namespaces, a private file system, another user, then the command.
 * Everything before the command runs with the server's privileges, so it gets our own environment: a variable chosen
 * by a package (`LD_PRELOAD`, `PATH`) is set only after the privileges are dropped.
 */
import { dirname } from "node:path";
import { fail, ok, type Result } from "@capstan/core";
import { type CommandIsolation, setUser } from "./command-isolation.ts";
import { isOpenToOthers } from "./open-to-others.ts";
import type { GuardedNetwork, NetworkEntry } from "./package-network.ts";
import { type RootVolume, rootWords } from "./private-root.ts";
import { copiedRuntime, firstUnreadable, withoutClosedAbove } from "./reachable-runtime.ts";

/**
 * `none`: no network. `open`: the machine's, for package managers, which work with the operator's registry and run nothing
 * of the package. Third-party code gets the guarded one: public addresses, and what was declared.
 */
export type CommandNetwork = "none" | "open" | GuardedNetwork;

export interface ConfinedCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The command's complete environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly network: CommandNetwork;
  /** The user to switch to, where the server can; see `uidFor`. */
  readonly uid: number;
  /** Files and folders it may read besides the system's own. */
  readonly readable: readonly string[];
  /** Folders it may change. */
  readonly writable: readonly string[];
  readonly volumes?: readonly RootVolume[] | undefined;
}

export interface StartLine {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** To be called when the process has ended. */
  readonly leave: () => void;
}

const SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const VARIABLE = /^[A-Za-z_]\w*$/;
const KEPT = "CAPSTAN_LATER_"; // a variable of the command, until the privileges are dropped

export async function confine(
  command: ConfinedCommand,
  isolation: CommandIsolation,
): Promise<Result<StartLine>> {
  const copies = await copiesFor(isolation);
  const seen = await withoutClosedAbove(command.readable, [...copies.keys()]);
  const possible = await canConfine(command, isolation, { copies, seen });
  if (!possible.ok) return possible;
  const network = await networkOf(command, isolation);
  if (!network.ok) return network;
  const { argv, cwd, uid } = command;
  const env = { ...command.env, ...network.value.env };
  const names = Object.keys(env).filter((name) => VARIABLE.test(name));
  const setVariables = names.map((name) => `export ${name}="$${KEPT}${name}"; unset ${KEPT}${name}`);
  const last = [
    "/bin/sh",
    "-c",
    ['cd "$0" || exit 126', "unset PWD OLDPWD PATH", ...setVariables, 'exec "$@"'].join("\n"),
  ];
  const words = [
    ...network.value.words,
    ...(isolation.privateRoot ? ["/bin/sh", "-c", ...rootWords({ ...command, readable: seen, copies })] : []),
    ...setUser(isolation, uid),
    ...last,
    cwd,
    ...argv,
  ];
  const [file = "", ...args] = words;
  const later = Object.fromEntries(names.map((name) => [`${KEPT}${name}`, env[name] ?? ""]));
  return ok({ file, args, cwd: "/", env: { PATH: SYSTEM_PATH, ...later }, leave: network.value.leave });
}

/** The words that build the namespaces, the network's among them. */
async function networkOf(
  { network, uid }: ConfinedCommand,
  { wrapper, offlineWrapper, namespaceWrapper, networks }: CommandIsolation,
): Promise<Result<NetworkEntry>> {
  const plain = { env: {}, leave: () => {} };
  if (network === "none") return ok({ ...plain, words: offlineWrapper ?? wrapper });
  if (network === "open") return ok({ ...plain, words: wrapper });
  if (!networks) return network.only ? fail("connection_not_limited", {}) : ok({ ...plain, words: wrapper });
  const entered = await networks.enter(uid, network);
  return entered.ok
    ? ok({ ...entered.value, words: [...entered.value.words, ...namespaceWrapper] })
    : entered;
}

/** Only another user may be locked out, and only a private file system can show it a copy at the same path. */
async function copiesFor({
  privateRoot,
  changesUser,
  runtimes,
}: CommandIsolation): Promise<ReadonlyMap<string, string>> {
  return privateRoot && changesUser ? copiedRuntime(process.execPath, runtimes) : new Map();
}

interface Runtime {
  readonly copies: ReadonlyMap<string, string>;
  /** What the private file system shows. */
  readonly seen: readonly string[];
}

/** A copy is only as reachable as the folder it appears in. */
async function firstLockedOut(
  { argv, readable, uid }: ConfinedCommand,
  { copies, seen }: Runtime,
): Promise<string | undefined> {
  const own = argv.filter((word) => !copies.has(word));
  const folders = argv.filter((word) => copies.has(word)).map((word) => dirname(word));
  return (
    (await firstUnreadable(own, { uid, readable })) ??
    (await firstUnreadable(folders, { uid, readable: seen }))
  );
}

/** Another user must be able to reach the program; without one and without a private file system, nothing runs by default. */
async function canConfine(
  command: ConfinedCommand,
  isolation: CommandIsolation,
  runtime: Runtime,
): Promise<Result<true>> {
  const { privateRoot, changesUser, networks, organisation } = isolation;
  if (organisation !== undefined && !(privateRoot && networks)) return fail("organisation_not_separated", {});
  if (privateRoot) {
    if (!changesUser) return ok(true);
    const unreadable = await firstLockedOut(command, runtime);
    return unreadable === undefined ? ok(true) : fail("package_unreachable", { path: unreadable });
  }
  if (!changesUser) {
    return isolation.allowsUnseparated ? ok(true) : fail("package_not_separated", {});
  }
  const closed = await firstClosed([...command.argv, ...command.readable]);
  return closed === undefined ? ok(true) : fail("package_unreachable", { path: closed });
}

async function firstClosed(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    if (!(await isOpenToOthers([path]))) return path;
  }
  return undefined;
}
