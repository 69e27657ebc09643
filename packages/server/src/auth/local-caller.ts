/**
 * Identifies the local user. Listening on loopback is not enough: every user of the machine, every package and every
 * sandbox can connect there. Linux reports the user id of a connection; elsewhere the caller sends a token that only
 * the server's user can read. The command line and the studio find it by themselves.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { localTokenFile } from "@capstan/core/internal";
import { isPassedOn, kernelPeer, type PeerOf } from "@capstan/runtime";
import type { Context } from "hono";

export interface LocalCallers {
  /** Whether this request comes from the server's own user. */
  isLocal(c: Context, sent: string | undefined): Promise<boolean>;
  /** Writes the token for this port if needed; returns what the studio's address must include. */
  announce(port: number): string | undefined;
  close(): void;
}

export interface LocalCallerParts {
  /** The home of the server's user; a container's user may have none, so it is looked up only when needed. */
  readonly home?: string;
  /** The kernel's answer; null = it has none. */
  readonly peerOf?: PeerOf | null;
}

/** Only Linux's kernel answers; elsewhere the token is the only way. */
export function openLocalCallers({ home, peerOf = kernelPeer() }: LocalCallerParts = {}): LocalCallers {
  const known = new WeakMap<Socket, Promise<boolean>>();
  const token = peerOf ? undefined : `local_${randomBytes(32).toString("base64url")}`;
  let file: string | undefined;
  return {
    async isLocal(c, sent) {
      const socket = socketOf(c);
      if (!socket) return true; // called inside this process, without a connection
      if (isPassedOn(socket.remotePort)) return false; // opened by this process for a package or a tool
      if (token !== undefined) return sent !== undefined && isSame(sent, token);
      const answer = known.get(socket) ?? isOwnPeer(peerOf?.(socket));
      known.set(socket, answer);
      return answer;
    },
    announce(port) {
      if (token === undefined) return undefined;
      file = localTokenFile(home ?? homedir(), port);
      mkdirSync(join(file, ".."), { recursive: true, mode: 0o700 });
      rmSync(file, { force: true });
      writeFileSync(file, token, { mode: 0o600, flag: "wx" });
      return token;
    },
    close() {
      if (file !== undefined) rmSync(file, { force: true });
    },
  };
}

async function isOwnPeer(asked: ReturnType<PeerOf> | undefined): Promise<boolean> {
  const peer = await asked;
  return peer !== undefined && isOwnUser(peer.uid) && !belongsToConfined(peer.inode);
}

/** The system's administrator can do everything anyway. */
const isOwnUser = (uid: number): boolean => uid === 0 || uid === process.getuid?.();

function isSame(sent: string, token: string): boolean {
  const [a, b] = [Buffer.from(sent), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function socketOf(c: Context): Socket | undefined {
  const env = c.env as { incoming?: { socket?: Socket } } | undefined;
  return env?.incoming?.socket;
}

/**
 * Without root a package has the server's own user id; the difference is that the server started it in its own
 * namespaces. A process that hides its files from us counts as one.
 */
function belongsToConfined(inode: string): boolean {
  const own = namespacesOf("self");
  const waiting = childrenOf(process.pid);
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    waiting.push(...childrenOf(pid));
    const theirs = namespacesOf(pid);
    if (theirs !== own && mayHold(pid, inode)) return true;
  }
  return false;
}

function namespacesOf(pid: number | string): string {
  try {
    return ["user", "pid"].map((name) => readlinkSync(`/proc/${pid}/ns/${name}`)).join(" ");
  } catch {
    return "hidden";
  }
}

function mayHold(pid: number, inode: string): boolean {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((name) => linkOf(join(folder, name)) === `socket:[${inode}]`);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ENOENT"; // it has ended, or is hidden
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ""; // closed since it was listed
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}
