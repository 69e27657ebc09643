/**
 * Connects an account, from the start until the waiting run resumes: with a key immediately, with OAuth through the
 * provider. What is requested is read from the run's question, never from whoever answers it.
 */
import { fail, type GuardedFetch, ok, type Result } from "@capstan/core";
import type { ConnectionLogins, LoginPurpose } from "./connection-logins.ts";
import type { ConfiguredProvider, ConnectionProviders } from "./connection-providers.ts";
import type { ConnectionStore } from "./connection-store.ts";
import { lackingScopes } from "./provider-table.ts";
import { redirectUriOf } from "./redirect-uris.ts";
import type { ConnectionRecord } from "./refresh-connection.ts";
import { type ConnectionSecret, revokeTokens } from "./token-requests.ts";

export interface StartRequest {
  readonly userEmail: string;
  /** Of this server. */
  readonly origin: string;
  readonly provider?: string | undefined;
  readonly scopes: readonly string[];
  readonly agentId?: string | undefined;
  readonly approvalId?: string | undefined;
  readonly once: boolean;
  readonly forSeconds?: number | undefined;
  readonly secret: Pick<ConnectionSecret, "key" | "user" | "password">;
}

/** The page where the user consents, or the connection if it is complete. */
export type Started = { readonly url: string } | { readonly connection: ConnectionRecord };

export interface Finished {
  readonly connection: ConnectionRecord;
  readonly missingScopes: readonly string[];
  readonly sessionId: string | null;
}

export interface ConnectAccounts {
  start(request: StartRequest): Promise<Result<Started>>;
  finish(answer: Parameters<ConnectionLogins["finish"]>[0]): Promise<Result<Finished>>;
  /** Revokes it here at once, then at the provider. */
  revoke(id: string): Promise<Result<{ connection: ConnectionRecord; atProvider: boolean | undefined }>>;
}

/** The part of the inbox that is needed here. */
export interface Questions {
  get(id: string): Promise<Result<Question>>;
  list(filter: { status: "pending"; visibleTo: string; limit: number }): Promise<{ items: Question[] }>;
  answer(
    id: string,
    decision: { approve: true; by: string; connected: true },
  ): Promise<Result<Pick<Question, "sessionId">>>;
}

export interface Question {
  readonly id: string;
  readonly kind: string;
  readonly userEmail: string;
  readonly status: string;
  readonly sessionId: string | null;
  readonly arguments: unknown;
}

export interface ConnectParts {
  readonly connections: ConnectionStore;
  readonly connectionProviders: ConnectionProviders;
  readonly connectionLogins: ConnectionLogins;
  readonly approvals: Questions;
  readonly fetch: GuardedFetch;
}

const MOST_WAITING = 200;

interface Asked {
  readonly provider: string;
  readonly purpose: LoginPurpose;
}

export function connectAccounts(parts: ConnectParts): ConnectAccounts {
  const { connections, connectionProviders: providers, connectionLogins: logins } = parts;
  return {
    async start(request) {
      const asked = await whatIsAsked(parts, request);
      if (!asked.ok) return asked;
      const { purpose } = asked.value;
      const found = await providers.get(asked.value.provider);
      if (!found.ok) return found;
      const provider = found.value;
      if (!provider.isReady) return fail("connection_provider_not_ready", { provider: provider.id });
      const at = await withoutLogin(parts, request, provider, purpose);
      if (at !== undefined) return at;
      const { userEmail } = request;
      const redirectUri = redirectUriOf(request.origin, provider);
      const url = await logins.start({ userEmail, provider, redirectUri, purpose });
      return url.ok ? ok({ url: url.value }) : url;
    },
    async finish(answer) {
      const finished = await logins.finish(answer);
      if (!finished.ok) return finished;
      const { connection, purpose } = finished.value;
      const provider = await providers.get(connection.provider);
      if (!provider.ok) return provider;
      const missingScopes = lackingScopes(provider.value, purpose.scopes, connection.scopes);
      const sessionId =
        missingScopes.length > 0 ? null : await settle(parts, provider.value, connection, purpose);
      return ok({ connection, missingScopes, sessionId });
    },
    async revoke(id) {
      const found = await connections.get(id);
      if (!found.ok) return found;
      const gone = await connections.remove(id);
      const provider = await providers.get(found.value.provider);
      const atProvider =
        gone && provider.ok ? await revokeTokens(parts.fetch, provider.value, gone.secret) : undefined;
      return ok({ connection: found.value, atProvider });
    },
  };
}

