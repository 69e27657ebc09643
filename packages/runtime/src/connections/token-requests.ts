/**
 * Requests to a provider's authorization server: a code or a refresh token for new tokens, and taking a token back. The
 * addresses come from the provider's row, redirects are refused, and what the server says in an error is shortened: it may
 * repeat secrets.
 */
import { fail, type GuardedFetch, ok, type Result } from "@capstan/core";
import { z } from "zod";
import type { ConfiguredProvider } from "./connection-providers.ts";
import type { OAuthFacts } from "./provider-table.ts";

const FIRST_BYTE_MS = 10_000;
export const TOKEN_REQUEST_MS = 12_000; // shorter than the lease of a refresh
const MOST_LIFE_SECONDS = 10 * 366 * 24 * 3600;

/** Sealed in a connection's row. */
export interface ConnectionSecret {
  readonly accessToken?: string;
  readonly refreshToken?: string;
  readonly key?: string;
  readonly user?: string;
  readonly password?: string;
}

export interface NewTokens {
  readonly secret: ConnectionSecret;
  readonly expiresAt: Date | undefined;
  /** Undefined: the scopes asked for (RFC 6749, 5.1). */
  readonly scopes: readonly string[] | undefined;
  readonly account: string | undefined;
}

/** Some servers send null or nothing for what they do not give. */
const orNothing = <T>(schema: z.ZodType<T>) => schema.nullish().transform((value) => value || undefined);
const text = orNothing(z.string().max(20_000));
const seconds = orNothing(z.coerce.number().min(0).max(MOST_LIFE_SECONDS));
const TokenFields = z.looseObject({
  access_token: text,
  refresh_token: text,
  expires_in: seconds,
  /** An empty list is one. */
  scope: z.string().max(20_000).nullish(),
});
/** Slack nests the user's token one level deeper, beside one of its bot; Notion says `message` for what is wrong. */
const Tokens = z.looseObject({
  ...TokenFields.shape,
  token_type: text,
  id_token: orNothing(z.string().max(100_000)),
  error: orNothing(z.string().max(1000)),
  error_description: orNothing(z.string().max(5000)),
  message: orNothing(z.string().max(5000)),
  authed_user: TokenFields.nullish(),
  workspace_name: text,
});

/** The grant is over: RFC 6749; OpenID Connect, where the person has to sign in again; GitHub; Slack. */
const FINAL_ERRORS = new Set([
  "invalid_grant",
  "interaction_required",
  "login_required",
  "consent_required",
  "bad_refresh_token",
  "invalid_refresh_token",
  "refresh_token_expired",
  "token_revoked",
]);
/** A token that is over already needs no revocation. */
const OVER_ALREADY = ["invalid_token", "token_revoked", "account_inactive"];

/** `isFinal`: the provider will not accept this grant again, so the user has to be asked. */
export type TokenAnswer = Result<NewTokens> & { readonly isFinal?: boolean };

export async function requestTokens(
  fetch: GuardedFetch,
  provider: ConfiguredProvider,
  grant: Readonly<Record<string, string>>,
  now: Date,
): Promise<TokenAnswer> {
  const { oauth, name } = provider;
  if (!oauth) return refused(name, "it has no token endpoint");
  const resource = oauth.resource === undefined ? {} : { resource: oauth.resource };
  const answer = await post(fetch, provider, oauth, oauth.tokenUrl, { ...grant, ...resource });
  if (!answer.ok) return answer;
  const body: unknown = await answer.value.json().catch(() => undefined);
  const read = Tokens.safeParse(body);
  if (!read.success) return refused(name, `its answer (${answer.value.status}) has no tokens`);
  const { error, error_description, message } = read.data;
  if (error !== undefined || !answer.value.ok) {
    const why = [error ?? `status ${answer.value.status}`, error_description ?? message].filter(Boolean);
    const isFinal = error !== undefined && (FINAL_ERRORS.has(error) || oauth.endedBy?.includes(error));
    return { ...refused(name, hidden(why.join(": "), grant)), isFinal: isFinal === true };
  }
  return tokensOf(name, read.data, grant.refresh_token, now);
}

function tokensOf(
  provider: string,
  read: z.infer<typeof Tokens>,
  before: string | undefined,
  now: Date,
): Result<NewTokens> {
  const { access_token, refresh_token, expires_in, scope } = read.authed_user?.access_token
    ? read.authed_user
    : read;
  if (access_token === undefined || (access_token === read.access_token && read.token_type === "bot"))
    return refused(provider, "its answer has no access token");
  const refreshToken = refresh_token ?? before;
  return ok({
    secret: { accessToken: access_token, ...(refreshToken !== undefined && { refreshToken }) },
    expiresAt: expires_in === undefined ? undefined : new Date(now.getTime() + expires_in * 1000),
    scopes: scope?.split(/[\s,]+/).filter(Boolean),
    account: accountIn(read.id_token) ?? read.workspace_name,
  });
}

const refused = (provider: string, why: string) =>
  fail("connection_refused", { provider, why: why.slice(0, 300) });

/** Without the code, the verifier and tokens that were sent. */
const hidden = (said: string, sent: Readonly<Record<string, string>>): string =>
  Object.values(sent)
    .filter((value) => value.length >= 8)
    .reduce((shown, value) => shown.replaceAll(value, "[secret]"), said);

