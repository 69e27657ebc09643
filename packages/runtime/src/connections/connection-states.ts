/** Which accounts each tool of an agent needs, and which are missing: for previews, without decrypting anything. */
import type { ConnectionNeed, RuntimeTool } from "@capstan/core";
import type { ConfiguredProvider, ConnectionProviders } from "./connection-providers.ts";
import type { ConnectionStore } from "./connection-store.ts";
import { lackingScopes } from "./provider-table.ts";

export interface ConnectionState {
  readonly tool: string;
  readonly provider: string;
  readonly scopes: readonly string[];
  readonly account: string | null;
  /** The scopes that the account really has. */
  readonly has: readonly string[];
  readonly missing: readonly string[];
  readonly isReady: boolean;
  readonly detail: string;
}

export async function connectionStates(
  parts: { readonly connections: ConnectionStore; readonly connectionProviders: ConnectionProviders },
  { userEmail, agentId }: { readonly userEmail: string; readonly agentId: string },
  tools: readonly RuntimeTool[],
): Promise<ConnectionState[]> {
  const states: ConnectionState[] = [];
  for (const { name, connections } of tools) {
    for (const need of connections) {
      const provider = await parts.connectionProviders.find(need);
      if (!provider?.isReady && need.optional) continue; // a tool is called with its secret or not at all
      const found = await stateOf(parts.connections, provider, need, userEmail, agentId);
      states.push({ tool: name, provider: provider?.id ?? need.provider, scopes: need.scopes, ...found });
    }
  }
  return states;
}

type Found = Pick<ConnectionState, "account" | "has" | "missing" | "isReady" | "detail">;

async function stateOf(
  connections: ConnectionStore,
  provider: ConfiguredProvider | undefined,
  { scopes }: ConnectionNeed,
  userEmail: string,
  agentId: string,
): Promise<Found> {
  const lacks = (detail: string, missing: readonly string[] = scopes): Found => ({
    account: null,
    has: [],
    missing,
    isReady: false,
    detail,
  });
  if (!provider?.isReady) return lacks("nobody has set up its provider; calls are refused");
  const record = await connections.of(userEmail, provider.id);
  if (!record) return lacks("not connected; the first call asks");
  if (record.endedAt !== null) return lacks("the provider ended it; the next call asks");
  const { account, scopes: has } = record;
  const missing = lackingScopes(provider, scopes, has);
  if (missing.length > 0)
    return { ...lacks(`lacks ${missing.join(", ")}; the next call asks`, missing), account, has };
  const isReady = await connections.isAllowed(record.id, agentId, "");
  const detail = isReady ? "connected" : "connected, and not allowed to this agent; the next call asks";
  return { account, has, missing, isReady, detail };
}
