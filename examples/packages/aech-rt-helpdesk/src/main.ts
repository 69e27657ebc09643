/** Starts the helpdesk service: HTTP on PORT, new tickets every POLL_INTERVAL seconds, SIGTERM lets requests finish. */
import type { AddressInfo } from "node:net";
import { createApi } from "./api.ts";
import { openDatabase } from "./database.ts";
import { importTickets } from "./tickets.ts";

const {
  PORT = "8080",
  HOST = "0.0.0.0",
  DATA_DIR = "/data",
  DATABASE_URL,
  POLL_INTERVAL = "60",
} = process.env;
const { REQUESTS_PER_MINUTE = "600" } = process.env;

const database = await openDatabase({ url: DATABASE_URL, dataDir: DATA_DIR });
await importTickets(database, DATA_DIR);
const server = createApi(database, Number(REQUESTS_PER_MINUTE));
server.listen(Number(PORT), HOST, () => {
  console.log(
    `aech-rt-helpdesk listens on ${HOST}:${(server.address() as AddressInfo).port}, tickets in ${database.kind}`,
  );
});
const look = setInterval(
  () => void importTickets(database, DATA_DIR).catch(console.error),
  Number(POLL_INTERVAL) * 1000,
);

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => {
    clearInterval(look);
    server.close(() => void database.close().then(() => console.log("stopped")));
    server.closeIdleConnections();
  });
}
