/** A TCP proxy in front of Postgres that can cut all connections at once, like a network failure. */

import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

export interface CuttingProxy {
  readonly port: number;
  /** Cuts what is open; answers how many connections that were. */
  cut(): number;
  /** Resolves when so many more answers of Postgres have passed. */
  answers(count: number): Promise<void>;
  close(): void;
}

export async function cuttingProxy(target: number): Promise<CuttingProxy> {
  const open = new Set<Socket>();
  const waiting = new Set<{ left: number; resolve: () => void }>();
  const passed = () => {
    for (const wait of waiting) {
      if (--wait.left > 0) continue;
      waiting.delete(wait);
      wait.resolve();
    }
  };
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    upstream.on("data", passed);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(from);
      from.on("error", () => {});
      from.on("close", () => {
        open.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = (): number => {
    const connections = Math.ceil(open.size / 2);
    for (const socket of open) socket.resetAndDestroy();
    return connections;
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    answers: (left) => new Promise<void>((resolve) => waiting.add({ left, resolve })),
    close() {
      cut();
      server.close();
    },
  };
}
