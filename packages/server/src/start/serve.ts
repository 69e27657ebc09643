/** Starts the server: services, application, socket. Called by `main.ts`, tests and the CLI. */
import { ok, type Result } from "@capstan/core";
import { createDatabaseRetry, type DatabaseRetry, EventRetention, unreachable } from "@capstan/runtime";
import { isKeyless } from "../auth/authenticate.ts";
import { openLocalCallers } from "../auth/local-caller.ts";
import { openOwnerToken } from "../auth/owner-token.ts";
import { HttpListener } from "../http/http-listener.ts";
import type { Log } from "../settings/log.ts";
import type { Settings } from "../settings/settings.ts";
import { createApp } from "./app.ts";
import { type OpenFeatures, openFeatures, type ServerExtras } from "./open-features.ts";
import type { RunningServer as PublicServer } from "./start-server.ts";

export interface RunningServer extends PublicServer {
  /** The URL for a browser: the address, and the user's token where the system does not tell who connects. */
  readonly opens: string;
  /** What the greeting, tests and benchmarks look at. */
  readonly services: OpenFeatures;
  readonly app: ReturnType<typeof createApp>;
}

export async function startServer(
  settings: Settings,
  log: Log,
  extras: ServerExtras = {},
): Promise<Result<RunningServer>> {
  const listener = new HttpListener(settings);
  const withRetry = waitingFor(settings, log, listener);
  const opened = await openFeatures(settings, log, { withRetry, ...extras }).catch(unreachable);
  if (!opened.ok) {
    await listener.close();
    return opened;
  }
  const services = opened.value;
  const localCallers = openLocalCallers(extras.localCallers);
  const owner = openOwnerToken(settings);
  const app = createApp({ ...services, localCallers, ownerToken: owner.token });
  const url = await listener.open(app.fetch);
  if (!url.ok) {
    owner.close();
    await services.close();
    return url;
  }
  const localToken = isKeyless(settings) ? localCallers.announce(Number(new URL(url.value).port)) : undefined;
  const retention = startRetention(services);
  const close = async () => {
    await listener.close(services.drain);
    retention?.stop();
    localCallers.close();
    owner.close();
    await services.close();
  };
  const opens = localToken === undefined ? url.value : `${url.value}/#token=${localToken}`;
  return ok({ url: url.value, opens, services, app, fetch: app.fetch, close });
}

/** While it waits, the process already listens: monitoring sees that it is alive but not ready. */
function waitingFor(settings: Settings, log: Log, listener: HttpListener): DatabaseRetry {
  return createDatabaseRetry({
    waitMs: settings.CAPSTAN_DATABASE_WAIT_SECONDS * 1000,
    onWait: ({ why, leftMs, nextMs }) => {
      const seconds = (ms: number) => (ms / 1000).toFixed(ms < 10_000 ? 1 : 0);
      log.info(
        `Waiting for the database: ${why} Next try in ${seconds(nextMs)} s, for ${seconds(leftMs)} s more.`,
      );
      void listener.openWhileWaiting();
    },
  });
}

/** Only if the operator sets a retention time: by default nothing is deleted. */
function startRetention({ settings, database, log }: OpenFeatures): EventRetention | undefined {
  const days = settings.CAPSTAN_EVENT_RETENTION_DAYS;
  if (days === undefined) return undefined;
  const onError = (error: unknown) => log.error({ what: "deleting old events", error });
  const retention = new EventRetention({ pool: database.pool, days, onError });
  retention.start();
  return retention;
}
