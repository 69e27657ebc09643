/** Connections and providers as the API shows them: never with a secret. */
import type { ConnectionInfo, ConnectionProviderInfo } from "@capstan/client/wire";
import type { ConfiguredProvider, ConnectionRecord, ConsentRecord, ProviderSettings } from "@capstan/runtime";

export function providerDto(provider: ConfiguredProvider, redirectUri: string): ConnectionProviderInfo {
  const { oauth, hosts, clientId = null, clientSecret } = provider;
  return {
    id: provider.id,
    name: provider.name,
    kind: provider.kind,
    ready: provider.isReady,
    listed: provider.isListed,
    from: provider.from,
    client_id: clientId,
    has_secret: clientSecret !== undefined,
    hosts: [...hosts],
    authorization_url: oauth?.authorizationUrl ?? null,
    token_url: oauth?.tokenUrl ?? null,
    revocation_url: oauth?.revocationUrl ?? null,
    pkce: oauth?.pkce ?? false,
    ...setByOperator(provider.settings),
    redirect_uri: redirectUri,
  };
}

function setByOperator({ base_scopes, ...settings }: ProviderSettings) {
  const { account_url = null, issuer = null, resource = null, tenant = null } = settings;
  const {
    scope_separator = null,
    client_proof = null,
    header = null,
    query = null,
    prefix = null,
  } = settings;
  const [service, sending] = [
    { account_url, issuer, resource, tenant },
    { header, query, prefix },
  ];
  const asking = { base_scopes: base_scopes ? [...base_scopes] : null, scope_separator, client_proof };
  return { ...service, ...asking, ...sending };
}

/** Names for ids that still exist. */
export interface Names {
  readonly providers: ReadonlyMap<string, Pick<ConfiguredProvider, "name" | "kind">>;
  readonly agents: ReadonlyMap<string, string>;
}

export const agentName = ({ agents }: Pick<Names, "agents">, id: string): string =>
  id === "*" ? "every agent" : (agents.get(id) ?? id);

export function connectionDto(
  record: ConnectionRecord,
  consents: readonly ConsentRecord[],
  names: Names,
): ConnectionInfo {
  const provider = names.providers.get(record.provider);
  return {
    id: record.id,
    user: record.userEmail,
    provider: record.provider,
    provider_name: provider?.name ?? record.provider,
    kind: provider?.kind ?? "oauth2",
    account: record.account,
    scopes: [...record.scopes],
    status: record.endedAt === null ? "active" : "ended",
    consents: consents
      .filter(({ connectionId }) => connectionId === record.id)
      .map(({ agentId, expiresAt }) => ({
        agent_id: agentId,
        agent_name: agentName(names, agentId),
        until: expiresAt?.toISOString() ?? null,
      })),
    created_at: record.createdAt.toISOString(),
    last_used_at: record.lastUsedAt?.toISOString() ?? null,
  };
}
