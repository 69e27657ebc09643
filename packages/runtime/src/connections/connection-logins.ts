/**
 * Logins at a provider: code with PKCE and state. The answer comes back through the studio, which passes it on as the user
 * who is signed in there; it is accepted only from the user who started the login, once, and within 15 minutes.
 */
import { createHash, randomBytes } from "node:crypto";
import { fail, type GuardedFetch, ok, type Result } from "@capstan/core";
import type { Database } from "../db/database.ts";
import type { SecretBox } from "../users/secret-box.ts";
import type { ConfiguredProvider, ConnectionProviders } from "./connection-providers.ts";
import type { ConnectionStore } from "./connection-store.ts";
import { SHARED_REDIRECT_PATH } from "./redirect-uris.ts";
import type { ConnectionRecord } from "./refresh-connection.ts";
import { type NewTokens, readAccount, requestTokens } from "./token-requests.ts";

const MINUTES = 15;
const MOST_PENDING = 20; // of one user

/** What a login is for, and what the user chose before it began. */
export interface LoginPurpose {
  readonly scopes: readonly string[];
  /** `*`: every agent that the user uses. */
  readonly agentId: string;
  readonly forSeconds?: number | undefined;
  /** Only for the call that this question is about. */
  readonly once?: boolean | undefined;
  readonly approvalId?: string | undefined;
}

export interface PendingLogin extends LoginPurpose {
  /** With the scopes consented to before: a provider may replace the older consent. */
  readonly asked: readonly string[];
  readonly verifier: string;
  readonly redirectUri: string;
}

export interface FinishedLogin {
  readonly connection: ConnectionRecord;
  readonly purpose: LoginPurpose;
}

export interface ConnectionLogins {
  /** The address at the provider where the user consents. */
  start(login: {
    userEmail: string;
    provider: ConfiguredProvider;
    redirectUri: string;
    purpose: LoginPurpose;
  }): Promise<Result<string>>;
  finish(answer: {
    userEmail: string;
    state: string;
    code?: string | undefined;
    error?: string | undefined;
    issuer?: string | undefined;
    /** The path that the provider sent the browser to; undefined: the shared one. */
    at?: string | undefined;
  }): Promise<Result<FinishedLogin>>;
}

export interface LoginParts {
  readonly database: Pick<Database, "pool">;
  readonly box: SecretBox;
  readonly fetch: GuardedFetch;
  readonly providers: ConnectionProviders;
  readonly connections: ConnectionStore;
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("base64url");

export function connectionLogins(parts: LoginParts): ConnectionLogins {
  const { database, box, connections } = parts;
  return {
    async start({ userEmail, provider, redirectUri, purpose }) {
      const { oauth, clientId, id } = provider;
      if (!oauth || clientId === undefined) return fail("connection_provider_not_ready", { provider: id });
      const state = randomBytes(32).toString("base64url");
      const verifier = randomBytes(32).toString("base64url");
      const before = await connections.of(userEmail, id);
      const wanted = [...new Set([...(before?.scopes ?? []), ...purpose.scopes])];
      const scopes = [...new Set([...oauth.baseScopes, ...wanted])];
      const pending: PendingLogin = { ...purpose, asked: wanted, verifier, redirectUri };
      const stored = await database.pool.query(STORE, [
        hashOf(state),
        userEmail,
        id,
        box.seal(JSON.stringify(pending)),
      ]);
      if (!stored.rowCount) return fail("connection_login_unknown", { why: "too many have begun" });
      const url = new URL(oauth.authorizationUrl);
      const query: Record<string, string> = {
        ...oauth.parameters,
        response_type: "code",
        client_id: clientId,
        redirect_uri: redirectUri,
        state,
        ...(scopes.length > 0 && { [oauth.scopeParameter]: scopes.join(oauth.scopeSeparator) }),
        ...(oauth.pkce && { code_challenge: hashOf(verifier), code_challenge_method: "S256" }),
        ...(oauth.resource !== undefined && { resource: oauth.resource }),
      };
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      return ok(url.href);
    },
    async finish({ userEmail, ...answer }) {
      const { rows } = await database.pool.query<{ provider: string; secret: string }>(TAKE, [
        hashOf(answer.state),
        userEmail,
      ]);
      const [row] = rows;
      const opened = row && box.open(row.secret);
      if (!row || opened === undefined)
        return fail("connection_login_unknown", {
          why: "it has expired, was already used, or was started by another user",
        });
      const pending = JSON.parse(opened) as PendingLogin;
      const provider = await parts.providers.get(row.provider);
      if (!provider.ok) return provider;
      const refused = whyRefused(provider.value, pending, answer);
      if (refused !== undefined)
        return fail("connection_refused", { provider: provider.value.name, why: refused });
      const tokens = await exchange(parts, provider.value, pending, answer.code ?? "");
      if (!tokens.ok) return tokens;
      const place = { userEmail, provider: row.provider };
      const { verifier: _, redirectUri: __, asked: ___, ...purpose } = pending;
      return ok({ connection: await connections.save(place, tokens.value), purpose });
    },
  };
}

/** The oldest are removed first; one user cannot fill the table. */
const STORE = `with old as (delete from connection_logins where expires_at < now())
  insert into connection_logins (id, user_email, provider, secret, expires_at)
  select $1, $2, $3, $4, now() + interval '${MINUTES} minutes'
  where (select count(*) from connection_logins where user_email = $2 and expires_at >= now()) < ${MOST_PENDING}`;
const TAKE = `delete from connection_logins where id = $1 and user_email = $2 and expires_at > now() returning provider, secret`;

type Answer = Omit<Parameters<ConnectionLogins["finish"]>[0], "userEmail" | "state">;

/** An answer from a server that was not asked is refused: its code would be sent to the wrong server. */
function whyRefused(
  { oauth }: ConfiguredProvider,
  { redirectUri }: PendingLogin,
  { code, error, issuer, at = SHARED_REDIRECT_PATH }: Answer,
): string | undefined {
  if (new URL(redirectUri).pathname !== at) return "the answer came back at another server's address";
  if (oauth?.issuer !== undefined && (issuer ?? (oauth.namesItself ? "" : oauth.issuer)) !== oauth.issuer)
    return "the answer comes from another server";
  if (error !== undefined)
    return error === "access_denied" ? "the person did not consent" : error.slice(0, 200);
  return code === undefined ? "it sent no code" : undefined;
}

async function exchange(
  { fetch }: LoginParts,
  provider: ConfiguredProvider,
  { verifier, redirectUri, asked }: PendingLogin,
  code: string,
): Promise<Result<NewTokens>> {
  const grant = {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    ...(provider.oauth?.pkce && { code_verifier: verifier }),
  };
  const tokens = await requestTokens(fetch, provider, grant, new Date());
  if (!tokens.ok) return tokens;
  const { accessToken = "" } = tokens.value.secret;
  const account = tokens.value.account ?? (await readAccount(fetch, provider, accessToken));
  // A server that does not repeat the scopes granted what was asked for.
  return ok({ ...tokens.value, scopes: tokens.value.scopes ?? asked, account });
}
