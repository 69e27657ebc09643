/** Starts the server: services, application, socket. What `main.ts`, tests and the CLI call. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fail, ok, type Refused, type Result } from "@capstan/core";
import { EventRetention, isDatabaseAway } from "@capstan/runtime";
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

/** A database that goes away in the middle of a start is told like one that was never there. */
function cutOff(error: unknown): Refused {
  if (!isDatabaseAway(error)) throw error;
  const why = error instanceof Error ? error.message : String(error);
  return fail("database_unreachable", { location: "DATABASE_URL", why });
}

export async function startServer(
  settings: Settings,
  log: Log,
  extras: ServerExtras = {},
): Promise<Result<RunningServer>> {
  const opened = await openServices(settings, log, extras).catch(cutOff);
  if (!opened.ok) return opened;
  const services = opened.value;
  const app = createApp(services);
  const retention = startRetention(services);
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
          retention?.stop();
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

/** Only when the operator says for how long: by default nothing is forgotten. */
function startRetention({ settings, database, log }: Services): EventRetention | undefined {
  const days = settings.CAPSTAN_EVENT_RETENTION_DAYS;
  if (days === undefined) return undefined;
  const onError = (error: unknown) => log.error({ what: "forgetting old events", error });
  const retention = new EventRetention({ pool: database.pool, days, onError });
  retention.start();
  return retention;
}
