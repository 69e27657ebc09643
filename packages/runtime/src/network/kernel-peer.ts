/** Which user is behind a local connection, according to the kernel. Only Linux reports this. */
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";

export interface Peer {
  readonly uid: number;
  readonly inode: string;
}

const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];
const ESTABLISHED = "01";

/** Undefined where the system does not tell. */
export function kernelPeer(): ((socket: Socket) => Peer | undefined) | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    readFileSync(TABLES[0] ?? "");
    return (socket) => findPeer(socket, TABLES.map(readTable).join("\n"));
  } catch {
    return undefined;
  }
}

function readTable(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // no IPv6 here
  }
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
  for (const line of table.split("\n")) {
    const [, from = "", to = "", state, , , , uid = "", , inode = "0"] = line.trim().split(/\s+/);
    if (!theirs.includes(from) || !ours.includes(to)) continue;
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
