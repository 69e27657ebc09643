/** Connections: users' accounts at other services, and their providers. */
import type { Connection } from "../connection.ts";
import { pagedList } from "../every-page.ts";
import type {
  ConnectionFinish,
  ConnectionFinished,
  ConnectionInfo,
  ConnectionProviderInfo,
  ConnectionProviderPut,
  ConnectionRevoked,
  ConnectionStart,
  ConnectionStarted,
  ConnectionUse,
  ConnectionUseQuery,
} from "../wire/connections.ts";
import type { Items, Page } from "../wire/page.ts";

const part = encodeURIComponent;

export const connectionEndpoints = ({ json }: Connection) => ({
  ...pagedList<ConnectionInfo>({ json }, "/v1/connections"),
  start: (start: ConnectionStart, signal?: AbortSignal) =>
    json<ConnectionStarted>("POST", "/v1/connections", { json: start, signal }),
  finish: (finish: ConnectionFinish) =>
    json<ConnectionFinished>("POST", "/v1/connections/finish", { json: finish }),
  revoke: (id: string) => json<ConnectionRevoked>("DELETE", `/v1/connections/${part(id)}`),
  disallow: (id: string, agentId: string) =>
    json<void>("DELETE", `/v1/connections/${part(id)}/consents/${part(agentId)}`),
  uses: (id: string, page: ConnectionUseQuery = {}, signal?: AbortSignal) =>
    json<Page<ConnectionUse>>("GET", `/v1/connections/${part(id)}/uses`, { query: { ...page }, signal }),
  providers: (signal?: AbortSignal) =>
    json<Items<ConnectionProviderInfo>>("GET", "/v1/connection-providers", { signal }),
  setProvider: (id: string, settings: ConnectionProviderPut) =>
    json<ConnectionProviderInfo>("PUT", `/v1/connection-providers/${part(id)}`, { json: settings }),
  removeProvider: (id: string) => json<void>("DELETE", `/v1/connection-providers/${part(id)}`),
});
