/**
 * The providers of connections, a row each. The operator adds a client id and a secret; a provider that is not in here is
 * set up by its addresses. `hosts` are the only ones that a token of the provider is ever sent to.
 */

export type ConnectionKind = "oauth2" | "api_key" | "basic";

/** Where a request carries a credential. */
export interface SentAs {
  readonly in: "header" | "query";
  readonly name: string;
  /** Before the value, such as `Bearer `. */
  readonly prefix: string;
}

/** How a token is revoked at the provider: RFC 7009, or the provider's own way. */
export type RevokeStyle = "form" | "json" | "github" | "bearer";

export interface ConnectionProvider {
  readonly id: string;
  readonly name: string;
  readonly kind: ConnectionKind;
  /** `host`, `host:port` or `*.domain`. */
  readonly hosts: readonly string[];
  readonly sentAs: SentAs;
  readonly oauth?: OAuthFacts;
}

export interface OAuthFacts {
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
  readonly revocationUrl?: string | undefined;
  readonly revokeStyle: RevokeStyle;
  /** Between scopes in the authorization request. */
  readonly scopeSeparator: " " | ",";
  /** The parameter with the scopes; Slack has one for the user's. */
  readonly scopeParameter: string;
  /** Always asked for: who the account is, and a refresh token. */
  readonly baseScopes: readonly string[];
  /** Ignored when scopes are compared: some responses add it. */
  readonly scopePrefix?: string | undefined;
  /** Scopes that include others; a provider leaves out what is included. */
  readonly includes?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly pkce: boolean;
  /** How the client proves itself at the token endpoint. */
  readonly clientProof: "body" | "header";
  readonly tokenBody: "form" | "json";
  /** More parameters of the authorization request. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Sent with each request to the token and revocation endpoints. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Errors of its own after which it will not refresh any more; see `FINAL_ERRORS`. */
  readonly endedBy?: readonly string[] | undefined;
  /** Where the account's name is read with the new token, and the fields to try in order. */
  readonly account?: { readonly url: string; readonly fields: readonly string[] } | undefined;
  /** RFC 8707: whom the token is for. */
  readonly resource?: string | undefined;
  /** RFC 9207: the issuer; an answer that names another is refused. */
  readonly issuer?: string | undefined;
  /** RFC 9207: it always names its issuer; an answer without one is refused. */
  readonly namesItself?: boolean | undefined;
  /** It refuses a token or a scope with status 200 and a body: see `accountRefusal`. */
  readonly refusesIn?: "body" | undefined;
  /** The scopes of its 403 are alternatives, not all needed. */
  readonly namesAlternatives?: boolean | undefined;
  /** Its scopes are compared without case. */
  readonly ignoresCase?: boolean | undefined;
}

export const BEARER: SentAs = { in: "header", name: "authorization", prefix: "Bearer " };

const USUAL = {
  revokeStyle: "form",
  scopeSeparator: " ",
  scopeParameter: "scope",
  baseScopes: [],
  pkce: true,
  clientProof: "body",
  tokenBody: "form",
  parameters: {},
} as const;

export const usualOAuth = (facts: Pick<OAuthFacts, "authorizationUrl" | "tokenUrl"> & Partial<OAuthFacts>) =>
  ({ ...USUAL, ...facts }) satisfies OAuthFacts;

const row = (
  id: string,
  name: string,
  hosts: readonly string[],
  facts: Parameters<typeof usualOAuth>[0],
): ConnectionProvider => ({ id, name, kind: "oauth2", hosts, sentAs: BEARER, oauth: usualOAuth(facts) });