/** A key is saved at once. If the account already has what an agent asks for, only the person's consent is needed. */
async function withoutLogin(
  parts: ConnectParts,
  { userEmail, secret: given }: StartRequest,
  provider: ConfiguredProvider,
  purpose: LoginPurpose,
): Promise<Result<Started> | undefined> {
  const { connections } = parts;
  if (provider.kind === "oauth2") {
    const before = await connections.of(userEmail, provider.id);
    if (purpose.approvalId === undefined || !before || before.endedAt !== null) return undefined;
    if (!has(provider, before, purpose)) return undefined;
    await settle(parts, provider, before, purpose);
    return ok({ connection: before });
  }
  const secret = keySecret(provider, given);
  if (!secret.ok) return secret;
  const tokens = { secret: secret.value, account: secret.value.user, scopes: [], expiresAt: undefined };
  const saved = await connections.save({ userEmail, provider: provider.id }, tokens);
  await settle(parts, provider, saved, purpose);
  return ok({ connection: saved });
}

const has = (provider: ConfiguredProvider, { scopes }: ConnectionRecord, purpose: LoginPurpose): boolean =>
  lackingScopes(provider, purpose.scopes, scopes).length === 0;

/** Stores the consent, then answers what waits for it. Returns the session whose run continues, if any. */
async function settle(
  parts: ConnectParts,
  provider: ConfiguredProvider,
  connection: ConnectionRecord,
  purpose: LoginPurpose,
): Promise<string | null> {
  const { connections, approvals } = parts;
  const { agentId, once, forSeconds, approvalId } = purpose;
  const asked = approvalId === undefined ? undefined : await approvals.get(approvalId);
  const question = asked?.ok ? asked.value : undefined;
  const callId = once ? question && callOf(question) : undefined;
  if (!once || callId !== undefined) {
    const expiresAt = forSeconds === undefined ? undefined : new Date(Date.now() + forSeconds * 1000);
    await connections.allow(connection.id, { agentId, callId, expiresAt });
  }
  const yes = { approve: true, by: connection.userEmail, connected: true } as const;
  const answered = question && (await approvals.answer(question.id, yes));
  const others = once ? [] : await coveredBy(parts, provider, connection, agentId);
  for (const { id } of others) await approvals.answer(id, yes);
  return answered?.ok ? answered.value.sessionId : null;
}

/** Answers everything else that waits for the same consent, such as another call of the same step. */
async function coveredBy(
  { approvals }: ConnectParts,
  provider: ConfiguredProvider,
  { userEmail, scopes }: ConnectionRecord,
  agentId: string,
): Promise<Question[]> {
  const pending = await approvals.list({ status: "pending", visibleTo: userEmail, limit: MOST_WAITING });
  return pending.items.filter((question) => {
    if (question.kind !== "connect" || question.userEmail !== userEmail) return false;
    const ask = askOf(question);
    if (ask.provider !== provider.id || (agentId !== "*" && ask.agent_id !== agentId)) return false;
    return lackingScopes(provider, ask.scopes, scopes).length === 0;
  });
}

/** The content of a question of kind `connect`; see `askToConnect`. */
export interface ConnectAsk {
  readonly provider: string;
  readonly scopes: readonly string[];
  readonly agent_id: string;
  readonly call_id: string;
}

const askOf = ({ arguments: args }: Question): ConnectAsk => args as ConnectAsk;
const callOf = (approval: Question): string => askOf(approval).call_id;

async function whatIsAsked({ approvals }: ConnectParts, request: StartRequest): Promise<Result<Asked>> {
  const { approvalId, once, forSeconds, userEmail } = request;
  if (approvalId === undefined) {
    const { provider, scopes, agentId = "*" } = request;
    if (provider === undefined) return fail("input_invalid", { where: "provider: is missing" });
    if (once) return fail("input_invalid", { where: "term: once is for a run's question; give approval_id" });
    return ok({ provider, purpose: { scopes, agentId, forSeconds } });
  }
  const found = await approvals.get(approvalId);
  // Another person's question counts as missing: nobody connects an account for someone else.
  if (!found.ok || found.value.kind !== "connect" || found.value.userEmail !== userEmail)
    return fail("not_found", { what: "approval", id: approvalId });
  const { status } = found.value;
  if (status !== "pending") return fail("approval_decided", { id: approvalId, status });
  const { provider, scopes, agent_id: agentId } = askOf(found.value);
  return ok({ provider, purpose: { scopes, agentId, once, forSeconds, approvalId } });
}

function keySecret(
  { kind, name }: ConfiguredProvider,
  { key, user, password }: StartRequest["secret"],
): Result<ConnectionSecret> {
  if (kind === "api_key")
    return key === undefined
      ? fail("input_invalid", { where: `key: is missing; ${name} takes one` })
      : ok({ key });
  return user === undefined || password === undefined
    ? fail("input_invalid", { where: `user, password: are missing; ${name} takes both` })
    : ok({ user, password });
}
