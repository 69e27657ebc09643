/**
 * Which user is behind a local connection, according to the kernel. Only Linux reports this. The kernel takes
 * milliseconds to list its connections, so those who ask at the same time share a reading, off the main thread.
 */
import { accessSync, constants } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";

export interface Peer {
  readonly uid: number;
  readonly inode: string;
}

export type PeerOf = (socket: Socket) => Promise<Peer | undefined>;

const IPV4 = "/proc/net/tcp";
const IPV6 = "/proc/net/tcp6";
const ESTABLISHED = "01";

/** Undefined where the system does not report it. */
export function kernelPeer(): PeerOf | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    accessSync(IPV4, constants.R_OK);
  } catch {
    return undefined;
  }
  const readIpv4 = sharedReading(() => readFile(IPV4, "utf8").catch(() => ""));
  const readIpv6 = sharedReading(() => readFile(IPV6, "utf8").catch(() => "")); // there may be no IPv6 here
  return async (socket) => findPeer(socket, await readIpv4()) ?? findPeer(socket, await readIpv6());
}

/** Shares one reading that begins after all the calls: a reading under way may lack their connections. */
export function sharedReading<T>(read: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    next ??= last.then(() => {
      next = undefined;
      const reading = read();
      last = reading.catch(() => {});
      return reading;
    });
    return next;
  };
}

/**
 * The row of the other end. Only of a connection with an open socket: once a program has closed it, the kernel shows
 * the row as root's, and whoever sends a request and disconnects would be root.
 */
export function findPeer(
  socket: Pick<Socket, "remoteAddress" | "remotePort" | "localAddress" | "localPort">,
  table: string,
): Peer | undefined {
  const { remoteAddress = "", remotePort = 0, localAddress = "", localPort = 0 } = socket;
  const theirs = endsOf(remoteAddress, remotePort);
  const ours = endsOf(localAddress, localPort);
  for (const ends of theirs.flatMap((from) => ours.map((to) => ` ${from} ${to} `))) {
    const at = table.indexOf(ends);
    if (at < 0) continue;
    const [row = ""] = table.slice(at + ends.length).split("\n", 1);
    const [state, , , , uid = "", , inode = "0"] = row.trim().split(/\s+/);
    return state === ESTABLISHED && inode !== "0" ? { uid: Number(uid), inode } : undefined;
  }
  return undefined;
}

/** An end as the kernel writes it, for IPv4, for IPv6, and for IPv4 over a socket of IPv6. */
function endsOf(address: string, port: number): string[] {
  const hexPort = port.toString(16).toUpperCase().padStart(4, "0");
  const plain = address.replace(/^::ffff:/, "");
  if (plain === "::1") return [`${"0".repeat(24)}01000000:${hexPort}`];
  const parts = plain.split(".").map(Number).reverse();
  const four = parts.map((part) => part.toString(16).toUpperCase().padStart(2, "0")).join("");
  return [`${four}:${hexPort}`, `${"0".repeat(16)}FFFF0000${four}:${hexPort}`];
}