/** `{tenant}` is the operator's setting. */
export const CONNECTION_PROVIDERS: readonly ConnectionProvider[] = [
  row("microsoft", "Microsoft", ["graph.microsoft.com"], {
    authorizationUrl: "https://login.microsoftonline.com/{tenant}/oauth2/v2.0/authorize",
    tokenUrl: "https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token",
    baseScopes: ["openid", "email", "profile", "offline_access"],
    scopePrefix: "https://graph.microsoft.com/",
    ignoresCase: true,
  }),
  row("google", "Google", ["*.googleapis.com"], {
    authorizationUrl: "https://accounts.google.com/o/oauth2/v2/auth",
    tokenUrl: "https://oauth2.googleapis.com/token",
    revocationUrl: "https://oauth2.googleapis.com/revoke",
    baseScopes: ["openid", "email"],
    // Without `consent` there is no refresh token when the user has agreed before.
    parameters: { access_type: "offline", prompt: "consent", include_granted_scopes: "true" },
    namesAlternatives: true,
    includes: {
      "https://www.googleapis.com/auth/userinfo.email": ["email"],
      "https://www.googleapis.com/auth/userinfo.profile": ["profile"],
    },
  }),
  row("github", "GitHub", ["api.github.com", "uploads.github.com"], {
    authorizationUrl: "https://github.com/login/oauth/authorize",
    tokenUrl: "https://github.com/login/oauth/access_token",
    revocationUrl: "https://api.github.com/applications/{client_id}/token",
    revokeStyle: "github",
    account: { url: "https://api.github.com/user", fields: ["login"] },
    includes: {
      repo: ["public_repo", "repo:status", "repo_deployment", "repo:invite", "security_events"],
      user: ["read:user", "user:email", "user:follow"],
      "admin:org": ["write:org", "read:org"],
      "write:org": ["read:org"],
      "admin:repo_hook": ["write:repo_hook", "read:repo_hook"],
      "write:packages": ["read:packages"],
      project: ["read:project"],
    },
  }),
  row("gitlab", "GitLab", ["gitlab.com"], {
    authorizationUrl: "https://gitlab.com/oauth/authorize",
    tokenUrl: "https://gitlab.com/oauth/token",
    revocationUrl: "https://gitlab.com/oauth/revoke",
    baseScopes: ["openid", "email"],
    namesAlternatives: true,
  }),
  row("slack", "Slack", ["slack.com", "files.slack.com"], {
    authorizationUrl: "https://slack.com/oauth/v2/authorize",
    tokenUrl: "https://slack.com/api/oauth.v2.access",
    revocationUrl: "https://slack.com/api/auth.revoke",
    revokeStyle: "bearer",
    scopeSeparator: ",",
    scopeParameter: "user_scope",
    pkce: false, // a confidential client's code is bound to its secret
    refusesIn: "body",
    account: { url: "https://slack.com/api/auth.test", fields: ["user", "user_id"] },
  }),
  row("atlassian", "Atlassian", ["api.atlassian.com"], {
    authorizationUrl: "https://auth.atlassian.com/authorize",
    tokenUrl: "https://auth.atlassian.com/oauth/token",
    baseScopes: ["offline_access"],
    tokenBody: "json",
    pkce: false, // as for Slack
    endedBy: ["unauthorized_client"], // "refresh_token is invalid"
    account: { url: "https://api.atlassian.com/oauth/token/accessible-resources", fields: ["url", "name"] },
    parameters: { audience: "api.atlassian.com", prompt: "consent" },
  }),
  row("notion", "Notion", ["api.notion.com"], {
    authorizationUrl: "https://api.notion.com/v1/oauth/authorize",
    tokenUrl: "https://api.notion.com/v1/oauth/token",
    revocationUrl: "https://api.notion.com/v1/oauth/revoke",
    revokeStyle: "json",
    clientProof: "header",
    tokenBody: "json",
    pkce: false, // as for Slack
    headers: { "notion-version": "2025-09-03" },
    parameters: { owner: "user" },
  }),
];

/** Whether a credential of the provider may go to this address: over TLS, or to a host that the operator named with its port. */
export function mayReceive({ hosts }: Pick<ConnectionProvider, "hosts">, url: URL): boolean {
  const host = url.host.toLowerCase();
  return hosts.some((entry) => {
    const named = entry.toLowerCase();
    if (named === host) return url.protocol === "https:" || named.includes(":");
    return named.startsWith("*.") && url.protocol === "https:" && host.endsWith(named.slice(1));
  });
}

/** OpenID Connect's: who the account is, and a refresh token. */
const SIGN_IN_SCOPES = ["openid", "email", "profile", "offline_access"];

/** The scopes of `wanted` that an account does not have. Those of a sign-in that are always asked for may be missing in an answer. */
export function lackingScopes(
  { oauth }: Pick<ConnectionProvider, "oauth">,
  wanted: readonly string[],
  have: readonly string[],
): string[] {
  if (!oauth) return []; // a key or a password has no scopes
  const plain = (scope: string) => {
    const { scopePrefix = "", ignoresCase } = oauth;
    const short = scope.startsWith(scopePrefix) ? scope.slice(scopePrefix.length) : scope;
    return ignoresCase ? short.toLowerCase() : short;
  };
  const signIn = SIGN_IN_SCOPES.filter((scope) => oauth.baseScopes.includes(scope));
  const held = have.map(plain).flatMap((scope) => [scope, ...(oauth.includes?.[scope] ?? [])]);
  const known = new Set([...signIn, ...held]);
  return [...new Set(wanted)].filter((scope) => !known.has(plain(scope)));
}

/**
 * What to ask for when the API named these scopes in its refusal. Of alternatives one is asked for: the first that reads,
 * for a request that reads, or the only one. Otherwise nobody knows which one the tool needs, and it has to declare it.
 */
export function scopesToAsk(
  provider: Pick<ConnectionProvider, "oauth">,
  named: readonly string[],
  have: readonly string[],
  isReading: boolean,
): string[] {
  const missing = lackingScopes(provider, named, have);
  if (!provider.oauth?.namesAlternatives) return missing;
  if (missing.length < named.length) return []; // it has one of them: something else is wrong
  const one = isReading ? missing.find((scope) => /read/.test(scope)) : undefined;
  return one !== undefined ? [one] : missing.length === 1 ? missing : [];
}
