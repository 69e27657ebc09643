/** Starts the service; SIGTERM lets current requests finish. */
import { mkdirSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createService } from "./service.ts";

const { PORT = "8080", HOST = "0.0.0.0", DATA_DIR = "/data", REQUESTS_PER_MINUTE = "120" } = process.env;

mkdirSync(DATA_DIR, { recursive: true });
const { server, pool } = createService({ dataDir: DATA_DIR, perMinute: Number(REQUESTS_PER_MINUTE) });
server.listen(Number(PORT), HOST, () => {
  console.log(`TEMPLATE_SERVICE listens on ${HOST}:${(server.address() as AddressInfo).port}`);
});
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => {
    server.close(() => {
      pool.close();
      console.log("stopped");
    });
    server.closeIdleConnections();
  });
}
