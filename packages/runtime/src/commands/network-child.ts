/**
 * Runs briefly inside a new network namespace: opens listening sockets there and passes them to the server, which
 * answers them from outside. For a service it stays, and forwards the server's connections to the service's port.
 */
import { connect, createServer, type Socket } from "node:net";

const [ports = "", serves = ""] = process.argv.slice(2);
const LOOPBACK = "127.0.0.1";

for (const port of ports.split(",").map(Number)) {
  const listening = createServer();
  const hand = () => process.send?.({ port }, listening, {}, () => listening.close()); // only one may accept
  listening.listen(port, LOOPBACK, hand);
}

process.on("message", (_message, socket: Socket | undefined) => {
  if (serves === "") return process.exit(0); // the server has every socket
  if (!socket) return;
  const service = connect(Number(serves), LOOPBACK);
  for (const [from, to] of [
    [socket, service],
    [service, socket],
  ] as const) {
    from.on("error", () => to.destroy());
    from.on("close", () => to.destroy());
    from.pipe(to);
  }
});
process.on("disconnect", () => process.exit(0));