function post(
  fetch: GuardedFetch,
  { clientId = "", clientSecret }: ConfiguredProvider,
  { clientProof, tokenBody, headers }: Pick<OAuthFacts, "clientProof" | "tokenBody" | "headers">,
  url: string,
  fields: Readonly<Record<string, string>>,
): Promise<Result<Response>> {
  const inHeader = clientProof === "header" && clientSecret !== undefined;
  const proof = inHeader ? {} : { client_id: clientId, ...(clientSecret && { client_secret: clientSecret }) };
  const all = { ...fields, ...proof };
  return fetch(url, {
    method: "POST",
    headers: {
      ...headers,
      accept: "application/json",
      "content-type": tokenBody === "json" ? "application/json" : "application/x-www-form-urlencoded",
      ...(inHeader && { authorization: basic(clientId, clientSecret) }),
    },
    body: tokenBody === "json" ? JSON.stringify(all) : new URLSearchParams(all).toString(),
    firstByteTimeoutMs: FIRST_BYTE_MS,
    signal: AbortSignal.timeout(TOKEN_REQUEST_MS),
    redirects: "refuse",
  });
}

/** RFC 6749, 2.3.1: both are encoded as in a form first. */
const basic = (user: string, password: string): string => {
  const encode = (part: string) => new URLSearchParams({ part }).toString().slice("part=".length);
  return `Basic ${Buffer.from(`${encode(user)}:${encode(password)}`).toString("base64")}`;
};

/** Straight from the token endpoint over TLS, so its signature adds nothing (OpenID Connect Core, 3.1.3.7); shown, never trusted. */
function accountIn(idToken: string | undefined): string | undefined {
  if (idToken === undefined) return undefined;
  try {
    const claims = JSON.parse(Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString("utf8"));
    return firstText(claims, ["email", "preferred_username", "name", "sub"]);
  } catch {
    return undefined;
  }
}

function firstText(from: unknown, fields: readonly string[]): string | undefined {
  const values = fields.map((field) => (Object(from) as Record<string, unknown>)[field]);
  return values.find((value): value is string => typeof value === "string" && value !== "")?.slice(0, 300);
}

/** Which account the new token is for, where the provider says so at an address of its own. */
export async function readAccount(
  fetch: GuardedFetch,
  { oauth }: ConfiguredProvider,
  accessToken: string,
): Promise<string | undefined> {
  if (!oauth?.account) return undefined;
  const headers = { accept: "application/json", authorization: `Bearer ${accessToken}` };
  const signal = AbortSignal.timeout(TOKEN_REQUEST_MS);
  const answer = await fetch(oauth.account.url, { headers, signal, redirects: "refuse" });
  if (!answer.ok || !answer.value.ok) return undefined;
  const body: unknown = await answer.value.json().catch(() => undefined);
  return firstText(Array.isArray(body) ? body[0] : body, oauth.account.fields); // Atlassian lists the account's sites
}

/** At the provider; here it is revoked already. True when the provider confirmed, undefined when it has no revocation. */
export async function revokeTokens(
  fetch: GuardedFetch,
  provider: ConfiguredProvider,
  secret: ConnectionSecret,
  now = new Date(),
): Promise<boolean | undefined> {
  const { oauth } = provider;
  const { accessToken, refreshToken } = secret;
  if (!oauth?.revocationUrl || accessToken === undefined) return undefined;
  if (await revokeOne(fetch, provider, oauth, oauth.revocationUrl, secret)) return true;
  if (oauth.revokeStyle === "form" || refreshToken === undefined) return false;
  // The access token may have expired while the grant lives on: a new one is needed to end it.
  const grant = { grant_type: "refresh_token", refresh_token: refreshToken };
  const fresh = await requestTokens(fetch, provider, grant, now);
  if (!fresh.ok) return fresh.isFinal === true;
  return revokeOne(fetch, provider, oauth, oauth.revocationUrl, fresh.value.secret);
}

async function revokeOne(
  fetch: GuardedFetch,
  provider: ConfiguredProvider,
  oauth: OAuthFacts,
  url: string,
  { accessToken = "", refreshToken }: ConnectionSecret,
): Promise<boolean> {
  const { clientId = "", clientSecret = "" } = provider;
  const signal = AbortSignal.timeout(TOKEN_REQUEST_MS);
  const json = (body: object, more: object) =>
    fetch(url, {
      headers: {
        ...oauth.headers,
        accept: "application/json",
        "content-type": "application/json",
        authorization: basic(clientId, clientSecret),
      },
      body: JSON.stringify(body),
      signal,
      redirects: "refuse",
      ...more,
    });
  const styles: Record<OAuthFacts["revokeStyle"], () => Promise<Result<Response>>> = {
    // Revoking the refresh token also revokes its access tokens.
    form: () =>
      post(fetch, provider, { ...oauth, tokenBody: "form" }, url, {
        token: refreshToken ?? accessToken,
        token_type_hint: refreshToken === undefined ? "access_token" : "refresh_token",
      }),
    json: () => json({ token: accessToken }, { method: "POST" }),
    github: () => json({ access_token: accessToken }, { method: "DELETE" }),
    bearer: () =>
      fetch(url, {
        method: "POST",
        headers: { authorization: `Bearer ${accessToken}` },
        signal,
        redirects: "refuse",
      }),
  };
  const answer = await styles[oauth.revokeStyle]();
  return answer.ok && isConfirmed(answer.value);
}

/** Slack refuses with status 200. */
async function isConfirmed(answer: Response): Promise<boolean> {
  const said: unknown = await answer.json().catch(() => ({}));
  const { ok: isDone, revoked, error } = Object(said) as Record<string, unknown>;
  if (typeof error === "string") return OVER_ALREADY.includes(error);
  return answer.ok && isDone !== false && revoked !== false;
}
