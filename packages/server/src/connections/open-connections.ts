/** Users' accounts at other services: providers, connecting, and usage history. */
import { type ConnectionLogins, connectAccounts, type Runs } from "@capstan/runtime";
import type { Feature } from "../http/feature.ts";
import { type ConnectionRouteParts, connectionRoutes } from "./connection-routes.ts";
import { ownConnectionRoutes } from "./own-connection-routes.ts";
import { connectionProviderRoutes, type ProviderRouteParts } from "./provider-routes.ts";

export interface ConnectionFeatureParts
  extends ProviderRouteParts,
    Omit<ConnectionRouteParts, "connectAccounts"> {
  readonly connectionLogins: ConnectionLogins;
  readonly runs: Runs;
}

export function openConnections(parts: ConnectionFeatureParts): Feature {
  const accounts = connectAccounts({ ...parts, approvals: parts.runs.approvals });
  const all = { ...parts, connectAccounts: accounts };
  return {
    routes: [connectionProviderRoutes(parts), connectionRoutes(all), ownConnectionRoutes(all)],
  };
}
