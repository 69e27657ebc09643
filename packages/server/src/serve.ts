/** Starts the server: services, application, socket. What `main.ts`, tests and the CLI call. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fail, ok, type Result } from "@capstan/core";
import { serve as listen } from "@hono/node-server";
import { createApp } from "./app.ts";
import type { Log } from "./log.ts";
import { openServices, type ServerExtras, type Services } from "./services.ts";
import type { Settings } from "./settings.ts";

const GOODBYE_MS = 1000; // for streams to say where to go on; what is still open then is cut

export interface RunningServer {
  readonly url: string;
  readonly services: Services;
  /** The application without its socket, for tests and benchmarks. */
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** Stops accepting, lets running steps finish or hands them over, ends streams with a hint to reconnect. */
  close(): Promise<void>;
}

export async function startServer(
  settings: Settings,
  log: Log,
  extras: ServerExtras = {},
): Promise<Result<RunningServer>> {
  const opened = await openServices(settings, log, extras);
  if (!opened.ok) return opened;
  const services = opened.value;
  const app = createApp(services);
  return new Promise((resolve) => {
    const server = listen(
      { fetch: app.fetch, hostname: settings.HOST, port: settings.PORT },
      (address: AddressInfo) => {
        const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
        const close = async () => {
          const closed = new Promise((resolve) => server.close(resolve));
          await services.drain();
          const late = setTimeout(() => (server as Server).closeAllConnections(), GOODBYE_MS);
          await closed;
          clearTimeout(late);
          await services.close();
        };
        resolve(ok({ url: `http://${host}:${address.port}`, services, fetch: app.fetch, close }));
      },
    );
    server.once("error", async (error: NodeJS.ErrnoException) => {
      await services.close();
      resolve(
        fail("address_unusable", {
          address: `${settings.HOST}:${settings.PORT}`,
          why: error.code ?? error.message,
        }),
      );
    });
  });
}
