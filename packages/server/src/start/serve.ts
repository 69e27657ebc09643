/** Starts the server: services, application, socket. Called by `main.ts`, tests and the CLI. */
import { ok, type Result } from "@capstan/core";
import {
  createDatabaseRetry,
  type DatabaseRetry,
  organisationStore,
  RunPlaces,
  unreachable,
} from "@capstan/runtime";
import { isKeyless } from "../auth/authenticate.ts";
import { openLocalCallers } from "../auth/local-caller.ts";
import { openOwnerToken } from "../auth/owner-token.ts";
import { HttpListener } from "../http/http-listener.ts";
import { type Handler, OrganisationHost } from "../organisations/organisation-host.ts";
import type { Log } from "../settings/log.ts";
import type { Settings } from "../settings/settings.ts";
import { createApp } from "./app.ts";
import { type FeatureExtras, type OpenFeatures, openFeatures, type ServerExtras } from "./open-features.ts";
import { eraseOrganisation, openOrganisation } from "./open-organisation.ts";
import { startRetention } from "./retention.ts";
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
  const places = new RunPlaces(settings.CAPSTAN_RUNS_AT_ONCE);
  const all: FeatureExtras = {
    withRetry,
    ...extras,
    places,
    host: new OrganisationHost({
      settings,
      open: (id) => openOrganisation(id, { first: services, callers, log, extras: all }),
      erase: (id) => eraseOrganisation(id, services),
      setWeights: (weights) => places.setWeights(weights),
      onError: (error, what) => log.error({ what, error }),
    }),
  };
  const opened = await openFeatures(settings, log, all).catch(unreachable);
  if (!opened.ok) {
    await listener.close();
    return opened;
  }
  const services = opened.value;
  const { host } = all;
  const localCallers = openLocalCallers(extras.localCallers);
  const owner = openOwnerToken(settings);
  const callers = { localCallers, ownerToken: owner.token };
  const app = createApp({ ...services, ...callers });
  await host.start({
    fetch: app.fetch as Handler,
    store: organisationStore(services.database),
    people: services.people,
    policyChanges: services.database.policyChanges,
    isShared: services.database.kind === "postgres",
  });
  const url = await listener.open(host.fetch);
  if (!url.ok) {
    owner.close();
    await host.close();
    await services.close();
    return url;
  }
  const localToken = isKeyless(settings) ? localCallers.announce(Number(new URL(url.value).port)) : undefined;
  const retention = startRetention(services);
  const close = async () => {
    await listener.close(async () => {
      await host.drain();
      await services.drain();
    });
    await host.close();
    retention?.stop();
    localCallers.close();
    owner.close();
    await services.close();
  };
  const opens = localToken === undefined ? url.value : `${url.value}/#token=${localToken}`;
  return ok({ url: url.value, opens, services, app, fetch: host.fetch, close });
}

/** While it waits, the process already listens: monitoring sees that it is alive but not ready. */
function waitingFor(settings: Settings, log: Log, listener: HttpListener): DatabaseRetry {
  return createDatabaseRetry({
    waitMs: settings.CAPSTAN_DATABASE_WAIT_SECONDS * 1000,
    onWait: ({ why, leftMs, nextMs }) => {
      const seconds = (ms: number) => (ms / 1000).toFixed(ms < 10_000 ? 1 : 0);
      log.info(
        `Waiting for the database, for ${seconds(leftMs)} s more; next try in ${seconds(nextMs)} s: ${why}`,
      );
      void listener.openWhileWaiting();
    },
  });
}
