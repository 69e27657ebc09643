/**
 * A call with the user's accounts: its `fetch` adds the credential to requests to the provider's hosts, and to no
 * other. A tool, a document or an agent's config can choose neither the host nor where the credential goes. Responses
 * are searched for it.
 */
import type { CallConnection, GuardedFetch, GuardedFetchOptions, Result, ToolContext } from "@capstan/core";
import { type AccountRefusal, accountRefusal } from "./account-refusal.ts";
import type { ConfiguredProvider } from "./connection-providers.ts";
import type { ConnectionStore } from "./connection-store.ts";
import { mayReceive, scopesToAsk } from "./provider-table.ts";
import { formsOf, redactedStream, redactText } from "./redacted-stream.ts";
import type { OpenedConnection } from "./refresh-connection.ts";
import type { ConnectionSecret } from "./token-requests.ts";

export interface CallAccount {
  readonly provider: ConfiguredProvider;
  readonly scopes: readonly string[];
  readonly opened: OpenedConnection;
}

/** What the provider refused although an account is connected. */
export interface LostAccount {
  readonly provider: ConfiguredProvider;
  readonly scopes: readonly string[];
  readonly why: string;
}

export class ConnectedCall {
  readonly #store: Pick<ConnectionStore, "open" | "end">;
  readonly #accounts: CallAccount[];
  readonly #secrets = new Set<string>();
  #lost: LostAccount | undefined;

  constructor(store: Pick<ConnectionStore, "open" | "end">, accounts: readonly CallAccount[]) {
    this.#store = store;
    this.#accounts = [...accounts];
    for (const { opened } of accounts) this.#remember(opened.secret);
  }

  get lost(): LostAccount | undefined {
    return this.#lost;
  }

  enter(context: ToolContext): ToolContext {
    return {
      ...context,
      fetch: this.fetchOver(context.fetch),
      connections: this.#accounts.map(callConnection),
    };
  }

  /** Requests to the providers' hosts carry the credential. */
  fetchOver =
    (base: GuardedFetch): GuardedFetch =>
    (url, options) =>
      this.#fetch(base, url, options);

  redact = (text: string): string => redactText(text, this.#forms());

  #remember(secret: ConnectionSecret): void {
    for (const value of Object.values(secret)) if (typeof value === "string") this.#secrets.add(value);
    if (secret.user !== undefined) this.#secrets.add(basicPair(secret));
    if (secret.user !== undefined) this.#secrets.delete(secret.user); // a name is not secret
  }

  #forms(): string[] {
    return formsOf([...this.#secrets]);
  }

  async #fetch(
    base: GuardedFetch,
    url: string,
    options: GuardedFetchOptions = {},
  ): Promise<Result<Response>> {
    const target = URL.parse(url);
    const at = target ? this.#accounts.findIndex(({ provider }) => mayReceive(provider, target)) : -1;
    const account = this.#accounts[at];
    if (!account || !target || hasOwn(account.provider, options)) return base(url, options);
    const first = await this.#send(base, target, options, account);
    if (!first.ok) return first;
    const refused = await accountRefusal(account.provider, first.value);
    if (refused?.kind !== "token") return this.#noteScopes(account, refused, first, options);
    const { id, version } = account.opened.record;
    const fresh = await this.#store.open(id, account.provider, version);
    if (!fresh.ok) {
      if (fresh.failure.code === "not_found") this.#lose(account, "it no longer accepts the connection");
      return first;
    }
    this.#remember(fresh.value.secret);
    const renewed = { ...account, opened: fresh.value };
    this.#accounts[at] = renewed;
    await first.value.body?.cancel();
    const second = await this.#send(base, target, options, renewed);
    const refusedAgain = second.ok ? await accountRefusal(account.provider, second.value) : undefined;
    if (refusedAgain?.kind === "token") {
      await this.#store.end(id, fresh.value.record.version);
      this.#lose(account, "it no longer accepts the connection");
    }
    return this.#noteScopes(renewed, refusedAgain, second, options);
  }

  async #send(
    base: GuardedFetch,
    target: URL,
    options: GuardedFetchOptions,
    { provider, opened }: CallAccount,
  ): Promise<Result<Response>> {
    const { in: place, name, prefix } = provider.sentAs;
    const value = prefix + credentialOf(opened.secret);
    const url = new URL(target);
    if (place === "query") url.searchParams.set(name, value);
    const headers = { ...options.headers, ...(place === "header" && { [name]: value }) };
    const answer = await base(url.href, { ...options, headers });
    const forms = this.#forms();
    if (!answer.ok) {
      const { failure } = answer;
      return { ok: false, failure: { ...failure, message: redactText(failure.message, forms) } };
    }
    return { ok: true, value: cleanResponse(answer.value, target, forms) };
  }

  /** Missing scopes are asked for, except those that the account has. */
  #noteScopes(
    account: CallAccount,
    refused: AccountRefusal | undefined,
    answer: Result<Response>,
    { method = "GET" }: GuardedFetchOptions,
  ): Result<Response> {
    if (refused?.kind !== "scope") return answer;
    const { provider, opened } = account;
    const isReading = /^(get|head)$/i.test(method);
    const missing = scopesToAsk(provider, refused.scopes, opened.record.scopes, isReading);
    if (missing.length > 0) this.#lose(account, `it lacks ${missing.join(", ")}`, missing);
    return answer;
  }

  #lose({ provider, scopes }: CallAccount, why: string, more: readonly string[] = []): void {
    this.#lost ??= { provider, scopes: [...new Set([...scopes, ...more])], why };
  }
}

/** A tool that sends its own key in the same place keeps it. */
const hasOwn = ({ sentAs }: ConfiguredProvider, { headers = {} }: GuardedFetchOptions): boolean =>
  sentAs.in === "header" && Object.keys(headers).some((name) => name.toLowerCase() === sentAs.name);

const basicPair = ({ user = "", password = "" }: ConnectionSecret): string =>
  Buffer.from(`${user}:${password}`).toString("base64");

const credentialOf = (secret: ConnectionSecret): string =>
  secret.accessToken ?? secret.key ?? basicPair(secret);

function cleanResponse(answer: Response, target: URL, forms: readonly string[]): Response {
  const headers = new Headers();
  for (const [name, value] of answer.headers) headers.append(name, redactText(value, forms));
  headers.delete("content-length"); // a shorter text may replace it
  const body = answer.body?.pipeThrough(redactedStream(forms)) ?? null;
  const clean = new Response(body, { status: answer.status, statusText: answer.statusText, headers });
  const shown = redactText(answer.url === "" ? target.href : answer.url, forms);
  return Object.defineProperty(clean, "url", { value: shown });
}

/** For programs: the access token in the environment, never the refresh token. */
function callConnection({ provider, opened: { record, secret } }: CallAccount): CallConnection {
  const suffix = provider.id.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_");
  const environment: Record<string, string> =
    secret.user === undefined
      ? { [`CAPSTAN_TOKEN_${suffix}`]: credentialOf(secret) }
      : { [`CAPSTAN_USER_${suffix}`]: secret.user, [`CAPSTAN_PASSWORD_${suffix}`]: secret.password ?? "" };
  return { provider: provider.id, account: record.account, hosts: provider.hosts, environment };
}
