/**
 * Remote MCP servers that want a login. Each becomes a provider of its own, found by discovery; each user connects their own
 * account there. Its tools are read once, with the account of the person who reviews the package, and stored: nothing
 * is called on behalf of another user, and startup needs no account.
 */
import { fail, type GuardedFetch, ok, type Result } from "@capstan/core";
import { eq, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { mcpAccounts } from "../db/schema/connection-tables.ts";
import { connectUrl } from "./call-connections.ts";
import { ConnectedCall } from "./connected-call.ts";
import type { ConfiguredProvider, ConnectionProviders } from "./connection-providers.ts";
import type { ConnectionStore } from "./connection-store.ts";
import { discoverProtectedServer, type ProtectedServer } from "./protected-server.ts";
import { lackingScopes } from "./provider-table.ts";
import { registerClient } from "./register-client.ts";

/** What a package's calls need, and how its server describes itself. */
export interface McpAccount {
  readonly provider: string;
  readonly scopes: readonly string[];
  readonly described: unknown;
}

export interface McpLogin {
  readonly provider: string;
  readonly scopes: readonly string[];
  /** Where people log in. */
  readonly issuer: string;
  /** Carries the reviewer's account to the server. */
  readonly fetch: GuardedFetch;
}

export interface McpAccounts {
  /** By the hash of the package's declaration; undefined for a server that wants no login. */
  get(sha256: string): Promise<McpAccount | undefined>;
  put(sha256: string, account: McpAccount): Promise<void>;
  /** Sets up the provider of a server that answered 401. Refused with a link until the reviewer has connected. */
  login(asked: { url: string; challenge: string; reviewer: string }): Promise<Result<McpLogin>>;
}

export interface McpAccountParts {
  readonly database: Pick<Database, "orm">;
  readonly fetch: GuardedFetch;
  readonly connections: ConnectionStore;
  readonly connectionProviders: ConnectionProviders;
  /** The server's own address, for links and as the client. */
  readonly origin: string;
}

export function mcpAccountStore(parts: McpAccountParts): McpAccounts {
  const { orm } = parts.database;
  return {
    async get(sha256) {
      const [row] = await orm.select().from(mcpAccounts).where(eq(mcpAccounts.sha256, sha256));
      return row;
    },
    async put(sha256, { provider, scopes, described }) {
      const set = { provider, scopes: [...scopes], described };
      await orm
        .insert(mcpAccounts)
        .values({ sha256, ...set })
        .onConflictDoUpdate({ target: mcpAccounts.sha256, set: { ...set, updatedAt: sql`now()` } });
    },
    async login({ url, challenge, reviewer }) {
      const found = await discoverProtectedServer(parts.fetch, url, challenge);
      if (!found.ok) return found;
      const provider = await setUp(parts, found.value, reviewer);
      return provider.ok ? asReviewer(parts, provider.value, found.value, reviewer) : provider;
    },
  };
}

/** An existing client is kept: refresh tokens are bound to it. */
async function setUp(
  { fetch, connectionProviders: providers, origin }: McpAccountParts,
  { providerId: id, host, resource, server, offered }: ProtectedServer,
  by: string,
): Promise<Result<ConfiguredProvider>> {
  const before = await providers.get(id);
  if (before.ok && before.value.isReady) return before;
  const byHand = `capstan connections provider ${id} --issuer ${server.issuer} --hosts ${host} --resource ${resource} --client-id <id>`;
  const client = await registerClient(fetch, server, origin, { provider: id, byHand });
  if (!client.ok) return client;
  const { clientId, secret, proof } = client.value;
  const keepsGoing = server.scopes_supported?.includes("offline_access") ? ["offline_access"] : [];
  const settings = {
    name: host,
    hosts: [host],
    client_id: clientId,
    client_proof: proof,
    issuer: server.issuer,
    names_itself: server.authorization_response_iss_parameter_supported,
    authorization_url: server.authorization_endpoint,
    token_url: server.token_endpoint,
    revocation_url: server.revocation_endpoint,
    account_url: server.userinfo_endpoint,
    base_scopes: [...new Set([...offered, ...keepsGoing])],
    resource,
  };
  const saved = await providers.put(id, settings, secret, by);
  return saved.ok ? providers.get(id) : saved;
}

async function asReviewer(
  { fetch, connections, origin }: McpAccountParts,
  provider: ConfiguredProvider,
  { scopes, server: { issuer } }: ProtectedServer,
  reviewer: string,
): Promise<Result<McpLogin>> {
  const { id, name } = provider;
  const refuse = (why: string) =>
    fail("connection_needed", {
      provider: id,
      name,
      scopes,
      agentId: "*",
      tool: "tools/list",
      why,
      url: connectUrl(origin, { provider: id, scopes }),
    });
  const record = await connections.of(reviewer, id);
  if (!record || record.endedAt !== null) return refuse("it is not connected");
  if (lackingScopes(provider, scopes, record.scopes).length > 0) return refuse("it lacks scopes");
  const opened = await connections.open(record.id, provider);
  if (!opened.ok)
    return opened.failure.code === "not_found" ? refuse("it no longer accepts the connection") : opened;
  const connected = new ConnectedCall(connections, [{ provider, scopes, opened: opened.value }]);
  return ok({ provider: id, scopes, issuer, fetch: connected.fetchOver(fetch) });
}
