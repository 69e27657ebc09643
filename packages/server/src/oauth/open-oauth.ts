/** Clients that log in: our own small authorization server for MCP, A2A, AG-UI, AI SDK and OpenAI clients. */
import type { GuardedFetch } from "@capstan/core";
import type { Feature } from "../http/feature.ts";
import { type ActiveTokenParts, activeTokenRoutes } from "./active-token-routes.ts";
import { type ConsentParts, consentRoutes } from "./consent-routes.ts";
import { openClients } from "./known-client.ts";
import { type OAuthRouteParts, oauthProtocolRoutes } from "./protocol-routes.ts";
import { publishedReader } from "./published-json.ts";

export interface OAuthParts
  extends Omit<OAuthRouteParts, "clients" | "read">,
    Omit<ConsentParts, "clients">,
    ActiveTokenParts {
  readonly fetch: GuardedFetch;
  readonly registrationKey: Buffer;
}

export function openOAuth(parts: OAuthParts): Feature {
  const { registrationKey: signingKey, fetch, settings } = parts;
  const { CAPSTAN_ALLOW_HOSTS: allowHosts, CAPSTAN_CLIENT_DOCUMENTS } = settings;
  const readsDocuments = CAPSTAN_CLIENT_DOCUMENTS === "on";
  const read = publishedReader(fetch);
  const clients = openClients({ signingKey, read, allowHosts, readsDocuments });
  const all = { ...parts, clients, read };
  return { routes: [oauthProtocolRoutes(all), consentRoutes(all), activeTokenRoutes(all)] };
}
