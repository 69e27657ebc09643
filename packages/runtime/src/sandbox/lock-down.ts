/**
 * The privileges a child drops after its interpreter is loaded and before it sees untrusted code.
 *
 * The order matters: files are read as the server's user, so that an install in a private folder works; then the user is
 * dropped permanently. The network is removed from outside where the system can (isolation.ts); this is the second layer.
 */
import dgram from "node:dgram";
import dns from "node:dns";
import net from "node:net";

const GONE = [
  "fetch",
  "WebSocket",
  "EventSource",
  "XMLHttpRequest",
  "Worker",
  "SharedWorker",
  "navigator",
  "localStorage",
  "sessionStorage",
  "process",
  "require",
];
const PROCESS_GONE = [
  "kill",
  "abort",
  "binding",
  "_linkedBinding",
  "dlopen",
  "chdir",
  "execve",
  "getBuiltinModule",
  "mainModule",
  "report",
  "setuid",
  "seteuid",
  "setgid",
  "setegid",
  "setgroups",
  "initgroups",
  "_debugProcess",
  "_startProfilerIdleNotifier",
];

/** `uids` are tried in order; none = keep the current user (the server is not root). */
export function lockDown(uids: readonly number[]): void {
  if (uids.length > 0) dropRights(uids);
  const refuse = () => {
    throw new Error("there is no network in the sandbox");
  };
  net.Socket.prototype.connect = refuse as never;
  net.Server.prototype.listen = refuse as never;
  dgram.Socket.prototype.bind = refuse as never;
  dgram.Socket.prototype.send = refuse as never;
  dns.lookup = refuse as never;
  for (const name of PROCESS_GONE) Reflect.deleteProperty(process, name);
  const harmless = harmlessProcess();
  for (const name of GONE) Reflect.deleteProperty(globalThis, name);
  Object.defineProperty(globalThis, "process", { value: harmless });
}

/** The interpreters ask `process` which system this is; they get an inert object that only answers that. */
function harmlessProcess(): object {
  const { arch, hrtime, memoryUsage, nextTick, platform, version, versions } = process;
  const nothing = () => harmless;
  const harmless: object = {
    arch,
    hrtime,
    memoryUsage,
    nextTick,
    platform,
    version,
    versions: { ...versions },
    argv: [],
    cwd: () => "/",
    emitWarning: nothing,
    env: {},
    execArgv: [],
    off: nothing,
    on: nothing,
    once: nothing,
    pid: 1,
    removeListener: nothing,
  };
  return harmless;
}

function dropRights(uids: readonly number[]): void {
  process.setgroups?.([]);
  const uid = uids.find(becomes);
  if (uid === undefined || process.getuid?.() !== uid || process.geteuid?.() !== uid) {
    throw new Error("still the old user");
  }
}

function becomes(uid: number): boolean {
  try {
    process.setgid?.(uid);
    process.setuid?.(uid);
    return true;
  } catch {
    return false; // this system does not have such an id
  }
}
