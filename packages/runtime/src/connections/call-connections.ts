/**
 * The gate's part: which accounts a call needs, whether its user has them with these scopes, and whether the agent may use
 * them. Without them the call is refused, and the refusal says where the user can connect.
 */
import { type ConnectionNeed, fail, ok, type Result, type RuntimeTool } from "@capstan/core";
import { type CallAccount, ConnectedCall, type LostAccount } from "./connected-call.ts";
import type { ConfiguredProvider, ConnectionProviders } from "./connection-providers.ts";
import type { ConnectionStore } from "./connection-store.ts";
import { lackingScopes } from "./provider-table.ts";

export interface ConnectingCall {
  readonly agentId: string;
  readonly userEmail: string;
  readonly callId: string;
  readonly runId?: string | undefined;
  readonly sessionId?: string | undefined;
}

export interface CallConnections {
  /** Undefined when the tool needs none. */
  prepare(call: ConnectingCall, tool: RuntimeTool): Promise<Result<ConnectedCall | undefined>>;
  /** The refusal of a call whose account the provider refused. */
  refuse(call: ConnectingCall, tool: RuntimeTool, lost: LostAccount): Result<never>;
}

export interface CallConnectionParts {
  readonly connections: ConnectionStore;
  readonly connectionProviders: ConnectionProviders;
  /** The server's own address, for the link. */
  readonly origin: string;
}

export function callConnections(parts: CallConnectionParts): CallConnections {
  const { connections } = parts;
  const refuse = ({ agentId }: ConnectingCall, { name }: RuntimeTool, lost: LostAccount): Result<never> => {
    const { provider, scopes, why } = lost;
    return fail("connection_needed", {
      provider: provider.id,
      name: provider.name,
      scopes,
      agentId,
      tool: name,
      why,
      url: connectUrl(parts.origin, { provider: provider.id, scopes, agentId }),
    });
  };
  return {
    refuse,
    async prepare(call, tool) {
      if (tool.connections.length === 0) return ok(undefined);
      const found = await accountsFor(parts, call, tool.connections);
      if (!found.ok) return found;
      if ("why" in found.value) return refuse(call, tool, found.value);
      const accounts = found.value;
      if (accounts.length === 0) return ok(undefined);
      const { agentId, runId = null, sessionId = null } = call;
      const use = { agentId, capabilityId: tool.capabilityId, tool: tool.name, runId, sessionId };
      for (const { opened } of accounts) await connections.recordUse(opened.record.id, use);
      return ok(new ConnectedCall(connections, accounts));
    },
  };
}

/** The studio's page where a person connects an account. */
export function connectUrl(
  origin: string,
  { provider, scopes, agentId }: { provider: string; scopes: readonly string[]; agentId?: string },
): string {
  const url = new URL("/connections/connect", origin);
  url.searchParams.set("provider", provider);
  if (scopes.length > 0) url.searchParams.set("scopes", scopes.join(" "));
  if (agentId !== undefined) url.searchParams.set("agent", agentId);
  return url.href;
}

/** All of them, or the first that is missing: a person is asked for one at a time. */
async function accountsFor(
  parts: CallConnectionParts,
  call: ConnectingCall,
  needs: readonly ConnectionNeed[],
): Promise<Result<readonly CallAccount[] | LostAccount>> {
  const accounts: CallAccount[] = [];
  for (const need of needs) {
    const account = await accountFor(parts, call, need);
    if (!account.ok) return account;
    if (account.value && "why" in account.value) return ok(account.value);
    if (account.value) accounts.push(account.value);
  }
  return ok(accounts);
}

/** The account, or what it lacks; undefined when the call is made without one. */
async function accountFor(
  { connections, connectionProviders }: CallConnectionParts,
  { userEmail, agentId, callId }: ConnectingCall,
  need: ConnectionNeed,
): Promise<Result<CallAccount | LostAccount | undefined>> {
  const { scopes } = need;
  const provider = await connectionProviders.find(need);
  if (!provider?.isReady)
    return need.optional ? ok(undefined) : fail("connection_provider_not_ready", { provider: need.provider });
  const lost = (why: string): Result<LostAccount> => ok({ provider, scopes, why });
  const record = await connections.of(userEmail, provider.id);
  if (!record) return lost("it is not connected");
  if (record.endedAt !== null) return lost("it no longer accepts the connection");
  const lacking = lackingScopes(provider, scopes, record.scopes);
  if (lacking.length > 0) return lost(`it lacks ${lacking.join(", ")}`);
  if (!(await connections.isAllowed(record.id, agentId, callId)))
    return lost("you have not allowed this agent to use it");
  return openFor(connections, provider, scopes, record.id);
}

async function openFor(
  connections: ConnectionStore,
  provider: ConfiguredProvider,
  scopes: readonly string[],
  id: string,
): Promise<Result<CallAccount | LostAccount>> {
  const opened = await connections.open(id, provider);
  if (opened.ok) return ok({ provider, scopes, opened: opened.value });
  const isOver = opened.failure.code === "not_found";
  return isOver ? ok({ provider, scopes, why: "it no longer accepts the connection" }) : opened;
}
