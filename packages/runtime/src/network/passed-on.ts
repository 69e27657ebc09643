/**
 * Connections that this process opens for others: for a package, a tool or a model. They come from the server's own user, so
 * a server on loopback would treat them as its admin; it checks here first. Stored by local port while they are
 * open.
 */
import type { Socket } from "node:net";

const passedOn = new Set<number>();

/** To be called once it is connected, and before anything is sent. */
export function markPassedOn(socket: Socket): void {
  const { localPort } = socket;
  if (localPort === undefined) return;
  passedOn.add(localPort);
  socket.once("close", () => passedOn.delete(localPort));
}

export const isPassedOn = (port: number | undefined): boolean => port !== undefined && passedOn.has(port);
